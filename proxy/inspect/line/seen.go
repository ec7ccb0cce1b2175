package line

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Bounds of what is remembered of a run for its end.
const (
	mostMisses = 20
	mostThings = 10_000 // orders, cards, callbacks
)

// Seen is what somebody remembers who has watched a run. The zero Seen has seen nothing.
type Seen struct {
	Misses     []view.Row // the first ones
	MoreMisses int        // that are not among them

	counts view.Status       // of the rows alone
	calls  map[int]*view.Row // the last row of each callback
	things map[string]*thing // by group
}

// thing is what became of something that rows are about.
type thing struct {
	kind  string
	words string
	tone  view.Tone
}

// Count puts what was seen into the counts of a status.
func (s *Seen) Count(to *view.Status) {
	c := &s.counts
	to.Requests, to.Hits, to.Misses, to.Marked = c.Requests, c.Hits, c.Misses, c.Marked
	to.Ruled, to.Failed, to.Recorded, to.Passed = c.Ruled, c.Failed, c.Recorded, c.Passed
	to.Callbacks = view.CallbackCounts{}
	for _, r := range s.calls {
		switch n := &to.Callbacks; {
		case taken(r):
			n.Accepted++
		case r.CallbackOutcome == proxy.OutcomeHeld:
			n.Held++
		case r.CallbackOutcome == proxy.OutcomeUnanswered:
			n.Pending++
		case r.CallbackOutcome == proxy.OutcomeDropped:
			n.Dropped++
		default:
			n.Refused++
		}
	}
}

// count counts a row. Whoever was refused, and a warning, has asked no mode.
func (s *Seen) count(r *view.Row) {
	c := &s.counts
	switch proxy.Kind(r.Kind) {
	case proxy.Callback, proxy.Refused, proxy.Warning:
		return
	case proxy.Served:
		c.Hits++
	case proxy.Missed:
		c.Misses++
	case proxy.Recorded:
		c.Recorded++
	case proxy.Passed:
		c.Passed++
	case proxy.Failed:
		c.Failed++
	}
	c.Requests++
	if r.Mark != "" {
		c.Marked++
	}
	if len(r.Rules) > 0 {
		c.Ruled++
	}
}

// taken reports whether a shop has taken a callback.
func taken(r *view.Row) bool {
	return r.CallbackOutcome == proxy.OutcomeAccepted ||
		r.CallbackOutcome == proxy.OutcomeRelayed && r.Code >= 200 && r.Code <= 299
}

// Add remembers a row.
func (s *Seen) Add(r *view.Row) {
	s.count(r)
	switch {
	case r.Sign == view.SignMiss && len(s.Misses) < mostMisses:
		s.Misses = append(s.Misses, *r)
	case r.Sign == view.SignMiss:
		s.MoreMisses++
	case r.Callback > 0:
		s.addCallback(r)
		return
	}
	s.addThing(r)
}

func (s *Seen) addCallback(r *view.Row) {
	if s.calls == nil {
		s.calls = map[int]*view.Row{}
	}
	if s.calls[r.Callback] != nil || len(s.calls) < mostThings {
		last := *r
		s.calls[r.Callback] = &last
	}
}

// addThing remembers what became of what a row is about: what was told of it last that is good, bad
// or waits for somebody; before that, what was told of it first.
func (s *Seen) addThing(r *view.Row) {
	words := plain(r.Outcome.Words.String())
	if r.Amount != nil { // orders of all amounts are counted together
		words = strings.TrimSpace(strings.Replace(words, plain(r.Amount.Text.String()), "", 1))
	}
	if r.Group == "" || r.Who.Kind == "" || words == "" || r.Sign == view.SignMiss {
		return
	}
	if s.things == nil {
		s.things = map[string]*thing{}
	}
	t := s.things[r.Group]
	switch {
	case t == nil && len(s.things) < mostThings:
		s.things[r.Group] = &thing{r.Who.Kind, words, r.Outcome.Tone}
	case t != nil && r.Outcome.Tone != view.Plain:
		t.words, t.tone = words, r.Outcome.Tone
	}
}

// callbacks returns the callbacks that no shop has taken, in their order.
func (s *Seen) callbacks() []*view.Row {
	var failed []*view.Row
	for _, r := range s.calls {
		if !taken(r) {
			failed = append(failed, r)
		}
	}
	slices.SortFunc(failed, func(a, b *view.Row) int { return a.Callback - b.Callback })
	return failed
}

// kindCount is what became of things of a kind.
type kindCount struct {
	name string // "orders"
	n    int
	text string // "4 paid or refunded, 2 declined, 1 registered"
}

// kinds returns what became of the things of each kind. A kind of which no answer ever said good or bad
// is left out: a list of bindings comes to nothing.
func (s *Seen) kinds() []kindCount {
	byKind := map[string][]*thing{}
	for _, t := range s.things {
		byKind[t.kind] = append(byKind[t.kind], t)
	}
	var all []kindCount
	for kind, things := range byKind {
		if !slices.ContainsFunc(things, func(t *thing) bool { return t.tone != view.Plain }) {
			continue
		}
		all = append(all, kindCount{kind + "s", len(things), became(things)})
	}
	slices.SortFunc(all, func(a, b kindCount) int { return strings.Compare(a.name, b.name) })
	return all
}

// became counts things by what became of them, good news first.
func became(things []*thing) string {
	var parts []string
	for _, tone := range []view.Tone{view.Good, view.Bad, view.Waits, view.Plain} {
		var words []string
		n := 0
		for _, t := range things {
			if t.tone != tone {
				continue
			}
			n++
			short := t.words // "declined: insufficient funds", "card active, balance 30.00 EUR"
			if at := strings.IndexAny(short, ":,"); at > 0 {
				short = short[:at]
			}
			if !slices.Contains(words, short) {
				words = append(words, short)
			}
		}
		slices.Sort(words)
		if len(words) > 3 {
			words = append(words[:3], "otherwise")
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.Join(words, " or ")))
		}
	}
	return strings.Join(parts, ", ")
}
