package fresh

import (
	"strings"
	"time"
	"unicode"

	"github.com/paytape/paytape/internal/leaf"
)

// UUIDLength is the length of a UUID with its dashes.
const UUIDLength = 36

// IsUUID reports whether a text is a UUID with dashes, in letters of either case.
func IsUUID(s string) bool {
	if len(s) != UUIDLength {
		return false
	}
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && leaf.Hex(s[i]) < 0 {
			return false
		}
	}
	return true
}

// installation is where in a UUID the digits begin that are constant per installation, in ids of gateways of
// this family: the last eight (domain facts, Identifiers).
const installation = 28

// EndAlike reports whether two UUIDs end in the same digits of an installation.
func EndAlike(a, b string) bool {
	return IsUUID(a) && IsUUID(b) && strings.EqualFold(a[installation:], b[installation:])
}

// uuid keeps the version and the variant. Ids of gateways of this family say version 7 and keep the digits
// of their installation, unless the tape shows others. One of version 7 that tells the time of its birth
// tells that of the live one.
func (m *Maker) uuid(v Recorded, now time.Time) string {
	const version, variant, clock, half = 14, 19, 13, 8
	like := v.Text
	var room [UUIDLength]byte
	b := m.appendHex(room[:0], like)
	b[version], b[variant] = like[version], like[variant]
	if like[version] != '7' {
		return string(b)
	}
	if !v.Apart {
		copy(b[installation:], like[installation:])
	}
	ms := int64(0)
	for i := range clock {
		if i != half {
			ms = ms<<4 | int64(leaf.Hex(like[i]))
		}
	}
	if tellsBirth(v, ms) {
		digits, ms := hexDigits(like), now.UnixMilli()
		for i := clock - 1; i >= 0; i-- {
			if i != half {
				b[i], ms = digits[ms&15], ms>>4
			}
		}
	}
	return string(b)
}

// tellsBirth reports whether the milliseconds that an id tells are those of its birth.
func tellsBirth(v Recorded, ms int64) bool {
	const near = 48 * time.Hour
	at := v.Born
	return !at.IsZero() && time.UnixMilli(ms).Sub(at).Abs() < near
}

// crockford are the digits of a ULID: no letter that looks like another sign.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// A ULID is a time in ten digits and sixteen that are random.
const (
	ulidLength = 26
	ulidClock  = 10
)

func isULID(s string) bool {
	if len(s) != ulidLength || s[0] > '7' {
		return false
	}
	upper := strings.ToUpper(s)
	return (s == upper || s == strings.ToLower(s)) && strings.Trim(upper, crockford) == ""
}

// ulid keeps the time of an id, or tells the live time where that was the time of its birth.
func (m *Maker) ulid(v Recorded, now time.Time) string {
	b := []byte(strings.ToUpper(v.Text))
	ms := int64(0)
	for _, c := range b[:ulidClock] {
		ms = ms<<5 | int64(strings.IndexByte(crockford, c))
	}
	if tellsBirth(v, ms) {
		ms = now.UnixMilli()
		for i := ulidClock - 1; i >= 0; i-- {
			b[i], ms = crockford[ms&31], ms>>5
		}
	}
	for i := ulidClock; i < len(b); i++ {
		b[i] = crockford[m.below(len(crockford))]
	}
	if v.Text == strings.ToLower(v.Text) {
		return strings.ToLower(string(b))
	}
	return string(b)
}

// enoughDigits is how many digits make a value another one for every client of a long run, whatever stands
// before them.
const enoughDigits = 7

// Kind returns the words in small letters by which an id says of what kind it is: "card_", "cs_test_"; ""
// where there are none. Capitals before a dash may be there by chance, and so may all of a text of letters.
func Kind(id string) string {
	words := len(id) - len(strings.TrimLeft(id, lowers+"_-"))
	if words == len(id) || Structured(id) {
		return ""
	}
	return id[:strings.LastIndexAny(id[:words], "_-")+1]
}

// text replaces letters by letters and digits by digits, but for the words that name the kind
// of id ("card_", "cs_test_", the "PO" of "PO6754973"). Ids of hex digits stay hex.
func (m *Maker) text(like string) string {
	prefix := 0
	for {
		to := prefix
		for to < len(like) && isLetter(like[to]) {
			to++
		}
		if to == prefix || to == len(like) || like[to] != '_' && like[to] != '-' {
			break
		}
		prefix = to + 1
	}
	number := strings.TrimLeftFunc(like[prefix:], unicode.IsLetter)
	if len(number) >= enoughDigits && allDigits(number) {
		prefix = len(like) - len(number)
	}
	rest := like[prefix:]
	machine := hasDigit(rest) || rest != "" && InBothCases(rest)
	if !machine { // or nothing would be fresh
		prefix, rest = 0, like
	}
	var room [shortText]byte
	b := append(room[:0], like[:prefix]...)
	if isHex(rest) && (strings.ToLower(rest) == rest) != (strings.ToUpper(rest) == rest) {
		return string(m.appendHex(b, rest))
	}
	return string(m.appendLetters(b, rest))
}

func isLetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

// hasDigit reports whether some byte of a text is a digit.
func hasDigit(text string) bool {
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			return true
		}
	}
	return false
}

// isHex reports whether a text is hex digits and dashes.
func isHex(text string) bool {
	for i := range len(text) {
		if text[i] != '-' && leaf.Hex(text[i]) < 0 {
			return false
		}
	}
	return true
}

// InBothCases reports whether a text has small letters and capitals, not the first alone. A
// list of what a shop offers has ids too, but people thought of these.
func InBothCases(text string) bool {
	small := func(r rune) bool { return unicode.ToUpper(r) != r }
	capital := func(r rune) bool { return unicode.ToLower(r) != r }
	return strings.ContainsFunc(text, small) && strings.ContainsFunc(text[1:], capital)
}

// longestWord is that of the words inside an id that stay: "pi_3Nq_secret_x7".
const longestWord = 8

// appendLetters appends a text in which what is no word of small letters between two separators is
// replaced.
func (m *Maker) appendLetters(b []byte, like string) []byte {
	for from := 0; from < len(like); {
		to := from
		for to < len(like) && like[to] != '_' {
			to++
		}
		part := like[from:to]
		word := from > 0 && to < len(like) && len(part) >= 4 && len(part) <= longestWord &&
			strings.Trim(part, lowers) == ""
		if word {
			b = append(b, part...)
		} else {
			b = m.appendLike(b, part)
		}
		if to < len(like) {
			b = append(b, like[to])
		}
		from = to + 1
	}
	return b
}

const lowers = "abcdefghijklmnopqrstuvwxyz"

func (m *Maker) sameClass(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return '0' + byte(m.below(10))
	case c >= 'a' && c <= 'z':
		return 'a' + byte(m.below(26))
	case c >= 'A' && c <= 'Z':
		return 'A' + byte(m.below(26))
	}
	return c
}

// appendLike appends a text with each of its bytes replaced: what is no text keeps its length.
func (m *Maker) appendLike(b []byte, like string) []byte {
	for i := range len(like) {
		b = append(b, m.sameClass(like[i]))
	}
	return b
}
