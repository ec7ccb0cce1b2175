package dates

import (
	"time"

	"github.com/paytape/paytape/internal/profile"
)

// Span is where a text tells a date.
type Span struct {
	From, To int // offsets of its bytes
	Form     profile.Form
}

// Find finds what may be dates inside a text: those of ISO 8601, of HTTP and of Java,
// and numbers as long as a compact date or a time since 1970.
func Find(s string) []Span {
	var spans []Span
	for i := 0; i < len(s); i++ {
		if i > 0 && wordByte(s[i-1]) {
			continue
		}
		if sp, ok := spanAt(s, i); ok {
			spans = append(spans, sp)
			i = sp.To - 1
		}
	}
	return spans
}

// Whole returns the form of a text that is a date and nothing else; false for any other text.
func Whole(s string) (profile.Form, bool) {
	spans := Find(s)
	if len(spans) != 1 || spans[0].From != 0 || spans[0].To != len(s) {
		return profile.NoForm, false
	}
	return spans[0].Form, true
}

func wordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// numberForms are the forms that are digits alone, by their length; NoForm where none has the length.
var numberForms = [...]profile.Form{
	8: profile.Compact, 10: profile.EpochS, 13: profile.EpochMS, 14: profile.Stamp,
}

func spanAt(s string, at int) (Span, bool) {
	digits := at
	for digits < len(s) && isDigit(s[digits]) {
		digits++
	}
	if end := at + len("20060102 15:04:05"); digits-at == len("20060102") && end <= len(s) &&
		s[digits] == ' ' && is(profile.Stamp, s[at:end]) {
		return Span{at, end, profile.Stamp}, true
	}
	if n := digits - at; n < len(numberForms) && numberForms[n] != profile.NoForm &&
		(digits == len(s) || !wordByte(s[digits])) {
		return Span{at, digits, numberForms[n]}, true
	}
	if digits-at == len("2006") {
		return isoSpan(s, at)
	}
	if digits == at {
		return namedSpan(s, at)
	}
	return Span{}, false
}

// isoSpan reads a day, and a time of day behind it.
func isoSpan(s string, at int) (Span, bool) {
	const seconds = len("2006-01-02T15:04:05")
	day := at + len(time.DateOnly)
	if day > len(s) || !is(profile.Day, s[at:day]) {
		return Span{}, false
	}
	if at+seconds > len(s) || !is(profile.ISO, s[at:at+seconds]) {
		return Span{at, day, profile.Day}, day == len(s) || !wordByte(s[day])
	}
	for end := min(len(s), at+seconds+len(".000000000+03:00")); end > at+seconds; end-- {
		if is(profile.ISO, s[at:end]) {
			return Span{at, end, profile.ISO}, true
		}
	}
	return Span{at, at + seconds, profile.ISO}, true
}

// namedSpan reads a date that begins with the name of a day, as HTTP and Java write it. The
// name of a zone has three to five letters.
func namedSpan(s string, at int) (Span, bool) {
	const weekday = 3
	if at+weekday >= len(s) || s[at] < 'A' || s[at] > 'Z' {
		return Span{}, false
	}
	f, shortest := profile.Java, len("Mon Jan 02 15:04:05 MST 2006")
	if s[at+weekday] == ',' {
		f, shortest = profile.HTTPDate, len(time.RFC1123)
	}
	for end := at + shortest; end <= min(len(s), at+shortest+2); end++ {
		if is(f, s[at:end]) {
			return Span{at, end, f}, true
		}
	}
	return Span{}, false
}

func is(f profile.Form, s string) bool {
	_, ok := Parse(f, s, time.UTC)
	return ok
}
