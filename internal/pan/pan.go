// Package pan knows the arithmetic of card numbers (PANs): Luhn sums, issuer prefixes and
// lengths, masks, and the form in which a number stands on a tape.
//
// Cleaning makes such forms and matching turns them back into numbers that a client accepts,
// and the two know nothing else of each other; what both must agree on is here.
//
// On tape a number keeps its first six and last four digits. The digits between hold an
// ordinal, and the last of them is chosen so that the Luhn sum leaves a residue that no real
// number has: Surrogate for a number that passed Luhn when it was recorded, Broken for one
// that did not. So a surrogate fails every card scanner, recognises itself, and agrees with
// every mask printed beside the number it stands for. A surrogate of 17 to 19 digits fails in every
// stretch of it that is as long as a card number, too.
package pan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Residues of the Luhn sum, modulo 10.
const (
	Valid     = 0 // a number that passes
	Surrogate = 5 // stands for a number that passed
	Broken    = 3 // stands for a number that did not
	// LongSurrogate and LongBroken say the same of a number of 17 to 19 digits. Where all digits
	// that a surrogate hides lie in a shorter stretch, the residue of the whole number decides the
	// residue of the stretch, whatever the ordinal is: one of the two residues lets the stretch fail.
	LongSurrogate = 7
	LongBroken    = 1
)

// MaxGrouped is the length of the longest number that cannot be read as a shorter number and more
// digits: printed in groups, a longer number begins with 16 digits in four groups.
const MaxGrouped = 16

// StandsFor tells by its residue what digits stand for on a tape: a number that passed Luhn, or a
// number that did not. It returns false for digits that are no surrogate.
func StandsFor(digits string) (residue int, ok bool) {
	long := len(digits) > MaxGrouped
	switch r := Residue(digits); {
	case r == Surrogate, long && r == LongSurrogate:
		return Surrogate, true
	case r == Broken, long && r == LongBroken:
		return Broken, true
	}
	return 0, false
}

// HoldsCard reports whether a stretch of 13 digits or more that is not all of the digits would pass
// for a card number.
func HoldsCard(digits string) bool {
	for n := MinLength; n < len(digits); n++ {
		for at := 0; at+n <= len(digits); at++ {
			if IsCard(digits[at : at+n]) {
				return true
			}
		}
	}
	return false
}

// Shortest and longest PAN (ISO/IEC 7812-1). Twelve digits are legal for Maestro but are
// the length of an rrn, so a number of twelve digits is a card only where a field says so.
const (
	MinLength = 13
	MaxLength = 19
)

// Kept digits of a surrogate: the issuer's and the last.
const (
	KeptFirst = 6
	KeptLast  = 4
)

// Digits returns the decimal digits of s and nothing else.
func Digits(s string) string {
	if isDigits(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// Digit returns the value of a decimal digit of any script, and whether it is one.
func Digit(c rune) (int, bool) {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0'), true
	case c < utf8.RuneSelf || !unicode.IsDigit(c):
		return 0, false
	}
	for _, r := range unicode.Nd.R16 { // digits of a script stand together in tens, zero first
		if c >= rune(r.Lo) && c <= rune(r.Hi) {
			return int(c-rune(r.Lo)) % 10, true
		}
	}
	for _, r := range unicode.Nd.R32 {
		if c >= rune(r.Lo) && c <= rune(r.Hi) {
			return int(c-rune(r.Lo)) % 10, true
		}
	}
	return 0, false
}

// Residue returns the Luhn sum of a string of digits, modulo 10.
func Residue(digits string) int { return residue(digits) }

func residue[T string | []byte](digits T) int {
	sum := 0
	for i := range len(digits) {
		sum += contribution(int(digits[len(digits)-1-i]-'0'), i)
	}
	return sum % 10
}

// contribution returns what a digit adds to the Luhn sum, the i-th from the right.
func contribution(d, i int) int {
	if i%2 == 0 {
		return d
	}
	if d *= 2; d > 9 {
		d -= 9
	}
	return d
}

// WithResidue returns digits with the digit at index at chosen so that the Luhn sum has the
// residue. Every residue can be reached from every place.
func WithResidue(digits string, at, want int) string {
	b := []byte(digits)
	b[at] = '0'
	without := residue(b)
	for d := range 10 {
		if (without+contribution(d, len(b)-1-at))%10 == want {
			b[at] = byte('0' + d)
		}
	}
	return string(b)
}

// Hidden returns how many digits of a number of n digits a surrogate hides.
func Hidden(n int) int { return max(0, n-KeptFirst-KeptLast) }

// Regroup writes digits into the places of the digits of like: "4111 1111" keeps its space.
func Regroup(digits, like string) string {
	b := []byte(like)
	n := 0
	for i, c := range b {
		if c >= '0' && c <= '9' && n < len(digits) {
			b[i] = digits[n]
			n++
		}
	}
	return string(b)
}

// Mask returns number written in the form of a mask: the digits that the mask shows at its
// beginning and its end are the number's, everything between is the mask's own. It returns
// false where like is no mask: one run of '*', 'X', 'x' or a bullet, with digits around it.
func Mask(number, like string) (string, bool) {
	head, tail, ok := cutMask(like)
	if !ok || len(head) > len(number) || len(tail) > len(number) {
		return "", false
	}
	hidden := like[len(head) : len(like)-len(tail)]
	return number[:len(head)] + hidden + number[len(number)-len(tail):], true
}

// Masks reports whether mask is a mask of number.
func Masks(mask, number string) bool {
	got, ok := Mask(number, mask)
	return ok && got == mask
}

// IsMask reports whether s has the form of a mask.
func IsMask(s string) bool {
	_, _, ok := cutMask(s)
	return ok
}

// Ends returns the first six and the last four digits of a number or a mask, as
// "411111*1111": what all masks of a number that show so much have in common. It returns
// false for one that shows less.
func Ends(s string) (string, bool) {
	head, tail, masked := cutMask(s)
	if !masked {
		head, tail = s, s
	}
	if len(head) < KeptFirst || len(tail) < KeptLast || !isDigits(head) || !isDigits(tail) {
		return "", false
	}
	return head[:KeptFirst] + "*" + tail[len(tail)-KeptLast:], true
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// cutMask returns the digits before and after the hidden part of a mask.
func cutMask(s string) (head, tail string, ok bool) {
	first := strings.IndexFunc(s, isMaskRune)
	if first < 0 {
		return "", "", false
	}
	rest := strings.TrimLeftFunc(s[first:], func(r rune) bool { return isMaskRune(r) || r == ' ' })
	head, tail = s[:first], rest
	return head, tail, isDigits(head) && isDigits(tail) && len(head)+len(tail) > 0
}

func isMaskRune(r rune) bool {
	switch r {
	case '*', 'X', 'x', '•', '·':
		return true
	}
	return false
}
