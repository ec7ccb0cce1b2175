package wire

import "time"

// The forms of times and days in the APIs, as package time writes them.
const (
	DayForm   = "2006-01-02"
	MonthForm = "200601" // expiry dates everywhere: YYYYMM
	LocalForm = "2006-01-02T15:04:05"
)

// IsTime tells whether s is a time in the given form and nothing looser.
func IsTime(form, s string) bool {
	t, err := time.Parse(form, s)
	return err == nil && t.Format(form) == s
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
