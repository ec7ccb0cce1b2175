package scan

import (
	"strings"
	"unicode/utf8"
)

// Look tells which kinds of characters a text has. Each rule looks for something that has characters of
// a kind: a card number has digits, what is given to a name stands behind a sign. So one look over a text
// tells which rules have to search the text, and most texts of most messages need hardly any.
type Look struct {
	kinds  kind
	digits int // ASCII digits, and bytes that may begin a digit of another script
}

// kind is a set of kinds of characters.
type kind uint8

const (
	escapeSign kind = 1 << iota // what an escape begins with, or '+'
	givingSign                  // what stands between a name and a value
	tagSign
	control // no character of a text
	high    // outside ASCII
	digit
)

// kindsOf has the kinds of every byte.
var kindsOf = func() (kinds [256]kind) {
	for i := range kinds {
		c := byte(i)
		switch {
		case c >= firstDigitLead:
			kinds[i] = high | digit
		case c >= utf8.RuneSelf:
			kinds[i] = high
		case c-'0' <= 9:
			kinds[i] = digit
		case c < ' ' && !isPlainText(c):
			kinds[i] = control
		case strings.IndexByte(`%\+&`, c) >= 0:
			kinds[i] = escapeSign
		case strings.IndexByte("=:>", c) >= 0:
			kinds[i] = givingSign
		case strings.IndexByte("<]", c) >= 0:
			kinds[i] = tagSign
		}
	}
	return kinds
}()

// LookAt looks at a text.
func LookAt(s string) Look {
	var l Look
	for i := range len(s) {
		k := kindsOf[s[i]]
		l.kinds |= k
		l.digits += int(k / digit)
	}
	return l
}

// MayEscape reports whether the text may have layers of escapes.
func (l Look) MayEscape() bool { return l.kinds&escapeSign != 0 }

// MayNumber reports whether the text may hold a number of card length.
func (l Look) MayNumber() bool { return l.digits >= MinDigits }

// MaySplit reports whether tags may split a number of the text.
func (l Look) MaySplit() bool { return l.digits >= MinDigits && l.kinds&tagSign != 0 }

// MayMention reports whether a value may stand beside a name in the text: behind a sign, or as digits.
func (l Look) MayMention() bool { return l.kinds&givingSign != 0 || l.digits > 0 }

// mayBeBinary reports whether the text, of which this is the look, may have bytes of no text.
func (l Look) mayBeBinary() bool { return l.kinds&(control|high) != 0 }
