package stable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/machine"
)

// comparison compares a recording and its stable tape, exchange by exchange. Classes and states are
// digests, in which the text of answers counts outside of their holes. Where that is the same, the class is.
// Where it is not, what counts is which of them are equal: each digest of the recording has its counterpart
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
func compare(recorded, stable *machine.Machine, m made) string {
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
		place := r.Surveyed() - 1
		s := by[m.places[place]]
		if s == nil {
			return fmt.Sprintf("exchange %d (%s) would not be replayed", r.Number, r.Operation())
		}
		what := c.differ(r, s)
		if what == "" && r.Class != s.Class && !m.reworded[place] {
			what = "another answer"
		}
		if what != "" {
			return fmt.Sprintf("exchange %d (%s) would have %s", r.Number, r.Operation(), what)
		}
	}
	if !slices.Equal(keyUses(recorded), keyUses(stable)) {
		return "other idempotency keys would come again"
	}
	return preferred(recorded, stable)
}

// keyUses returns what became of the idempotency keys that came again, in any order.
func keyUses(m *machine.Machine) []infer.KeyUse {
	var all []infer.KeyUse
	for i := range m.Tape.KeyReuses {
		all = append(all, m.Tape.KeyReuses[i].Use)
	}
	slices.Sort(all)
	return all
}

// preferred says whether replay would serve an exchange that brings less. Of recordings that say the same
// it serves the first; but what an answer brings may have a name in one of them alone, because no client
// has asked for the other.
func preferred(recorded, stable *machine.Machine) string {
	was, is := firsts(recorded), firsts(stable)
	if len(was) != len(is) {
		return "other exchanges would say the same"
	}
	names := map[string]int{}
	for _, r := range was {
		names[brings(r)]++
	}
	for _, r := range is {
		if names[brings(r)]--; names[brings(r)] < 0 {
			return fmt.Sprintf("a call like that of exchange %d (%s) would bring what has another name",
				r.Number, r.Operation())
		}
	}
	return ""
}

// firsts returns the first of all recordings that serve alike.
func firsts(m *machine.Machine) []*machine.Recording {
	seen := map[uint64]bool{}
	var all []*machine.Recording
	for _, r := range m.All {
		if !seen[r.Use()] {
			seen[r.Use()] = true
			all = append(all, r)
		}
	}
	return all
}

// brings returns the operation of a recording, and the nouns under which requests find what it bears.
func brings(r *machine.Recording) string {
	var b strings.Builder
	b.WriteString(r.Op)
	for i := range r.Births {
		if e := r.Births[i].Entity; e != nil {
			b.WriteString("\n" + e.Kind)
			for n := range e.Names() {
				b.WriteString(" " + n.Noun)
			}
		}
	}
	return b.String()
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
