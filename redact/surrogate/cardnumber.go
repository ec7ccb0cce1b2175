package surrogate

import (
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// CardNumber returns what stands for the n-th card number of a tape: its first six and last
// four digits, and between them n and a digit that sets the Luhn residue. It returns false
// where n has no room, and then the marker of the number.
func CardNumber(digits string, n int) (Value, bool) {
	room := pan.Hidden(len(digits)) - 1 // the last hidden digit sets the residue
	ordinal := strconv.Itoa(n)
	if room < 1 || len(digits) > pan.MaxLength || len(ordinal) > room {
		return Numbered(profile.PAN, n), false
	}
	tail := len(digits) - pan.KeptLast
	out := digits[:pan.KeptFirst] + strings.Repeat("0", room-len(ordinal)) + ordinal + "0" + digits[tail:]
	residues := [...]int{pan.Surrogate, pan.LongSurrogate}
	if pan.Residue(digits) != pan.Valid {
		residues = [...]int{pan.Broken, pan.LongBroken}
	}
	text := pan.WithResidue(out, tail-1, residues[0])
	if HoldsCard(text) {
		text = pan.WithResidue(out, tail-1, residues[1])
	}
	return Value{Text: text, Note: Note(profile.PAN, n)}, true
}

// HoldsCard reports whether a surrogate could be read as a shorter card number and more digits. Such
// a surrogate is not given out where another ordinal makes a better surrogate.
func HoldsCard(text string) bool {
	return len(text) > pan.MaxGrouped && pan.HoldsCard(text)
}

// Ordinal returns the n of a surrogate, 0 if digits have no room for an ordinal.
func Ordinal(digits string) int {
	if pan.Hidden(len(digits)) < 2 || len(digits) > pan.MaxLength {
		return 0
	}
	n, err := strconv.Atoi(digits[pan.KeptFirst : len(digits)-pan.KeptLast-1])
	if err != nil {
		return 0
	}
	return n
}

// IsCardNumber reports whether digits can be a surrogate by their arithmetic. One real
// number in ten that fails Luhn can too, so this is asked only of files of ours.
func IsCardNumber(digits string) bool {
	if pan.Hidden(len(digits)) < 2 || len(digits) > pan.MaxLength {
		return false
	}
	_, ok := pan.StandsFor(digits)
	return ok
}

// IsCard reports whether a whole value is a card number as cleaning leaves it, in groups or not: its
// prefix and its length are an issuer's. As with IsCardNumber, only files of ours are asked so.
func IsCard(text string) bool {
	if len(text) < pan.MinLength || strings.Trim(text, "0123456789 -") != "" {
		return false
	}
	digits := pan.Digits(text)
	return pan.Issued(digits) && IsCardNumber(digits)
}
