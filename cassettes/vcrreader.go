package cassettes

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
)

// vcrReader reads an interaction as versions 1 and 2 of go-vcr write nearly all of them, in a
// twentieth of the time that a YAML library takes. It knows a few forms of scalars on one line, and
// literal blocks:
//
//   - request:
//     body: '{"amount":100}'
//     form: {}
//     headers:
//     Accept:
//   - '*/*'
//     url: https://sandbox.example/register.do
//     method: POST
//     response:
//     body: |
//     {"errorCode":0}
//     ...
//
// Whatever it does not know, it leaves to the library: it reads an interaction as the library does,
// or not at all.
type vcrReader struct {
	rest []byte // lines that were not read yet
	bad  bool   // something is left to the library
	x    *leaf.Exchange
}

func (r *vcrReader) read() (*leaf.Exchange, bool) {
	if !printable(r.rest) || !bytes.HasSuffix(r.rest, []byte("\n")) {
		return nil, false
	}
	r.x = &leaf.Exchange{}
	outer := len(leading(r.rest))
	r.expect(outer, "- request:")
	r.fields(outer+len("- "), r.request)
	r.expect(outer+len("- "), "response:")
	r.fields(outer+len("- "), r.response)
	return r.x, !r.bad && len(r.rest) == 0
}

// printable reports whether a text has nothing but line feeds and characters that print: those mean
// the same to every reader of YAML.
func printable(text []byte) bool {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c != '\n' && c < ' ' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		u, n := utf8.DecodeRune(text[i:])
		if u == utf8.RuneError || !unicode.IsPrint(u) {
			return false
		}
		i += n
	}
	return true
}

// line returns the next line without its line feed, and how far it is indented. The line stays.
func (r *vcrReader) line() (line []byte, indent int) {
	line, _, _ = bytes.Cut(r.rest, []byte("\n"))
	return line, len(leading(line))
}

// skip goes past the next line.
func (r *vcrReader) skip() { r.rest = r.rest[lineLength(r.rest):] }

// expect reads a line.
func (r *vcrReader) expect(indent int, text string) {
	line, at := r.line()
	r.bad = r.bad || at != indent || string(line[at:]) != text
	r.skip()
}

// entries reads the lines that lie further right than an outer one, all of them equally far.
func (r *vcrReader) entries(outer int, take func(key string, value []byte, indent int)) {
	_, indent := r.line()
	if indent <= outer {
		r.bad = true
		return
	}
	for !r.bad {
		line, at := r.line()
		if at < indent {
			return
		}
		key, value, ok := cutVCRKey(line[indent:])
		if r.bad = at > indent || !ok; r.bad {
			return
		}
		r.skip()
		take(key, value, indent)
	}
}

// cutVCRKey cuts a key without quotes from what is on the line behind it: nothing, or a space and
// the value.
func cutVCRKey(line []byte) (key string, value []byte, ok bool) {
	k, value, ok := bytes.Cut(line, []byte(":"))
	ok = ok && plainWord(k) && (len(value) == 0 || value[0] == ' ')
	return string(k), bytes.TrimPrefix(value, []byte(" ")), ok
}

// fields reads request or response, whose fields are few. None is there twice.
func (r *vcrReader) fields(outer int, field func(key string, value []byte, indent int)) {
	var seen []string
	r.entries(outer, func(key string, value []byte, indent int) {
		r.bad = r.bad || slices.Contains(seen, key)
		seen = append(seen, key)
		field(key, value, indent)
	})
}

func (r *vcrReader) request(key string, value []byte, indent int) {
	q := &r.x.Request
	switch key {
	case "body":
		q.Body = r.scalar(value, indent)
	case "form":
		q.Form = r.values(value, indent)
	case "headers":
		q.Headers = r.values(value, indent)
	case "url":
		q.URL = r.scalar(value, indent)
	case "method":
		q.Method = r.scalar(value, indent)
	default:
		r.bad = true
	}
}

func (r *vcrReader) response(key string, value []byte, indent int) {
	p := &r.x.Response
	switch key {
	case "body":
		p.Body = r.scalar(value, indent)
	case "headers":
		p.Headers = r.values(value, indent)
	case "status":
		p.Status = r.scalar(value, indent)
	case "code":
		n, err := strconv.Atoi(string(value))
		r.bad = r.bad || err != nil || strconv.Itoa(n) != string(value)
		p.Code = n
	case "duration":
		p.Duration, _ = parseDuration(r.scalar(value, indent)) // as vcrItem has it
	default:
		r.bad = true
	}
}

