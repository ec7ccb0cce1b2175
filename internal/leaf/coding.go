package leaf

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// coding is one layer between bytes and text. decode also returns, for every offset in the
// text and its end, the offset in the bytes; nil means that they are the same.
type coding uint8

const (
	plain      coding = iota
	percent           // query and form parameters: %XX, and '+' for a space
	segment           // path segments: %XX
	jsonString        // the inside of a JSON string
	entity            // text of markup, and attributes in quotes
	bare              // attributes without quotes
	verbatim          // comments, CDATA and scripts
	quoted            // the content of a part: quoted-printable

	// From firstCharset on follow the charsets.
)

func (c coding) decode(raw string) (string, []int) {
	switch {
	case c >= firstCharset:
		return c.charset().decode(raw)
	case c == percent && (strings.IndexByte(raw, '%') >= 0 || strings.IndexByte(raw, '+') >= 0):
		return unpercent(raw, true)
	case c == segment && strings.Contains(raw, "%"):
		return unpercent(raw, false)
	case c == jsonString && strings.Contains(raw, `\`):
		return unescape(raw)
	case c == quoted && strings.Contains(raw, "="):
		return unquotePrintable(raw)
	case (c == entity || c == bare) && strings.Contains(raw, "&"):
		return unentity(raw)
	}
	return raw, nil
}

func (c coding) encode(text string) string {
	if c >= firstCharset {
		return c.charset().encode(text)
	}
	switch c {
	case percent:
		return escapePercent(text, '+')
	case segment:
		return escapePercent(text, 0)
	case jsonString:
		return escapeJSON(text)
	case entity:
		return escapeEntities(text)
	case bare:
		return escapeBare(text)
	case verbatim:
		return escapeVerbatim(text)
	case quoted:
		return quotePrintable(text)
	}
	return text
}

// stack is what is undone to read a value, from the bytes inwards. Nil is nothing. A stack is never
// written to: many leaves have the same.
type stack []coding

// alone are the stacks of one coding, which most values have.
var alone = func() (stacks [32]stack) { // more than there are
	for c := range stacks {
		stacks[c] = stack{coding(c)}
	}
	return stacks
}()

// list returns the codings of a stack.
func (s *stack) list() []coding {
	if s == nil {
		return nil
	}
	return *s
}

// last returns the innermost coding of a stack, which has one.
func (s *stack) last() coding { return (*s)[len(*s)-1] }

// under returns a stack with one coding more beneath it.
func (s *stack) under(c coding) *stack {
	if s == nil {
		return &alone[c]
	}
	more := append(slices.Clip(*s), c)
	return &more
}

// unpercent decodes %XX. A '%' that no two hex digits follow stays as it is: what a lenient
// server may read is read, and nothing is refused.
func unpercent(raw string, plus bool) (string, []int) {
	b := make([]byte, 0, len(raw))
	offs := make([]int, 0, len(raw)+1)
	for i := 0; i < len(raw); {
		offs = append(offs, i)
		hi, lo := -1, -1
		if raw[i] == '%' && i+2 < len(raw) {
			hi, lo = Hex(raw[i+1]), Hex(raw[i+2])
		}
		switch {
		case hi >= 0 && lo >= 0:
			b, i = append(b, byte(hi<<4|lo)), i+3
		case raw[i] == '+' && plus:
			b, i = append(b, ' '), i+1
		default:
			b, i = append(b, raw[i]), i+1
		}
	}
	return string(b), append(offs, len(raw))
}

// Hex returns the value of a hexadecimal digit, or -1.
func Hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// escapePercent escapes all but the unreserved characters of RFC 3986, and writes a space
// as space, or as %20 where space is 0.
func escapePercent(text string, space byte) string {
	const hex = "0123456789ABCDEF"
	if plainText(text, unreserved) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case unreserved(c):
			b.WriteByte(c)
		case c == ' ' && space != 0:
			b.WriteByte(space)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// unreserved reports whether a character needs no escape in a URL (RFC 3986, 2.3).
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

// plainText reports whether all bytes of a text stand for themselves.
func plainText(text string, stands func(byte) bool) bool {
	for i := 0; i < len(text); i++ {
		if !stands(text[i]) {
			return false
		}
	}
	return true
}

// unescape decodes the inside of a valid JSON string.
func unescape(raw string) (string, []int) {
	b := make([]byte, 0, len(raw))
	offs := make([]int, 0, len(raw)+1)
	for i := 0; i < len(raw); {
		r, n := rune(raw[i]), 1
		if raw[i] == '\\' && i+1 < len(raw) {
			r, n = unescapeOne(raw[i:])
		} else if r >= utf8.RuneSelf {
			// A byte of a longer character, or a bad byte: either way it stands for itself.
			b, offs, i = append(b, raw[i]), append(offs, i), i+1
			continue
		}
		before := len(b)
		b = utf8.AppendRune(b, r)
		for range len(b) - before {
			offs = append(offs, i)
		}
		i += n
	}
	return string(b), append(offs, len(raw))
}

var jsonEscapes = map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescapeOne decodes the escape that s begins with and says how many bytes it takes.
func unescapeOne(s string) (rune, int) {
	if s[1] != 'u' {
		if r, ok := jsonEscapes[s[1]]; ok {
			return r, 2
		}
		return rune(s[1]), 2
	}
	r, ok := unicodeEscape(s)
	if !ok {
		return 'u', 2
	}
	if utf16.IsSurrogate(r) {
		if low, ok := unicodeEscape(s[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// unicodeEscape reads \uXXXX at the start of s.
func unicodeEscape(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var r rune
	for i := 2; i < 6; i++ {
		d := Hex(s[i])
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// escapeJSON escapes what JSON demands and nothing more.
func escapeJSON(text string) string {
	const hex = "0123456789abcdef"
	if plainEnd(text, 0) == len(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
