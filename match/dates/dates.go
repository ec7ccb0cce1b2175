// Package dates reads, moves and writes the dates of messages. A date has a form, which a profile
// names or a text shows, and keeps every trait of its writing: separators, fraction, zone.
package dates

import (
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/profile"
)

// Parse reads a date of a form. Dates without a zone are in the given one.
func Parse(f profile.Form, s string, zone *time.Location) (time.Time, bool) {
	switch f {
	case profile.EpochMS, profile.EpochS:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return time.Time{}, false
		}
		if f == profile.EpochS {
			return time.Unix(n, 0).In(zone), true
		}
		return time.UnixMilli(n).In(zone), true
	case profile.ISO:
		if t, ok := parsePlain(s, zone); ok {
			return t, true
		}
	}
	l := layout(f, s)
	t, err := time.ParseInLocation(l, s, zone)
	// Package time reads a fraction behind any seconds, which only a layout with a fraction writes.
	return t, err == nil && (t.Nanosecond() == 0 || strings.Contains(l, ".0"))
}

// Write writes t in a form, the way like is written.
func Write(f profile.Form, t time.Time, like string) string {
	switch f {
	case profile.EpochMS:
		return strconv.FormatInt(t.UnixMilli(), 10)
	case profile.EpochS:
		return strconv.FormatInt(t.Unix(), 10)
	case profile.ISO:
		if text, ok := writePlain(t, like); ok {
			return text
		}
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
		if strings.Contains(s, " ") {
			return "20060102 15:04:05" // as 3-D Secure 1 writes it
		}
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
	if len(s) < len(date)+1+len(clock) || '0' <= s[len(date)] && s[len(date)] <= '9' {
		return date + "T" + clock // a digit parts nothing, and would mean something in a layout
	}
	if s[len(date)] == 'T' { // nearly always, and then nothing is put together
		switch rest := s[len(date+"T"+clock):]; {
		case rest == "":
			return date + "T" + clock
		case rest == "Z":
			return date + "T" + clock + "Z07:00"
		case rest[0] != '.' && len(rest) == len("+03:00"):
			return date + "T" + clock + "-07:00"
		}
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
