package match

import (
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// answeredAt returns when a recorded exchange was answered: its own note, or the Date
// header of a tape that another program wrote, or the zero time.
func answeredAt(x *leaf.Exchange) time.Time {
	if !x.Meta.At.IsZero() {
		return x.Meta.At.Add(x.Duration)
	}
	t, err := time.Parse(time.RFC1123, x.Response.Headers.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// parseDate reads a date. Dates without a zone are in the given one.
func parseDate(f profile.Form, s string, zone *time.Location) (time.Time, bool) {
	switch f {
	case profile.EpochMS, profile.EpochS:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return time.Time{}, false
		}
		if f == profile.EpochS {
			n *= 1000
		}
		return time.UnixMilli(n).In(zone), true
	}
	t, err := time.ParseInLocation(layout(f, s), s, zone)
	return t, err == nil
}

// formatDate writes t the way like is written.
func formatDate(f profile.Form, t time.Time, like string) string {
	switch f {
	case profile.EpochMS:
		return strconv.FormatInt(t.UnixMilli(), 10)
	case profile.EpochS:
		return strconv.FormatInt(t.Unix(), 10)
	}
	return t.Format(layout(f, like))
}

// layout returns the layout of package time for a date written like s.
func layout(f profile.Form, s string) string {
	switch f {
	case profile.Day:
		return time.DateOnly
	case profile.Compact:
		return "20060102"
	case profile.Month:
		return "200601"
	case profile.Year:
		return "2006"
	case profile.MonthOfYear:
		return "01"
	case profile.Stamp:
		return "20060102150405"
	case profile.HTTPDate:
		return httpLayout(s)
	case profile.Java:
		return "Mon Jan 02 15:04:05 MST 2006"
	}
	return isoLayout(s)
}

// httpLayout follows s in its zone, a name or a distance.
func httpLayout(s string) string {
	if strings.ContainsAny(s, "+-") {
		return time.RFC1123Z
	}
	return time.RFC1123
}

// isoLayout follows s in its separator, its fraction and its zone.
func isoLayout(s string) string {
	const date, clock = "2006-01-02", "15:04:05"
	if len(s) < len(date)+1+len(clock) {
		return date + "T" + clock
	}
	l := date + s[len(date):len(date)+1] + clock
	rest := s[len(l):]
	if zone := strings.IndexAny(rest, "Z+-"); zone != 0 && strings.HasPrefix(rest, ".") {
		if zone < 0 {
			zone = len(rest)
		}
		l += "." + strings.Repeat("0", zone-1)
		rest = rest[zone:]
	}
	switch {
	case rest == "Z":
		return l + "Z07:00"
	case len(rest) == len("+0300"):
		return l + "-0700"
	case len(rest) == len("+03:00"):
		return l + "-07:00"
	}
	return l
}

// shift returns the text of a date born in an answer that was recorded at one time and is
// served at another: moments keep their distance from the answer, calendar dates move by
// the days or months between the two in the tape's zone.
func shift(v *variable, served time.Time) string {
	recorded := v.birth.answered
	served = served.In(recorded.Location())
	t, ok := parseDate(v.form, v.text, recorded.Location())
	if !ok {
		return v.text
	}
	switch v.form {
	case profile.Day, profile.Compact:
		t = t.AddDate(0, 0, days(recorded, served))
	case profile.Month:
		t = t.AddDate(0, months(recorded, served), 0)
	case profile.Year:
		t = t.AddDate(served.Year()-recorded.Year(), 0, 0)
	case profile.MonthOfYear:
		// Without its year it cannot move.
	default:
		if tells := t.Truncate(time.Second); tells.Equal(t) {
			// Or a second would begin before the exchange that it was.
			recorded, served = recorded.Truncate(time.Second), served.Truncate(time.Second)
		}
		t = served.Add(t.Sub(recorded)).In(t.Location())
	}
	return formatDate(v.form, t, v.text)
}

// days counts calendar days from a to b, both in one zone.
func days(a, b time.Time) int {
	midnight := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(midnight(b).Sub(midnight(a)) / (24 * time.Hour))
}

// months counts calendar months from a to b.
func months(a, b time.Time) int {
	return (b.Year()-a.Year())*12 + int(b.Month()) - int(a.Month())
}

// isExpiry reports whether a date that a client makes is a card's expiry, or its year.
func isExpiry(f profile.Form) bool { return f == profile.Month || f == profile.Year }

// expired reports whether a card's expiry month is over at a time, or its year.
func expired(f profile.Form, month string, at time.Time) bool {
	if f == profile.Year {
		month += "12"
	}
	t, ok := parseDate(profile.Month, month, at.Location())
	return ok && months(t, at) > 0
}

// plausible reports whether a date can be one of the exchange at all: others, such as the
// beginning of the epoch or the year 9999, stand for no date and do not move.
func plausible(date, exchange time.Time) bool {
	const years = 60
	return date.Year() != 1970 && date.Year() > exchange.Year()-years && date.Year() < exchange.Year()+years
}
