package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/pan"
)

// firstDigitLead is the first byte of the lowest digit outside ASCII, U+0660.
const firstDigitLead = 0xD9

// digitAt returns the value and the size of the decimal digit at s[i:]; the size is 0 if
// there is none. Digits of a script stand together in tens, zero first.
func digitAt(s string, i int) (byte, int) {
	if i >= len(s) {
		return 0, 0
	}
	c := s[i]
	if c < utf8.RuneSelf {
		if c >= '0' && c <= '9' {
			return c - '0', 1
		}
		return 0, 0
	}
	if c < firstDigitLead {
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError || !unicode.IsDigit(r) {
		return 0, 0
	}
	for _, t := range unicode.Nd.R16 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10), n
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10), n
		}
	}
	return 0, 0
}

// separatorAt returns the size of the separator at s[i:], 0 if there is none.
func separatorAt(s string, i int, dots bool) int {
	if i >= len(s) {
		return 0
	}
	switch c := s[i]; {
	case c == ' ', c == '-', c == '.' && dots:
		return 1
	case c < utf8.RuneSelf:
		return 0
	}
	switch r, n := utf8.DecodeRuneInString(s[i:]); r {
	case '\u00a0', '\u2007', '\u2009', '\u202f': // spaces that do not break
		return n
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2212': // hyphens and dashes
		return n
	}
	return 0
}

// asciiDigits returns the decimal digits of any script in s.
func asciiDigits(s string) string {
	b := make([]byte, 0, pan.MaxLength)
	for i := 0; i < len(s); {
		d, n := digitAt(s, i)
		if n == 0 {
			i++
			continue
		}
		b, i = append(b, '0'+d), i+n
	}
	return string(b)
}

// regroup writes digits in the places of the digits of like, in ASCII.
func regroup(digits, like string) string {
	var b strings.Builder
	for i := 0; i < len(like); {
		if _, n := digitAt(like, i); n > 0 && digits != "" {
			b.WriteByte(digits[0])
			digits, i = digits[1:], i+n
			continue
		}
		b.WriteByte(like[i])
		i++
	}
	return b.String()
}
