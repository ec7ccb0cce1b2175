package cassettes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendQuoted appends s as a double-quoted YAML scalar on one line.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	b = appendEscaped(b, s)
	return append(b, '"')
}

// appendEscaped appends s as the inside of a double-quoted scalar. Whatever does not print is
// escaped: libraries normalise line ends, drop a byte order mark and refuse control
// characters, and an editor hides what turns the reading direction.
func appendEscaped(b []byte, s string) []byte {
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if isLiteral[c] { // nearly all are
			i++
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if c < utf8.RuneSelf || !unicode.IsPrint(r) {
			b = append(b, s[done:i]...)
			b = appendEscape(b, r)
			done = i + n
		}
		i += n
	}
	return append(b, s[done:]...)
}

// isLiteral has the characters of ASCII that stand for themselves between double quotes.
var isLiteral = func() (literal [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		literal[c] = c != '"' && c != '\\'
	}
	return literal
}()

func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	kind, digits := byte('x'), 2
	switch {
	case r > 0xffff:
		kind, digits = 'U', 8
	case r > 0xff:
		kind, digits = 'u', 4
	}
	b = append(b, '\\', kind)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, "0123456789ABCDEF"[r>>shift&15])
	}
	return b
}

// continuation is what a line break inside a scalar is written as: a backslash takes the
// break and the spaces after it out of the value. It is deeper than any key, so that no line
// of a body can be taken for structure.
const continuation = "\\\n      "

// maxLevel bounds the indentation of a JSON body: a body of brackets alone would otherwise
// grow with the square of its length.
const maxLevel = 8

// appendBody appends a body as a double-quoted scalar, laid out so that a diff shows the
// line of text or the JSON member that changed. The value is s, byte for byte.
func appendBody(b []byte, s string) []byte {
	l, ok := layoutOf(s)
	if !ok {
		return appendQuoted(b, s)
	}
	b = append(b, '"')
	done := 0
	for {
		i, level := l.next(s, done)
		if i == len(s) {
			break
		}
		b = appendEscaped(b, s[done:i])
		b = append(b, continuation...)
		for range min(level, maxLevel) {
			b = append(b, "  "...)
		}
		if s[i] == ' ' {
			b = append(b, '\\') // or it would count as indentation
		}
		done = i
	}
	b = appendEscaped(b, s[done:])
	return append(b, '"')
}

// layout says where the lines of a scalar begin.
type layout interface {
	// next returns where the next line of the value begins behind an offset, which is 0 or what next
	// returned before, and the level to indent it by. It returns the length of the value if there is
	// none.
	next(s string, from int) (at, level int)
}

// layoutOf chooses the layout of a body; ok is false for one that stays on a single line.
func layoutOf(s string) (l layout, ok bool) {
	start := strings.TrimLeft(s, " \t\r\n")
	switch {
	case start != "" && (start[0] == '{' || start[0] == '['):
		return &jsonLayout{}, true
	case strings.Contains(s, "\n"):
		return textLayout{}, true
	}
	return nil, false
}

// textLayout begins a line where the text does.
type textLayout struct{}

func (textLayout) next(s string, from int) (at, level int) {
	if n := strings.IndexByte(s[from:], '\n'); n >= 0 {
		return from + n + 1, 0
	}
	return len(s), 0
}

// jsonLayout begins a line at every member and element, which is after a structural comma or
// opening bracket and the white space that follows it; never inside a token. What only looks
// like JSON is laid out somehow, and its value is kept just as well.
type jsonLayout struct {
	level  int
	opened bool // after a comma or opening bracket
	read   int  // bytes of the value that were looked at
}

func (l *jsonLayout) next(s string, _ int) (at, level int) {
	for l.read < len(s) {
		at = l.read
		begins, level := l.opened, max(l.level-1, 0) // the outermost members are not indented
		c := s[at]
		l.read++
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '}', ']':
			l.level = max(l.level-1, 0)
			l.opened = false
			continue
		case '{', '[':
			l.level++
		case '"':
			l.read = endOfString(s, l.read)
		}
		l.opened = c == ',' || c == '{' || c == '['
		if begins {
			return at, level
		}
	}
	return len(s), 0
}

// endOfString returns where a string of JSON ends whose inside begins at s[i:].
func endOfString(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
