package scan

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
)

// maxEscapes is how many layers of escapes are looked through.
const maxEscapes = 4

// Unescape undoes one layer of the escapes that text is carried in: percent-encoding with '+'
// for a space, the escapes of JSON strings, and numeric entities. It undoes them all at once
// and leniently, because the question is only what some reader could make of the text. The
// result is empty if there is nothing to undo.
func Unescape(s string) string { return unescape(s, nil) }

// unescape is Unescape. If offsets is not nil, it receives for every byte of the result, and its
// end, where in s it came from.
func unescape(s string, offsets *[]int) string { return unescapeWith(s, ' ', offsets) }

// unescapeWith is unescape for a text in which '+' stands for plus: a space in a form, or itself, as
// in base64 whose lines end in escapes.
func unescapeWith(s string, plus byte, offsets *[]int) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '\\') < 0 &&
		strings.IndexByte(s, '+') < 0 && !strings.Contains(s, "&#") {
		return ""
	}
	b := make([]byte, 0, len(s))
	changed := false
	for i := 0; i < len(s); {
		before := len(b)
		n := 1
		switch s[i] {
		case '+':
			b = append(b, plus)
			changed = changed || plus != '+'
		case '%', '\\', '&':
			b, n = unescapeOne(b, s[i:])
			changed = changed || n > 1
		default:
			b = append(b, s[i])
		}
		if offsets != nil {
			for range len(b) - before {
				*offsets = append(*offsets, i)
			}
		}
		i += n
	}
	if !changed {
		return ""
	}
	if offsets != nil {
		*offsets = append(*offsets, len(s))
	}
	return string(b)
}

// unescapeOne appends what the escape at the start of s stands for, and returns its length:
// 1 if there is none.
func unescapeOne(b []byte, s string) ([]byte, int) {
	switch {
	case s[0] == '%':
		if v, ok := hexNumber(s, 1, 2); ok {
			return append(b, byte(v)), 3
		}
	case s[0] == '&':
		if r, n := entity(s); n > 0 {
			return utf8.AppendRune(b, r), n
		}
	case len(s) > 1:
		return backslash(b, s)
	}
	return append(b, s[0]), 1
}

// backslash undoes a backslash escape of JSON, or \xHH as Go and other languages quote bytes.
func backslash(b []byte, s string) ([]byte, int) {
	switch c := s[1]; c {
	case 'u':
		if v, ok := hexNumber(s, 2, 4); ok {
			return utf8.AppendRune(b, rune(v)), 6
		}
	case 'x':
		if v, ok := hexNumber(s, 2, 2); ok {
			return append(b, byte(v)), 4
		}
	case 'n', 'r', 't', 'b', 'f':
		return append(b, '\n'), 2
	}
	return append(b, s[1]), 2
}

// entity reads &#52; or &#x34;.
func entity(s string) (rune, int) {
	const longest = len("&#x10FFFF;")
	end := strings.IndexByte(s[:min(len(s), longest)], ';')
	if end < 3 || s[1] != '#' {
		return 0, 0
	}
	digits, base := s[2:end], 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	v := 0
	for i := range len(digits) {
		d := leaf.Hex(digits[i])
		if d < 0 || d >= base {
			return 0, 0
		}
		v = v*base + d
	}
	if digits == "" || v > utf8.MaxRune {
		return 0, 0
	}
	return rune(v), end + 1
}

// hexNumber reads n hex digits of s from offset at.
func hexNumber(s string, at, n int) (int, bool) {
	if len(s) < at+n {
		return 0, false
	}
	v := 0
	for i := at; i < at+n; i++ {
		d := leaf.Hex(s[i])
		if d < 0 {
			return 0, false
		}
		v = v<<4 | d
	}
	return v, true
}

// Unescaped yields a text, and then what is left of it each time one more layer of escapes is
// undone, with the count of layers: a secret percent-encoded three times inside a JSON string
// stands in some layer as it is.
func Unescaped(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for depth := 0; depth <= maxEscapes && s != ""; depth++ {
			if !yield(depth, s) {
				return
			}
			s = unescape(s, nil)
		}
	}
}

// Origins leads from the layers of a text, as unescaped yields them, back to the text.
type Origins struct {
	leaf.Unprinted
	text  string  // as it stands
	layer string  // the deepest layer whose offsets are known
	maps  [][]int // by depth
}

// NewOrigins returns the way back to a text. Offsets are computed when they are first asked for:
// after a find, and not on the way to it.
func NewOrigins(text string) *Origins { return &Origins{text: text, layer: text} }

// of returns the stretch of the text from which the bytes [from, to) of a layer came.
func (o *Origins) of(depth, from, to int) (int, int) {
	for len(o.maps) < depth {
		var m []int
		o.layer = unescape(o.layer, &m)
		o.maps = append(o.maps, m)
	}
	for i := depth - 1; i >= 0; i-- {
		from, to = o.maps[i][from], o.maps[i][to]
	}
	return from, to
}

// Replace returns the stretch of the text that the bytes [from, to) of a layer came from, and what
// takes their place, escaped as they were.
func (o *Origins) Replace(depth, from, to int, by string) (int, int, string) {
	first, second := o.of(depth, from, min(from+1, to))
	from, to = o.of(depth, from, to)
	by = escapeSpaces(by, o.text[from:to])
	if first > 0 && o.text[first-1]-'0' <= 9 {
		by = escapeFirstDigit(by, o.text[first:second], depth)
	}
	return from, to, by
}

// escapeSpaces writes a replacement as the text that it stands for was written: where that text was
// percent-encoded or had '+' for spaces, the separators in the replacement are escaped likewise.
func escapeSpaces(text, like string) string {
	if strings.IndexByte(like, '%') < 0 && strings.IndexByte(like, '+') < 0 {
		return text
	}
	space := "%20"
	if strings.IndexByte(like, '+') >= 0 {
		space = "+"
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			b.WriteString(space)
		case c < utf8.RuneSelf:
			b.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

// escapeFirstDigit writes the first digit of a replacement under the escape of the digit that it
// stands for, which is depth layers deep. Behind an escape that ends with a digit, a bare digit
// would read as one more digit of the number. The escapes of a digit end with that digit, but for
// entities, which have an end of their own.
func escapeFirstDigit(text, like string, depth int) string {
	if text == "" || text[0]-'0' > 9 || len(like) < len("%34") {
		return text
	}
	first := like[:len(like)-1] + text[:1]
	view := first
	for range depth {
		if next := unescape(view, nil); next != "" {
			view = next
		}
	}
	if view != text[:1] {
		return text
	}
	return first + text[1:]
}
