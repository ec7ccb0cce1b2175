package wire

import "time"

// The forms of times and days in the APIs, as package time writes them.
const (
	DayForm   = "2006-01-02"
	MonthForm = "200601" // expiry dates everywhere: YYYYMM
	ZonedForm = "2006-01-02T15:04:05-07:00"
	LocalForm = "2006-01-02T15:04:05"
)

// IsTime tells whether s is a time in the given form and nothing looser.
func IsTime(form, s string) bool {
	t, err := time.Parse(form, s)
	return err == nil && t.Format(form) == s
}

// IsMoment tells whether s is empty, a day or a time: what document 1 calls a DateTime. A
// time may lack its zone.
func IsMoment(s string) bool {
	return s == "" || IsTime(DayForm, s) || IsTime(LocalForm, s) || IsTime(ZonedForm, s)
}

// DayOf is the day of a moment that is not empty, in the zone it was written in.
func DayOf(moment string) string {
	return moment[:len(DayForm)]
}

// IsOver tells whether a card with this expiry (YYYYMM) can no longer be used: it is good
// to the end of its month.
func IsOver(expiry string, now time.Time) bool {
	return expiry < now.Format(MonthForm)
}

// DayRange is a period of whole days, YYYY-MM-DD, both inclusive; an empty end is open.
type DayRange struct{ Start, End string }

// OK tells whether both ends are days or open and the start is not after the end.
func (d DayRange) OK() bool {
	for _, day := range []string{d.Start, d.End} {
		if day != "" && !IsTime(DayForm, day) {
			return false
		}
	}
	return d.Start == "" || d.End == "" || d.Start <= d.End
}

// Contains tells whether a time falls on a day of the range, in the zone of the time.
func (d DayRange) Contains(at time.Time) bool {
	day := at.Format(DayForm)
	return day >= d.Start && (d.End == "" || day <= d.End)
}
