// Package fresh makes values that look like recorded ones: ids, numbers, cards. A client that
// parses them strictly must not notice: lengths, alphabets, check digits and ranges stay.
package fresh

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
)

// Maker makes values. It is not safe for concurrent use.
type Maker struct{ rand *rand.Rand }

// New returns a Maker whose values repeat with the seed; those of seed 0 never do.
func New(seed uint64) *Maker {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &Maker{rand.New(rand.NewPCG(seed, seed))}
}

// Recorded is a value on tape.
type Recorded struct {
	Text  string
	Card  bool      // it is the number of a card
	Token bool      // it stands in the place of a token, of which only that is known
	Born  time.Time // when the answer was given that showed it first; zero: nobody knows
}

// Like returns a value in the shape of a recorded one: its length, alphabet, dashes, padding, and
// what is constant in ids of its kind. What tells the time of its birth tells now.
func (m *Maker) Like(v Recorded, now time.Time) string {
	digits := strings.Trim(v.Text, "0123456789") == ""
	zone, stamped := dayStamped(v)
	switch {
	case v.Card && digits && len(v.Text) > pan.KeptFirst:
		return m.card(v.Text)
	case IsUUID(v.Text):
		return m.uuid(v, now)
	case v.Token:
		return "token-" + m.hex(strings.Repeat("a", 32))
	case stamped:
		return dayStamp(now.In(zone)) + m.digits(v.Text[dayStampLength:], 0)
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
	number := text[:pan.KeptFirst] + m.digits(text[pan.KeptFirst:], 0)
	return pan.WithResidue(number, len(number)-1, residue)
}

// digits returns as many random digits as like has, the first of them at least min.
func (m *Maker) digits(like string, min int) string {
	b := make([]byte, len(like))
	for i := range b {
		b[i] = byte('0' + m.rand.IntN(10))
	}
	if len(b) > 0 && min > 0 {
		b[0] = byte('0' + min + m.rand.IntN(10-min))
	}
	return string(b)
}

// hex replaces hex digits and keeps everything else.
func (m *Maker) hex(like string) string { return string(m.hexBytes(like)) }

func (m *Maker) hexBytes(like string) []byte {
	b, digits := []byte(like), hexDigits(like)
	for i, c := range b {
		if leaf.Hex(c) >= 0 {
			b[i] = digits[m.rand.IntN(len(digits))]
		}
	}
	return b
}

// hexDigits returns the digits in the letters of a text.
func hexDigits(like string) string {
	if like == strings.ToUpper(like) {
		return "0123456789ABCDEF"
	}
	return "0123456789abcdef"
}

// dayStampLength is the length of YDDDHH, with which some rrns begin: the last digit of the
// year, the day of the year, the hour (domain facts, Identifiers).
const dayStampLength = 6

func dayStamp(t time.Time) string {
	return fmt.Sprintf("%d%03d%02d", t.Year()%10, t.YearDay(), t.Hour())
}

// Stamped reports whether a recorded value tells the hour of its birth.
func Stamped(v Recorded) bool {
	_, ok := dayStamped(v)
	return ok
}

// dayStamped reports whether a recorded number of twelve digits begins with the hour of its
// own birth, and in which zone: the tape's or UTC. Others look so by chance.
func dayStamped(v Recorded) (*time.Location, bool) {
	if len(v.Text) != 12 || strings.Trim(v.Text, "0123456789") != "" || v.Born.IsZero() {
		return nil, false
	}
	for _, zone := range []*time.Location{v.Born.Location(), time.UTC} {
		if strings.HasPrefix(v.Text, dayStamp(v.Born.In(zone))) {
			return zone, true
		}
	}
	return nil, false
}
