package scan

import (
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/pan"
)

// firstDigitLead is the first byte of the lowest digit outside ASCII, U+0660.
const firstDigitLead = 0xD9

// digitAt returns the value and the size of the decimal digit at s[i:]; the size is 0 if
// there is none.
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
	if d, is := pan.Digit(r); is {
		return byte(d), n
	}
	if r == utf8.RuneError {
		return 0, 0
	}
	return enclosedDigit(r, n)
}

// enclosed are the digits in circles, parentheses and the like, and those below the line: stretches of
// characters of which the first has a value.
var enclosed = []struct {
	first, last rune
	value       byte
}{
	{0x2080, 0x2089, 0}, {0x2460, 0x2468, 1}, {0x2474, 0x247c, 1}, {0x2488, 0x2490, 1},
	{0x24ea, 0x24ea, 0}, {0x24f5, 0x24fd, 1}, {0x24ff, 0x24ff, 0}, {0x2776, 0x277e, 1},
	{0x2780, 0x2788, 1}, {0x278a, 0x2792, 1},
}

// enclosedDigit is digitAt for a character of n bytes that is no decimal digit.
func enclosedDigit(r rune, n int) (byte, int) {
	if r < enclosed[0].first || r > enclosed[len(enclosed)-1].last {
		return 0, 0
	}
	for _, e := range enclosed {
		if r >= e.first && r <= e.last {
			return e.value + byte(r-e.first), n
		}
	}
	return 0, 0
}

// enoughDigits reports whether s may hold a number at all: most texts are turned away by it.
func enoughDigits(s string) bool {
	n := 0
	for i := range len(s) {
		if c := s[i]; c-'0' <= 9 || c >= firstDigitLead {
			if n++; n == MinDigits {
				return true
			}
		}
	}
	return false
}

// IsNumeric reports whether s is of ASCII digits alone.
func IsNumeric(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// spacing says what may stand between the groups of a number.
type spacing uint8

const (
	tight  spacing = iota // one space or hyphen
	dotted                // one dot
	loose                 // up to maxGap of all that people put there
)

// maxGap is how many characters may stand between two groups: " - ", or the end of a line.
const maxGap = 3

// gapAt returns the size of what separates two groups at s[i:], 0 if nothing does.
func gapAt(s string, i int, between spacing) int {
	switch between {
	case tight:
		return separatorAt(s, i)
	case dotted:
		if i < len(s) && s[i] == '.' {
			return 1
		}
		return 0
	}
	end := i
	for range maxGap {
		n := looseSeparatorAt(s, end)
		if n == 0 {
			break
		}
		end += n
	}
	return end - i
}

// looseSeparatorAt is separatorAt for what rarely separates the groups of a number, too.
func looseSeparatorAt(s string, i int) int {
	if i < len(s) && strings.IndexByte("\t\r\n/_", s[i]) >= 0 {
		return 1
	}
	return separatorAt(s, i)
}

// noBreak is how HTML writes the space that does not break.
const noBreak = "&nbsp;"

// separatorAt returns the size of the separator at s[i:], 0 if there is none.
func separatorAt(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	switch c := s[i]; {
	case c == ' ', c == '-':
		return 1
	case c == '&' && strings.HasPrefix(s[i:], noBreak):
		return len(noBreak)
	case c < utf8.RuneSelf:
		return 0
	}
	switch r, n := utf8.DecodeRuneInString(s[i:]); r {
	case '\u00a0', '\u2007', '\u2009', '\u202f': // spaces that do not break
		return n
	case '\u00ad', '\u200b', '\u2060': // places to break a line, or not to: nobody sees them
		return n
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2212': // hyphens and dashes
		return n
	}
	return 0
}

// Digits returns the decimal digits of any script in s.
func Digits(s string) string {
	if IsNumeric(s) {
		return s
	}
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

// Regroup writes digits in the places of the digits of like, in ASCII.
func Regroup(digits, like string) string {
	if len(digits) == len(like) && IsNumeric(like) {
		return digits // as nearly always
	}
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
