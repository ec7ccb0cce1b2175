package match

import (
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
)

// fresher makes the values of minted variables. It is not safe for concurrent use.
type fresher struct {
	make *fresh.Maker
	// taken reports whether a live thread has the value already.
	taken func(identity) bool
}

func newFresher(seed uint64, taken func(identity) bool) *fresher {
	return &fresher{fresh.New(seed), taken}
}

// attempts bounds the search for a value that is not taken. Long values hardly ever need a
// second; short ones (a STAN) identify nothing and may repeat.
const attempts = 20

// value returns a fresh value for a minted variable, in the shape of the recorded one.
func (f *fresher) value(v *variable, now time.Time) string {
	on := fresh.Recorded{Text: v.text, Card: v.secret == profile.PAN, Token: isMark(v.text),
		Born: v.birth.answered}
	s := f.make.Like(on, now)
	for range attempts {
		if s != v.text && !f.masked(v, s) && !f.taken(identity{v.of, s}) {
			break
		}
		s = f.make.Like(on, now)
	}
	return s
}

// masked reports whether a card has a mask that another has: requests name cards by them.
func (f *fresher) masked(v *variable, s string) bool {
	ends, ok := pan.Ends(s)
	return ok && v.secret == profile.PAN && f.taken(identity{v.of, ends})
}
