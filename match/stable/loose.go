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

// looseness is what is known of loose values.
type looseness struct {
	spots map[spot]map[*flow]map[string]bool
	in    map[string]map[*flow]bool // the flows that have a value
	sent  map[string]bool           // by clients
	made  map[looseValue]string
}

// looseValue is a value of a flow.
type looseValue struct {
	flow *flow
	text string
}

// newLooseness looks at all answers of which no profile says everything.
func (r *rewriter) newLooseness() *looseness {
	n := &looseness{
		spots: map[spot]map[*flow]map[string]bool{}, in: map[string]map[*flow]bool{},
		sent: map[string]bool{}, made: map[looseValue]string{},
	}
	for _, x := range r.all {
		if x.rec == nil {
			continue
		}
		for _, a := range x.rec.Request.All() {
			n.sent[a.Text] = true
		}
		r.eachLoose(x, func(l *leaf.Leaf) {
			n.add(spotOf(l, x), x.flow, l.Value)
			r.names.shapeOf("loose "+l.Shape, x).add(l.Value)
		})
	}
	return n
}

// eachLoose calls f for the leaves of an answer that may be loose.
func (r *rewriter) eachLoose(x *exchange, f func(*leaf.Leaf)) {
	if x.rec == nil || x.rec.Lost || !x.rec.Infers {
		return
	}
	m := leaf.Read(x.Answered())
	for i := range m.Leaves {
		if l := &m.Leaves[i]; r.mayBeLoose(l, x) {
			f(l)
		}
	}
}

func spotOf(l *leaf.Leaf, x *exchange) spot { return spot{x.rec.Op, l.Shape, l.Place} }

func (n *looseness) add(at spot, f *flow, value string) {
	if n.spots[at] == nil {
		n.spots[at] = map[*flow]map[string]bool{}
	}
	if n.spots[at][f] == nil {
		n.spots[at][f] = map[string]bool{}
	}
	n.spots[at][f][value] = true
	if n.in[value] == nil {
		n.in[value] = map[*flow]bool{}
	}
	n.in[value][f] = true
}

// apart reports whether several flows have values in a spot, and each its own.
func (n *looseness) apart(at spot) bool {
	const several = 2
	for _, values := range n.spots[at] {
		for v := range values {
			if len(n.in[v]) > 1 || n.sent[v] {
				return false
			}
		}
	}
	return len(n.spots[at]) >= several
}

// mayBeLoose reports whether a leaf of an answer may hold a value that is made: it looks so, no profile
// knows it, and it is no date and nothing that cleaning has left.
func (r *rewriter) mayBeLoose(l *leaf.Leaf, x *exchange) bool {
	if l.Place == leaf.Header || l.Kind != leaf.String && l.Kind != leaf.Number ||
		surrogate.Holds(l.Value) || fixed(l.Value) || !request.OneRun(l.Value) ||
		infer.TellsTime(l.Value, x.rec.Answered()) {
		return false
	}
	f, known := r.opts.Profiles.Meaning(x.rec.Call(), profile.Response, request.At(l))
	return !known && f.Secret == profile.NotSecret &&
		(infer.LooksGenerated(l.Value) || infer.Volatile(l, x.rec.Answered()))
}

// makeLoose makes the values of an exchange that were made for its flow, behind all values that the tape
// knows.
func (r *rewriter) makeLoose(x *exchange) {
	if x.settled {
		return
	}
	r.eachLoose(x, func(l *leaf.Leaf) {
		at := looseValue{x.flow, l.Value}
		_, known := r.names.by[nameOf("", l.Value)]
		if r.loose.made[at] != "" || known || r.names.taken[l.Value] || r.names.long.holds(l.Value) ||
			!r.loose.apart(spotOf(l, x)) {
			return
		}
		noun := "loose " + l.Shape
		v := fresh.Recorded{Text: l.Value, Born: x.rec.Answered()}
		made := r.names.make(x.flow.seedOf(noun), r.names.shapeOf(noun, x), v, r.clock.ended[x])
		r.names.taken[made] = true
		r.loose.made[at] = made
	})
}

// looseIn returns what stands in the place of a value that was made for a flow.
func (r *rewriter) looseIn(l *leaf.Leaf, x *exchange) string {
	if made := r.loose.made[looseValue{x.flow, l.Value}]; made != "" && l.Place != leaf.Header {
		return made
	}
	return l.Value
}
