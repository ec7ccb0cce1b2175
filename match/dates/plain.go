package dates

import "time"

// Nearly all moments are written in one way, 2006-01-02T15:04:05, with a Z behind it or nothing: these
// are read and written here. What package time does for any layout takes ten times as long.

const plainLength = len("2006-01-02T15:04:05")

// isPlain reports whether a text has the length and the separators of such a moment.
func isPlain(s string) bool {
	return (len(s) == plainLength || len(s) == plainLength+1 && s[plainLength] == 'Z') &&
		s[4] == '-' && s[7] == '-' && s[10] == 'T' && s[13] == ':' && s[16] == ':'
}

// parsePlain reads such a moment, in the zone or, with a Z, in UTC. It returns false for any other text,
// and for some that package time has to look at.
func parsePlain(s string, zone *time.Location) (time.Time, bool) {
	if !isPlain(s) {
		return time.Time{}, false
	}
	if len(s) > plainLength {
		zone = time.UTC
	}
	century, year := two(s, 0), two(s, 2)
	month, day := two(s, 5), two(s, 8)
	hour, minute, second := two(s, 11), two(s, 14), two(s, 17)
	if min(century, year, month-1, day-1, hour, minute, second) < 0 ||
		month > 12 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(100*century+year, time.Month(month), day, hour, minute, second, 0, zone)
	return t, t.Day() == day // or the month has no such day
}

// two returns the number of the two digits at s[at]; a negative one if they are none.
func two(s string, at int) int {
	tens, ones := s[at]-'0', s[at+1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return 10*int(tens) + int(ones)
}

// writePlain writes a moment like one that is plain; false if like is not, or the moment cannot be written
// so.
func writePlain(t time.Time, like string) (string, bool) {
	if !isPlain(like) {
		return "", false
	}
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	_, offset := t.Zone()
	if year < 0 || year > 9999 || len(like) > plainLength && offset != 0 {
		return "", false
	}
	b := [plainLength + 1]byte{4: '-', 7: '-', 10: 'T', 13: ':', 16: ':', plainLength: 'Z'}
	for _, part := range [...]struct{ at, number int }{
		{0, year / 100}, {2, year % 100}, {5, int(month)}, {8, day},
		{11, hour}, {14, minute}, {17, second},
	} {
		b[part.at], b[part.at+1] = byte('0'+part.number/10), byte('0'+part.number%10)
	}
	return string(b[:len(like)]), true
}
