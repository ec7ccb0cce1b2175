package stable

import (
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// An answer of which no profile says everything may have values that nobody sends, such as the number of
// a receipt. The tape serves them as they were recorded. If every flow has others in one place, they are
// made for each flow, and the next recording has others again. What two flows have in common there is
// said by the API, and so may be what a single flow has: it stays.

// spot is a place in the answers of an operation: an element of a list is no other place than the next.
type spot struct {
	op, shape string
	place     leaf.Place
}

// spots are what stood in the spots of answers, in each flow.
type spots map[spot]map[*flow]map[string]bool

// looseSpots finds the spots of values that are made for each flow.
func (r *rewriter) looseSpots() map[spot]bool {
	sent := map[string]bool{}
	seen := spots{}
	for _, x := range r.all {
		if x.rec == nil {
			continue
		}
		for _, a := range x.rec.Request {
			sent[a.Text] = true
		}
		if x.rec.Lost || !x.rec.Infers {
			continue
		}
		m := leaf.Read(x.Answered())
		for i := range m.Leaves {
			if l := &m.Leaves[i]; r.mayBeLoose(l, x) {
				seen.add(spotOf(l, x), x.flow, l.Value)
				r.names.shapeOf("loose "+l.Shape, x).add(l.Value)
			}
		}
	}
	loose := map[spot]bool{}
	for at, by := range seen {
		loose[at] = apart(by, sent)
	}
	return loose
}

func spotOf(l *leaf.Leaf, x *exchange) spot { return spot{x.rec.Op, l.Shape, l.Place} }

func (s spots) add(at spot, f *flow, value string) {
	if s[at] == nil {
		s[at] = map[*flow]map[string]bool{}
	}
	if s[at][f] == nil {
		s[at][f] = map[string]bool{}
	}
	s[at][f][value] = true
}

// apart reports whether several flows have values in a spot, and no two flows the same.
func apart(by map[*flow]map[string]bool, sent map[string]bool) bool {
	const several = 2
	all := map[string]bool{}
	for _, values := range by {
		for v := range values {
			if all[v] || sent[v] {
				return false
			}
		}
		for v := range values {
			all[v] = true
		}
	}
	return len(by) >= several
}

// mayBeLoose reports whether a leaf of an answer may hold a value that is made: it looks so, no profile
// knows it, and it is no date and nothing that cleaning has left.
func (r *rewriter) mayBeLoose(l *leaf.Leaf, x *exchange) bool {
	if l.Place == leaf.Header || l.Kind != leaf.String && l.Kind != leaf.Number ||
		surrogate.Holds(l.Value) || fixed(l.Value) || !request.OneRun(l.Value) ||
		infer.TellsTime(l.Value, x.rec.Answered) {
		return false
	}
	f, known := r.opts.Profiles.Meaning(x.rec.Call(), profile.Response, request.At(l))
	return !known && f.Secret == profile.NotSecret &&
		(infer.LooksGenerated(l.Value) || infer.Volatile(l, x.rec.Answered))
}

// loose returns what stands in the place of a value that was made for a flow, on the stable tape.
func (r *rewriter) loose(l *leaf.Leaf, x *exchange) string {
	if x.rec == nil || !r.spots[spotOf(l, x)] || r.names.taken[l.Value] || r.names.long.holds(l.Value) ||
		!r.mayBeLoose(l, x) {
		return l.Value
	}
	noun := "loose " + l.Shape
	key := nameOf(noun, l.Value)
	if made, known := r.names.by[key]; known {
		return made
	}
	at := r.clock.ended[x]
	v := fresh.Recorded{Text: l.Value, Born: x.rec.Answered}
	made := r.names.make(x.flow.seedOf(noun), r.names.shapeOf(noun, x), v, at)
	r.names.note(key, made)
	return made
}
