package scan

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
)

// Number is the text of a field that is meant to hold a card number.
type Number struct {
	leaf.Unprinted
	Digits   string // ASCII; empty if the text is no number
	Harmless bool   // the text says nothing that must not be stored
}

// Digits that a mask may show: six to ten and four (domain facts, Order status).
const (
	maskFirst = 10
	maskLast  = 4
)

// ReadNumber tells what stands in a field for card numbers.
func ReadNumber(text string) Number {
	bare := withoutSeparators(text)
	if bare != "" && IsNumeric(bare) {
		return Number{Digits: bare, Harmless: pan.IsTemplate(bare)}
	}
	if bare == "" || isMask(bare) || Digits(bare) == "" {
		return Number{Harmless: true}
	}
	return Number{}
}

// withoutSeparators returns text without separators, its digits in ASCII.
func withoutSeparators(text string) string {
	if IsNumeric(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if d, n := digitAt(text, i); n > 0 {
			b.WriteByte('0' + d)
			i += n
			continue
		}
		if n := max(looseSeparatorAt(text, i), gapAt(text, i, dotted)); n > 0 {
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// IsMask reports whether a text is the mask of a card number, of which it shows some digits and no more
// than a mask may.
func IsMask(text string) bool {
	bare := withoutSeparators(text)
	return Digits(bare) != "" && !IsNumeric(bare) && isMask(bare)
}

// isMask reports whether text is a masked number that shows no more than a mask may.
func isMask(text string) bool {
	hidden := func(r rune) bool { return strings.ContainsRune("*Xx•·", r) }
	if strings.TrimFunc(text, hidden) == "" {
		return true
	}
	head := strings.IndexFunc(text, hidden)
	if head < 0 {
		return false
	}
	tail := strings.TrimLeftFunc(text[head:], hidden)
	stars := len(text) - head - len(tail)
	digits := strings.Trim(text[:head]+tail, "0123456789") == ""
	return digits && head <= maskFirst && len(tail) <= maskLast && stars >= 2
}
