// Package fresh makes values that look like recorded ones: ids, numbers, cards. A client that
// parses them strictly must not notice: lengths, alphabets, check digits and ranges stay.
package fresh

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// Maker makes values. It is not safe for concurrent use.
type Maker struct {
	rand *rand.Rand
	draw
}

// New returns a Maker whose values repeat with the seed; those of seed 0 never do.
func New(seed uint64) *Maker {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &Maker{rand: rand.New(rand.NewPCG(seed, seed))}
}

// draw is a random number of which a part is left. A value takes many small numbers, and one of 64 bits
// has room for a dozen of them.
type draw struct {
	left  uint64 // a fraction of 2^64
	spent uint64 // into how many equal parts it was cut so far; 0: there is none
}

// below returns a random number from 0 to n-1, for an n of at most 2^16. The numbers are equally likely
// but for one part in 2^16: the fraction that is left has so many steps at least.
func (m *Maker) below(n int) int {
	const most = 1 << 48
	if m.spent == 0 || m.spent > most/uint64(n) {
		m.left, m.spent = m.rand.Uint64(), 1
	}
	m.spent *= uint64(n)
	number, left := bits.Mul64(m.left, uint64(n))
	m.left = left
	return int(number)
}

// Recorded is a value on tape.
type Recorded struct {
	Text  string
	Card  bool      // it is the number of a card
	Token bool      // it stands in the place of a token, of which only that is known
	Born  time.Time // when the answer was given that showed it first; zero: nobody knows
	Apart bool      // it is a UUID, and others of its kind end in other digits
}

// Structured reports whether a text has a form of its own, which Like keeps: a number, a UUID, a ULID,
// an IBAN. Of such texts a pattern tells less than one of them does.
func Structured(text string) bool {
	return allDigits(text) || IsUUID(text) || isULID(text) || isIBAN(text)
}

// Of returns a value of a pattern that is no zero Pattern. A number does not begin with a zero where
// the recorded one does not.
func (m *Maker) Of(p profile.Pattern, recorded string) string {
	text := p.Fill(m.below)
	zero := strings.HasPrefix(text, "0") && p.Numeric() && !strings.HasPrefix(p.Prefix(), "0")
	if zero && !strings.HasPrefix(recorded, "0") {
		first := string(m.appendDigits(nil, "0", 1)) + text[1:]
		if p.Matches(first) {
			return first
		}
	}
	return text
}

// Like returns a value in the shape of a recorded one: its length, alphabet, dashes, padding, and
// what is constant in ids of its kind. What tells the time of its birth tells now.
func (m *Maker) Like(v Recorded, now time.Time) string {
	digits := allDigits(v.Text)
	zone, stamped := dayStamped(v)
	switch {
	case v.Card && digits && len(v.Text) > pan.KeptFirst:
		return m.card(v.Text)
	case IsUUID(v.Text):
		return m.uuid(v, now)
	case v.Token:
		return string(m.appendHex([]byte("token-"), "0123456789abcdef0123456789abcdef"))
	case stamped:
		var room [shortText]byte
		return string(m.appendDigits(appendDayStamp(room[:0], now.In(zone)), v.Text[dayStampLength:], 0))
	case digits:
		return m.number(v.Text)
	case isULID(v.Text):
		return m.ulid(v, now)
	case isIBAN(v.Text):
		return m.iban(v.Text)
	}
	return m.text(v.Text)
}

// card returns a number of the same issuer and length, valid if the recorded one was. On
// tape a number stands as a surrogate, which says by its residue what it was.
func (m *Maker) card(text string) string {
	residue := pan.Valid
	if stands, _ := pan.StandsFor(text); stands != pan.Surrogate && pan.Residue(text) != pan.Valid {
		residue = pan.Broken
	}
	var room [shortText]byte
	number := string(m.appendDigits(append(room[:0], text[:pan.KeptFirst]...), text[pan.KeptFirst:], 0))
	return pan.WithResidue(number, len(number)-1, residue)
}

// shortText is the length of texts that are made in a room on the stack: nearly all ids are shorter.
const shortText = 64

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// appendDigits appends as many random digits as like has, the first of them at least min.
func (m *Maker) appendDigits(b []byte, like string, min int) []byte {
	first := len(b)
	for range len(like) {
		b = append(b, byte('0'+m.below(10)))
	}
	if len(like) > 0 && min > 0 {
		b[first] = byte('0' + min + m.below(10-min))
	}
	return b
}

// appendHex appends a text with its hex digits replaced.
func (m *Maker) appendHex(b []byte, like string) []byte {
	digits := hexDigits(like)
	for i := range len(like) {
		c := like[i]
		if leaf.Hex(c) >= 0 {
			c = digits[m.below(16)]
		}
		b = append(b, c)
	}
	return b
}

// hexDigits returns the digits in the letters of a text.
func hexDigits(like string) string {
	for i := range len(like) {
		if c := like[i]; c >= 'a' && c <= 'z' {
			return "0123456789abcdef"
		}
	}
	return "0123456789ABCDEF"
}

// dayStampLength is the length of YDDDHH, with which some rrns begin: the last digit of the
// year, the day of the year, the hour (domain facts, Identifiers).
const dayStampLength = 6

func appendDayStamp(b []byte, t time.Time) []byte {
	year, day, hour := t.Year(), t.YearDay(), t.Hour()
	return append(b, digit(year), digit(day/100), digit(day/10), digit(day), digit(hour/10), digit(hour))
}

// digit returns the last digit of a number.
func digit(n int) byte { return byte('0' + n%10) }

// Stamped reports whether a recorded value tells the hour of its birth.
func Stamped(v Recorded) bool {
	_, ok := dayStamped(v)
	return ok
}

// dayStamped reports whether a recorded number of twelve digits begins with the hour of its
// own birth, and in which zone: the tape's or UTC. Others look so by chance.
func dayStamped(v Recorded) (*time.Location, bool) {
	if len(v.Text) != 12 || !allDigits(v.Text) || v.Born.IsZero() {
		return nil, false
	}
	number := func(from, to int) int {
		n := 0
		for _, c := range []byte(v.Text[from:to]) {
			n = 10*n + int(c-'0')
		}
		return n
	}
	day, hour := number(1, 4), number(4, dayStampLength)
	if day == 0 || day > 366 || hour >= 24 {
		return nil, false // nearly always
	}
	for _, zone := range [...]*time.Location{v.Born.Location(), time.UTC} {
		t := v.Born.In(zone)
		if t.Hour() == hour && t.YearDay() == day && digit(t.Year()) == v.Text[0] {
			return zone, true
		}
	}
	return nil, false
}
