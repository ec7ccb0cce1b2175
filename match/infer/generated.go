package infer

import (
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// bornLength is the length of a value that is taken for an id though no name says so.
const bornLength = 10

// LooksGenerated reports whether a text looks made by a machine rather than named by people: it
// has several digits beside a year, or letters and digits take turns, or it is long and small letters,
// capitals and digits take turns all the time. "PRODUCT-GOLD-2024-EUR" is a name. A round number is an
// amount.
func LooksGenerated(text string) bool {
	const enoughDigits, enoughTurns = 5, 3
	if strings.HasPrefix(text, surrogate.Withheld) || strings.HasSuffix(text, "000") && request.IsDigits(text) {
		return false
	}
	digits, turns := 0, 0
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '-' || r == '_' }) {
		if isYear(part) {
			continue
		}
		for i := range len(part) {
			if request.IsDigit(part[i]) {
				digits++
			}
			if i > 0 && request.IsDigit(part[i]) != request.IsDigit(part[i-1]) {
				turns++
			}
		}
	}
	return digits >= enoughDigits || turns >= enoughTurns || isMixed(text)
}

// isMixed reports whether a long text falls into words as random letters and digits do: a word, as in
// "PaymentMethodId1", has two and a half characters or less. Names in small letters or capitals alone do not.
func isMixed(text string) bool {
	const long = 20
	if len(text) < long || !fresh.InBothCases(text) {
		return false
	}
	words, capitals := 0, 0 // capitals that stand in a row before text[i]
	before := byte(0)
	for i := range len(text) {
		kind := kindOf(text[i])
		oneCapital := before == 'A' && kind == 'a' && capitals == 1 // its word has begun
		if kind != before && kind != 0 && !oneCapital {
			words++
		}
		if capitals++; kind != 'A' {
			capitals = 0
		}
		before = kind
	}
	return 5*words >= 2*len(text)
}

// kindOf tells small letters, capitals and digits apart, and all of them from the rest, 0.
func kindOf(c byte) byte {
	switch {
	case request.IsDigit(c):
		return '0'
	case 'a' <= c && c <= 'z':
		return 'a'
	case 'A' <= c && c <= 'Z':
		return 'A'
	}
	return 0
}

func isYear(s string) bool {
	return len(s) == 4 && (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20")) && request.IsDigits(s)
}

// TellsTime reports whether a text tells a time rather than a name.
func TellsTime(text string, at time.Time) bool { return dateLike(text) || epochLike(text, at) }

// dateLike reports whether a text begins with a calendar date.
func dateLike(s string) bool {
	for _, layout := range []string{time.DateOnly, "20060102"} {
		if len(s) < len(layout) {
			continue
		}
		t, err := time.Parse(layout, s[:len(layout)])
		if err == nil && t.Year() > 1900 && t.Year() < 2100 {
			return true
		}
	}
	return false
}

// epochLike reports whether a number may be the time of something not far from an exchange,
// in seconds or milliseconds. Where the time of the exchange is not known, it may be of any
// year in which people record.
func epochLike(text string, at time.Time) bool {
	const near = 5 * 366 * 24 * time.Hour
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(text) != len("1774953000") && len(text) != len("1774953000000") {
		return false
	}
	t := time.UnixMilli(n)
	if len(text) == len("1774953000") {
		t = time.Unix(n, 0)
	}
	if at.IsZero() {
		return t.Year() >= 2010 && t.Year() < 2050
	}
	return t.Sub(at).Abs() < near
}
