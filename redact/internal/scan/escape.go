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

// Origins leads from the layers of a text, as Unescaped yields them, back to the text.
type Origins struct {
	leaf.Unprinted
	text   string   // as it stands
	layers []string // the text, and the layers below it as far as they are known
	maps   [][]int  // for every byte of a layer below, and its end, where it is in the layer above
}

// NewOrigins returns the way back to a text. Offsets are computed when they are first asked for:
// after a find, and not on the way to it.
func NewOrigins(text string) *Origins { return &Origins{text: text} }

// Of returns the stretch of the text from which the bytes [from, to) of a layer came.
func (o *Origins) Of(depth, from, to int) (int, int) {
	if o.layers == nil {
		o.layers = []string{o.text}
	}
	for len(o.maps) < depth {
		var m []int
		o.layers = append(o.layers, unescape(o.layers[len(o.maps)], &m))
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
	from, to = o.Of(depth, from, to)
	return from, to, escapeSpaces(by, o.text[from:to])
}

// ReplaceDigits is Replace for other digits in the places of the digits [from, to) of a layer. Each
// digit is written under the escapes of the digit in its place: "%34%31" becomes "%34%30". So no
// layer above has a digit more or less than before beside any other. A bare digit would join the
// digits of the escape in front of it, and the two might be read as one number.
func (o *Origins) ReplaceDigits(depth, from, to int, by string) (int, int, string) {
	if len(by) != to-from { // the digits that were there are not of ASCII
		return o.Replace(depth, from, to, by)
	}
	first, end := o.Of(depth, from, to)
	out := []byte(o.text[first:end])
	for i := range len(by) {
		if by[i] != o.layers[depth][from+i] {
			o.setDigit(out, first, depth, from+i, by[i]-'0')
		}
	}
	return first, end, string(out)
}

// setDigit writes a digit in the place of the digit of a layer that is at an offset. It changes out,
// which is the text from an offset on.
func (o *Origins) setDigit(out []byte, first, depth, at int, digit byte) {
	if depth == 0 {
		out[at-first] = '0' + digit
		return
	}
	depth--
	from, to := o.maps[depth][at], o.maps[depth][at+1]
	switch escape := o.layers[depth][from:to]; {
	case escape[0] != '&': // 4, %34 and \u0034 end with the digit
		o.setDigit(out, first, depth, to-1, digit)
	case escape[2]|0x20 == 'x': // &#x34;
		o.setDigit(out, first, depth, to-2, digit)
	default: // &#52;
		code := '0' + digit
		o.setDigit(out, first, depth, to-3, code/10)
		o.setDigit(out, first, depth, to-2, code%10)
	}
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
