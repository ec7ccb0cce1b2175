package infer

import (
	"strconv"
	"strings"
	"time"

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

// isMixed reports whether in a long text small letters, capitals and digits take turns as they do among
// random characters: at two of three places, and in names of several words at one of four.
func isMixed(text string) bool {
	const long = 16
	if len(text) < long {
		return false
	}
	turns := 0
	for i := 1; i < len(text); i++ {
		if kindOf(text[i]) != kindOf(text[i-1]) {
			turns++
		}
	}
	return 20*turns >= 9*len(text)
}

// kindOf tells small letters, capitals and digits apart, and all of them from the rest.
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