// values reads a header or a form.
func (r *vcrReader) values(value []byte, outer int) map[string][]string {
	m := map[string][]string{}
	if string(value) == "{}" {
		return m
	}
	if len(value) > 0 {
		r.bad = true
		return nil
	}
	r.entries(outer, func(key string, value []byte, indent int) {
		_, twice := m[key]
		r.bad = r.bad || twice
		m[key] = r.list(value, indent)
	})
	return m
}

// list reads the values of a key: in brackets, or each on a line of its own.
func (r *vcrReader) list(value []byte, outer int) []string {
	if inner, ok := bytes.CutPrefix(value, []byte("[")); ok {
		inner, ok = bytes.CutSuffix(inner, []byte("]"))
		if ok && len(inner) > 0 && (inner[0] == '"' || inner[0] == '\'') {
			return []string{r.scalar(inner, outer)} // a quote that ends before the bracket is bad
		}
		word := string(inner)
		r.bad = r.bad || !ok || !plainText(word) || strings.Contains(word, ",")
		return []string{word}
	}
	_, indent := r.line()
	r.bad = r.bad || len(value) > 0 || indent < outer
	list := make([]string, 0, 1)
	for !r.bad {
		line, at := r.line()
		item, ok := bytes.CutPrefix(line[at:], []byte("- "))
		if !ok || at != indent {
			break
		}
		r.skip()
		list = append(list, r.scalar(item, indent))
	}
	r.bad = r.bad || len(list) == 0
	return list
}

// scalar reads a scalar that begins behind its key or dash.
func (r *vcrReader) scalar(s []byte, outer int) string {
	if len(s) == 0 {
		r.bad = true
		return ""
	}
	switch s[0] {
	case '\'':
		return r.singleQuoted(s[1:])
	case '"':
		return r.doubleQuoted(s[1:])
	case '|':
		return r.block(s, outer)
	}
	text := string(s)
	r.bad = r.bad || !plainText(text)
	return text
}

// singleQuoted reads a scalar that ends with its line.
func (r *vcrReader) singleQuoted(s []byte) string {
	s, ok := bytes.CutSuffix(s, []byte("'"))
	if bytes.IndexByte(s, '\'') >= 0 { // each is written as two
		alone := bytes.ReplaceAll(s, []byte("''"), nil)
		ok = ok && bytes.IndexByte(alone, '\'') < 0
		s = bytes.ReplaceAll(s, []byte("''"), []byte("'"))
	}
	r.bad = r.bad || !ok
	return string(s)
}

// doubleQuoted reads a scalar that ends with its line.
func (r *vcrReader) doubleQuoted(s []byte) string {
	text := make([]byte, 0, len(s))
	for !r.bad {
		n := special(s)
		text = append(text, s[:n]...)
		s = s[n:]
		if len(s) == 0 || s[0] == '"' {
			break
		}
		text, n = appendUnescaped(text, s)
		s = s[n:]
		r.bad = n == 0
	}
	r.bad = r.bad || len(s) != 1 // the quote that ends it
	return string(text)
}

// block reads a literal block: the lines that follow, as they are.
func (r *vcrReader) block(mark []byte, outer int) string {
	_, indent := r.line()
	if string(mark) != "|" && string(mark) != "|-" || indent <= outer {
		r.bad = true
		return ""
	}
	var b strings.Builder
	for len(r.rest) > 0 {
		line, at := r.line()
		if at == len(line) {
			r.bad = true // empty lines mean much or nothing
			return ""
		}
		if at < indent {
			break
		}
		b.Write(line[indent:])
		b.WriteByte('\n')
		r.skip()
	}
	text := b.String()
	if string(mark) == "|-" {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

// plainWord reports whether a text is a key without quotes that means itself.
func plainWord(s []byte) bool {
	for _, c := range s {
		if !wordByte(c) && c != '.' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= maxKey && s[0] != '-' && s[0] != '.' && !isNull(string(s))
}

// plainText reports whether a text is a scalar without quotes that means itself wherever it stands,
// in brackets too.
func plainText(s string) bool {
	for i := range len(s) {
		c := s[i]
		inner := i > 0 && i < len(s)-1
		switch {
		case wordByte(c) && (c != '-' || i > 0), c >= utf8.RuneSelf:
		case c == '/', c == '.', c == '+' && i > 0, c == ';', c == '(', c == ')':
		case c == ' ' && inner && s[i+1] != '#':
		case inner && strings.IndexByte("=&%?*@!~$,", c) >= 0:
		case c == ':' && inner && s[i+1] != ' ':
		default:
			return false
		}
	}
	return s != "" && !isNull(s)
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '-'
}

// isNull reports whether a scalar without quotes is nothing.
func isNull(s string) bool { return strings.EqualFold(s, "null") }
