package redact

import (
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
)

// maxViews is how many layers of escapes are looked through: a secret percent-encoded three
// times inside a JSON string is still seen.
const maxViews = 4

// unwrap undoes one layer of the escapes that text is carried in: percent-encoding with '+'
// for a space, the escapes of JSON strings, and numeric entities. It undoes them all at once
// and leniently, because the question is only what some reader could make of the text. The
// result is empty if there is nothing to undo.
//
// If offsets is not nil, it receives for every byte of the result, and its end, where in s
// it came from.
func unwrap(s string, offsets *[]int) string {
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
		case '%', '\\', '+', '&':
			b, n = unwrapOne(b, s[i:])
			changed = changed || n > 1 || s[i] == '+'
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

// unwrapOne appends what the escape at the start of s stands for, and returns its length:
// 1 if there is none.
func unwrapOne(b []byte, s string) ([]byte, int) {
	switch {
	case s[0] == '+':
		return append(b, ' '), 1
	case s[0] == '%':
		if v, ok := hexNumber(s, 1, 2); ok {
			return append(b, byte(v)), 3
		}
	case s[0] == '&':
		if r, n := entity(s); n > 0 {
			return utf8.AppendRune(b, r), n
		}
	case len(s) > 1:
		return unescape(b, s)
	}
	return append(b, s[0]), 1
}

// unescape undoes a backslash escape of JSON, or \xHH as Go and others quote bytes.
func unescape(b []byte, s string) ([]byte, int) {
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

// origins leads from the views of a text back to it.
type origins struct {
	text string  // the deepest view whose offsets are known; the text itself at first
	maps [][]int // by depth
}

// of returns the stretch of the text from which the bytes [from, to) of its view came, depth
// layers down. Offsets are computed here, after a find, and not on the way to one.
func (o *origins) of(depth, from, to int) (int, int) {
	for len(o.maps) < depth {
		var m []int
		o.text = unwrap(o.text, &m)
		o.maps = append(o.maps, m)
	}
	for i := depth - 1; i >= 0; i-- {
		from, to = o.maps[i][from], o.maps[i][to]
	}
	return from, to
}
