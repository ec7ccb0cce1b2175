package redact

import (
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/pan"
)

// surrogate returns what stands for the n-th card number of a tape: its first six and last
// four digits, and between them n and a digit that sets the Luhn residue. It returns false
// where n has no room.
func surrogate(digits string, n int) (string, bool) {
	room := pan.Hidden(len(digits)) - 1 // the last hidden digit sets the residue
	ordinal := strconv.Itoa(n)
	if room < 1 || len(digits) > pan.MaxLength || len(ordinal) > room {
		return "", false
	}
	ordinal = strings.Repeat("0", room-len(ordinal)) + ordinal
	tail := len(digits) - pan.KeptLast
	out := digits[:pan.KeptFirst] + ordinal + "0" + digits[tail:]
	residue := pan.Surrogate
	if pan.Residue(digits) != pan.Valid {
		residue = pan.Broken
	}
	return pan.WithResidue(out, tail-1, residue), true
}

// ordinal returns the n of a surrogate, 0 if digits have no room for one.
func ordinal(digits string) int {
	if pan.Hidden(len(digits)) < 2 || len(digits) > pan.MaxLength {
		return 0
	}
	n, err := strconv.Atoi(digits[pan.KeptFirst : len(digits)-pan.KeptLast-1])
	if err != nil {
		return 0
	}
	return n
}

// surrogateShape reports whether digits can be a surrogate by their arithmetic. One real
// number in ten that fails Luhn can too, so this is asked only of files of ours.
func surrogateShape(digits string) bool {
	if pan.Hidden(len(digits)) < 2 || len(digits) > pan.MaxLength {
		return false
	}
	r := pan.Residue(digits)
	return r == pan.Surrogate || r == pan.Broken
}

// template reports whether digits are the prefix and ten zeros that createVirtualCard takes
// in place of a card number (document 1, Cards).
func template(digits string) bool {
	return len(digits) >= pan.MinLength && strings.HasSuffix(digits, "0000000000")
}

// number is the text of a field that is meant to hold a card number.
type number struct {
	digits string // ASCII; empty if the text is no number
	keep   bool   // the text says nothing that must not be stored
}

// Digits that a mask may show: six to ten and four (domain facts, Order status).
const (
	maskFirst = 10
	maskLast  = 4
)

// readNumber tells what stands in a field for card numbers.
func readNumber(text string) number {
	bare := ungrouped(text)
	if bare == "" || mask(bare) || asciiDigits(bare) == "" {
		return number{keep: true}
	}
	if !numeric(bare) {
		return number{}
	}
	return number{digits: bare, keep: template(bare)}
}

// ungrouped returns text without separators, its digits in ASCII.
func ungrouped(text string) string {
	if numeric(text) {
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

// mask reports whether text is a masked number that shows no more than a mask may.
func mask(text string) bool {
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
