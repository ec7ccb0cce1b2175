package filter

import (
	"strings"

	"github.com/paytape/paytape/internal/pan"
)

// Masked returns a text in which every full card number is its mask: the first six digits and the
// last four remain. A number may be printed in groups, between which is a space or a dash; its mask
// has none.
func Masked(text string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		end, digits := digitsAt(text, i)
		if end == i {
			i++
			continue
		}
		if isCard(digits) {
			b.WriteString(text[done:i])
			b.WriteString(masked(digits))
			done = end
		}
		i = end
	}
	return b.String() + text[done:]
}

// digitsAt returns the digits that begin at a place of a text, and where they end. One space or
// dash may stand between two of them. Digits of other scripts count: a person who pastes them
// pastes a card number all the same.
func digitsAt(text string, at int) (end int, digits string) {
	var b []byte
	end = at
	gap := false // a space or a dash was read since the last digit
	for i, r := range text[at:] {
		switch d, ok := pan.Digit(r); {
		case ok:
			b = append(b, byte('0'+d))
			end, gap = at+i+len(string(r)), false
		case (r == ' ' || r == '-') && !gap && len(b) > 0:
			gap = true
		default:
			return end, string(b)
		}
	}
	return end, string(b)
}

// isCard reports whether digits are a card number, or hold one, or stand for one on a tape.
func isCard(digits string) bool {
	for at := 0; at+pan.MinLength <= len(digits); at++ {
		for n := pan.MinLength; n <= min(pan.MaxLength, len(digits)-at); n++ {
			if pan.IsCard(digits[at : at+n]) {
				return true
			}
		}
	}
	_, stands := pan.StandsFor(digits)
	return stands && pan.Issued(digits)
}

// masked returns the mask of a number that has as many digits as a mask shows, or more.
func masked(digits string) string {
	hidden := pan.Hidden(len(digits))
	return digits[:pan.KeptFirst] + strings.Repeat("*", hidden) + digits[len(digits)-pan.KeptLast:]
}

// maskedCard returns the value of a key that means a card. Every number that is long enough to be a
// card's is masked there, whatever its last digit is.
func maskedCard(value string) string {
	end, digits := digitsAt(value, 0)
	if end == len(value) && len(digits) >= pan.MinLength {
		return masked(digits)
	}
	return value
}
