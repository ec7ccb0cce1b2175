package scan

import "strings"

// The magnetic stripe (ISO/IEC 7813) goes on after the card number with four digits of
// expiry, three of the service code, and data that the issuer checks.
const (
	minTrack  = 7
	maxHolder = 28 // characters of a name on track 1, with the sign after it
)

// TrackTail returns where the rest of a track lies whose card number ends at s[at:]. Between
// the two stand '=', or 'D' in hex, or on track 1 a name between two '^'.
func TrackTail(s string, at int) (from, to int, ok bool) {
	if at >= len(s) || strings.IndexByte("=Dd^", s[at]) < 0 {
		return 0, 0, false
	}
	from = at + 1
	digits := from
	if s[at] == '^' {
		name := strings.IndexByte(s[from:min(len(s), from+maxHolder)], '^')
		if name < 0 {
			return 0, 0, false
		}
		digits += name + 1
	}
	to = digits
	for to < len(s) && s[to]-'0' <= 9 {
		to++
	}
	if to-digits < minTrack {
		return 0, 0, false
	}
	for to < len(s) && (IsAlphanumeric(s[to]) || s[to] == '=') {
		to++ // padding, a second separator, the issuer's letters on track 1
	}
	return from, to, true
}
