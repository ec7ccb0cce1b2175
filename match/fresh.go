package match

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// fresher makes values that look like recorded ones. It is not safe for concurrent use.
type fresher struct {
	rand *rand.Rand
	// taken reports whether a live thread has the value already.
	taken func(identity) bool
}

func newFresher(seed uint64, taken func(identity) bool) *fresher {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &fresher{rand: rand.New(rand.NewPCG(seed, seed)), taken: taken}
}

// attempts bounds the search for a value that is not taken. Long values hardly ever need a
// second; short ones (a STAN) identify nothing and may repeat.
const attempts = 20

// value returns a fresh value for a minted variable, in the shape of the recorded one: its
// length, alphabet, dashes, padding, and what is constant in ids of its kind.
func (f *fresher) value(v *variable, now time.Time) string {
	s := f.like(v, now)
	for range attempts {
		if s != v.text && !f.taken(identity{v.of, s}) {
			break
		}
		s = f.like(v, now)
	}
	return s
}

func (f *fresher) like(v *variable, now time.Time) string {
	digits := strings.Trim(v.text, "0123456789") == ""
	zone, stamped := dayStamped(v)
	switch {
	case v.secret == profile.PAN && digits && len(v.text) > pan.KeptFirst:
		return f.card(v.text)
	case isUUID(v.text):
		return f.uuid(v, now)
	case isMark(v.text):
		return "token-" + f.hex(strings.Repeat("a", 32))
	case stamped:
		return dayStamp(now.In(zone)) + f.digits(v.text[dayStampLength:], 0)
	case digits:
		return f.number(v.text)
	case isULID(v.text):
		return f.ulid(v, now)
	case isIBAN(v.text):
		return f.iban(v.text)
	}
	return f.text(v.text)
}

// card returns a number of the same issuer and length, valid if the recorded one was. On
// tape a number stands as a surrogate, which says by its residue what it was.
func (f *fresher) card(text string) string {
	residue := pan.Valid
	if r := pan.Residue(text); r != pan.Surrogate && r != pan.Valid {
		residue = pan.Broken
	}
	number := text[:pan.KeptFirst] + f.digits(text[pan.KeptFirst:], 0)
	return pan.WithResidue(number, len(number)-1, residue)
}

// digits returns as many random digits as like has, the first of them at least min.
func (f *fresher) digits(like string, min int) string {
	b := make([]byte, len(like))
	for i := range b {
		b[i] = byte('0' + f.rand.IntN(10))
	}
	if len(b) > 0 && min > 0 {
		b[0] = byte('0' + min + f.rand.IntN(10-min))
	}
	return string(b)
}

// hex replaces hex digits and keeps everything else.
func (f *fresher) hex(like string) string {
	letters := "0123456789abcdef"
	if like == strings.ToUpper(like) {
		letters = "0123456789ABCDEF"
	}
	return mapBytes(like, func(c byte) byte {
		if leaf.Hex(c) >= 0 {
			return letters[f.rand.IntN(len(letters))]
		}
		return c
	})
}

// dayStampLength is the length of YDDDHH, with which some rrns begin: the last digit of the
// year, the day of the year, the hour (domain facts, Identifiers).
const dayStampLength = 6

func dayStamp(t time.Time) string {
	return fmt.Sprintf("%d%03d%02d", t.Year()%10, t.YearDay(), t.Hour())
}

// dayStamped reports whether a recorded number of twelve digits begins with the hour of its
// own birth, and in which zone: the tape's or UTC. Others look so by chance.
func dayStamped(v *variable) (*time.Location, bool) {
	if len(v.text) != 12 || strings.Trim(v.text, "0123456789") != "" || v.birth.answered.IsZero() {
		return nil, false
	}
	for _, zone := range []*time.Location{v.birth.answered.Location(), time.UTC} {
		if strings.HasPrefix(v.text, dayStamp(v.birth.answered.In(zone))) {
			return zone, true
		}
	}
	return nil, false
}
