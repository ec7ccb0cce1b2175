package dates

import (
	"time"

	"github.com/paytape/paytape/internal/profile"
)

// Move returns the text of a date that an answer showed when it was recorded, as the answer shows
// it when it is served: moments keep their distance from the answer, calendar dates move by the
// days or months between the two in the zone of recorded. What is no date of the form stays.
func Move(f profile.Form, text string, recorded, served time.Time) string {
	served = served.In(recorded.Location())
	t, ok := Parse(f, text, recorded.Location())
	if !ok {
		return text
	}
	switch f {
	case profile.Day, profile.Compact:
		t = t.AddDate(0, 0, Days(recorded, served))
	case profile.Month:
		t = t.AddDate(0, Months(recorded, served), 0)
	case profile.Year:
		t = t.AddDate(served.Year()-recorded.Year(), 0, 0)
	case profile.MonthOfYear:
		// Without its year it cannot move.
	default:
		recorded, served = asFine(t, recorded, served)
		t = served.Add(t.Sub(recorded)).In(t.Location())
	}
	return Write(f, t, text)
}

// MoveTerm is Move for a moment that was reckoned: a distance of whole months stays one.
func MoveTerm(f profile.Form, text string, recorded, served time.Time) string {
	t, ok := Parse(f, text, recorded.Location())
	if !ok {
		return text
	}
	from, to := asFine(t, recorded, served)
	months, rest := Distance(from, t)
	if months == 0 || !Fine(f) {
		return Move(f, text, recorded, served)
	}
	return Write(f, addMonths(to.In(t.Location()), months).Add(rest), text)
}

// asFine returns two times in whole seconds, if a moment is told in these: or a second would begin before the
// exchange that it was.
func asFine(t, recorded, served time.Time) (time.Time, time.Time) {
	if t.Truncate(time.Second).Equal(t) {
		return recorded.Truncate(time.Second), served.Truncate(time.Second)
	}
	return recorded, served
}

// Distance returns how far a moment lies from another: in whole months and what is left where both have the
// same time of a day of the month, a few seconds more or less; else months is 0. The end of a shorter month is
// such a day, too: 31 January and 28 February are one month apart.
func Distance(from, to time.Time) (months int, rest time.Duration) {
	const few = 3 * time.Second
	from = from.In(to.Location())
	months = Months(from, to)
	if rest = to.Sub(addMonths(from, months)); rest.Abs() <= few {
		return months, rest
	}
	return 0, to.Sub(from)
}

// addMonths returns the same time of day months later, on the last day of a month that has no such day.
func addMonths(t time.Time, months int) time.Time {
	if months == 0 {
		return t
	}
	year, month, day := t.Date()
	last := time.Date(year, month+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return t.AddDate(0, months, min(day, last)-day)
}

// Days counts calendar days from a to b, both in one zone.
func Days(a, b time.Time) int {
	midnight := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(midnight(b).Sub(midnight(a)) / (24 * time.Hour))
}

// Months counts calendar months from a to b.
func Months(a, b time.Time) int {
	return (b.Year()-a.Year())*12 + int(b.Month()) - int(a.Month())
}

// Expiry reports whether a date of a form that a client makes is a card's expiry, or its year.
func Expiry(f profile.Form) bool { return f == profile.Month || f == profile.Year }

// Expired reports whether a card's expiry month, or year, is over at a time.
func Expired(f profile.Form, month string, at time.Time) bool {
	if f == profile.Year {
		month += "12"
	}
	t, ok := Parse(profile.Month, month, at.Location())
	return ok && Months(t, at) > 0
}

// Plausible reports whether a date can be one of the exchange at all: others, such as the
// beginning of the epoch or the year 9999, stand for no date and do not move.
func Plausible(date, exchange time.Time) bool {
	const years = 60
	of, now := date.Year(), exchange.Year()
	return of != 1970 && of > now-years && of < now+years
}

// Fine reports whether dates of a form tell a time of day.
func Fine(f profile.Form) bool { return !Calendar(f) && !Expiry(f) && f != profile.MonthOfYear }

// Calendar reports whether dates of a form are days.
func Calendar(f profile.Form) bool { return f == profile.Day || f == profile.Compact }
