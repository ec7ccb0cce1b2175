package pretty

import "strings"

// indentJSON lays out JSON, or the beginning of it: it changes white space outside of strings and
// nothing else. Notes are by the offset of a value, behind the quotes of a string. Documents that
// follow one another begin in new lines.
func indentJSON(s string, notes map[int]note) string {
	p := jsonPrinter{s: s, notes: notes}
	for p.at < len(s) {
		p.step()
	}
	return strings.TrimRight(p.b.String(), "\n")
}

// jsonPrinter is the state of a layout of JSON.
type jsonPrinter struct {
	s     string
	at    int
	depth int
	notes map[int]note
	late  note // of the value before: it is written behind the comma
	b     strings.Builder
}

func (p *jsonPrinter) step() {
	c := p.s[p.at]
	switch c {
	case ' ', '\t', '\r', '\n':
		p.at++
	case '{', '[':
		p.open(c)
	case '}', ']':
		p.flush("")
		p.depth--
		p.newLine()
		p.write(1)
		if p.depth <= 0 {
			p.depth = 0
			p.b.WriteByte('\n')
		}
	case ',':
		p.at++
		p.flush(",")
		p.newLine()
	case ':':
		p.write(1)
		p.b.WriteByte(' ')
	case '"':
		p.value(p.at+1, stringEnd(p.s, p.at))
	default:
		p.value(p.at, wordEnd(p.s, p.at))
	}
}

// open begins an object or an array. An empty one stays in its line.
func (p *jsonPrinter) open(c byte) {
	end := p.at + 1
	for end < len(p.s) && strings.IndexByte(" \t\r\n", p.s[end]) >= 0 {
		end++
	}
	if end < len(p.s) && p.s[end] == c+2 { // in ASCII "}" is two behind "{", and "]" behind "["
		p.b.WriteString(string(c) + string(c+2))
		p.at = end + 1
		if p.depth == 0 {
			p.b.WriteByte('\n')
		}
		return
	}
	p.write(1)
	p.depth++
	p.newLine()
}

// value writes a string, a number or a word, up to end. Its note begins at offset at.
func (p *jsonPrinter) value(at, end int) {
	n := p.notes[at]
	text := p.s[p.at:end]
	if n.below != "" && len(text) > maxOpened {
		text = n.shown(text) + `"`
	}
	p.b.WriteString(text)
	p.at, p.late = end, n
}

// flush writes the note of the value before, behind what follows it.
func (p *jsonPrinter) flush(follows string) {
	p.late.write(&p.b, follows, p.depth)
	p.late = note{}
}

func (p *jsonPrinter) newLine() {
	p.b.WriteByte('\n')
	p.b.WriteString(indent(p.depth))
}

func (p *jsonPrinter) write(n int) {
	p.b.WriteString(p.s[p.at : p.at+n])
	p.at += n
}

// wordEnd returns where the number or the word ends that begins at an offset, behind one byte at least.
func wordEnd(s string, at int) int {
	for at++; at < len(s) && strings.IndexByte(",]}: \t\r\n\"{[", s[at]) < 0; {
		at++
	}
	return at
}

// stringEnd returns where the string ends that begins at an offset: behind its quotes.
func stringEnd(s string, at int) int {
	for at++; at < len(s); at++ {
		switch s[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(s)
}
