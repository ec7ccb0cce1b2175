package stable

import (
	"fmt"

	"github.com/paytape/paytape/match/machine"
)

// comparison compares a recording and its stable tape, exchange by exchange. Classes and states are
// digests: what counts is which of them are equal. So each digest of the recording has its counterpart
// on the stable tape, and two have never one.
type comparison struct{ to, from map[uint64]uint64 }

// same reports whether two digests are counterparts of each other.
func (c *comparison) same(a, b uint64) bool {
	to, known := c.to[a]
	from, taken := c.from[b]
	if !known && !taken {
		c.to[a], c.from[b] = b, a
		return true
	}
	return known && taken && to == b && from == a
}

// compare says where a stable tape is another machine than the recording; empty if it is the same.
// places are where the exchanges of the recording are on the stable tape.
func compare(recorded, stable *machine.Machine, places []int) string {
	if len(recorded.All) != len(stable.All) {
		return fmt.Sprintf("%d exchanges would be replayed in place of %d", len(stable.All),
			len(recorded.All))
	}
	by := map[int]*machine.Recording{}
	for _, r := range stable.All {
		by[r.Surveyed()-1] = r
	}
	c := &comparison{map[uint64]uint64{}, map[uint64]uint64{}}
	for _, r := range recorded.All {
		s := by[places[r.Surveyed()-1]]
		if s == nil {
			return fmt.Sprintf("exchange %d (%s) would not be replayed", r.Number, r.Operation)
		}
		if what := c.differ(r, s); what != "" {
			return fmt.Sprintf("exchange %d (%s) would have %s", r.Number, r.Operation, what)
		}
	}
	return ""
}

// differ says in what two recordings of one exchange differ; empty if they do not.
func (c *comparison) differ(r, s *machine.Recording) string {
	for _, one := range []struct {
		same bool
		what string
	}{
		{r.Key == s.Key, "another key"},
		{c.same(r.Class, s.Class), "another answer"},
		{c.sameOwns(r.Owns, s.Owns), "other states before"},
		{c.sameOwns(r.Moves, s.Moves), "other states afterwards"},
		{c.sameBirths(r.Births, s.Births), "other births"},
		{c.same(uint64(r.Session), uint64(s.Session)), "another state of the session"},
		{c.same(uint64(r.View), uint64(s.View)), "another view"},
		{r.Overlapped == s.Overlapped && r.Missed == s.Missed, "another doubt"},
		{r.Reads == s.Reads && r.Failed == s.Failed && r.Denied == s.Denied && r.Lost == s.Lost,
			"another effect"},
		{c.sameCallbacks(r, s), "other callbacks"},
	} {
		if !one.same {
			return one.what
		}
	}
	return ""
}

func (c *comparison) sameOwns(a, b []machine.Own) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !c.same(uint64(a[i]), uint64(b[i])) {
			return false
		}
	}
	return true
}

func (c *comparison) sameBirths(a, b []machine.Birth) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.Kind != y.Kind || x.Hidden != y.Hidden || x.Scope != y.Scope ||
			!c.same(uint64(x.Own), uint64(y.Own)) {
			return false
		}
	}
	return true
}

func (c *comparison) sameCallbacks(r, s *machine.Recording) bool {
	if len(r.Callbacks) != len(s.Callbacks) {
		return false
	}
	for i, a := range r.Callbacks {
		b := s.Callbacks[i]
		if !c.same(a.Class, b.Class) || a.Operation != b.Operation || len(a.Attempts) != len(b.Attempts) {
			return false
		}
	}
	return true
}
