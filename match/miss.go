package match

import (
	"cmp"
	"fmt"
	"slices"
)

// Reason says in one stable word why the tape has no answer.
type Reason string

// The reasons. They are part of the outside contract (header Paytape-Miss).
const (
	NoOperation Reason = "no-operation" // the tape has no call of this operation
	BadMethod   Reason = "method"       // it has the path, under another method
	BadPath     Reason = "path"         // no profile and no recording knows the path
	BadField    Reason = "field"        // a parameter differs from every recording
	UnknownIDs  Reason = "unknown-id"   // an id that was not issued in this run
	Exhausted   Reason = "exhausted"    // it matched, but every recording of it is used up
	BadState    Reason = "state"        // another write was recorded before it
)

// Reasons returns the reasons, in the order in which a summary lists them.
func Reasons() []Reason {
	return []Reason{NoOperation, BadMethod, BadPath, BadField, UnknownIDs, Exhausted, BadState}
}

// Miss explains why a request has no answer on tape. Its texts hold values of the tape
// only; what the client sent is in the Diffs, as Live.
type Miss struct {
	Reason    Reason
	Operation string // "register.do"; method and number of segments where none is known
	Sentence  string // what was in the way, as a plain sentence without a full stop
	Hint      string // what would make it match
	Near      []Near
}

// Near is a recorded exchange that came close.
type Near struct {
	Cassette  string
	Number    int
	Operation string
	Diffs     []Diff
}

// maxNear bounds the recorded exchanges that a miss shows.
const maxNear = 3

// miss explains why nothing could be served.
func (p *Player) miss(q *query, rel related, why *obstacles) *Miss {
	m := &Miss{Operation: operationOf(q.r)}
	recorded := p.tape.likely.byOp[q.r.op]
	why.look(q)
	switch {
	case len(recorded) == 0:
		p.noRecording(q, m)
	case why.early != nil:
		tooEarly(m, why)
	case why.late != nil:
		tooLate(q, m, why)
	default:
		p.nearest(q, rel, m)
	}
	return m
}

func operationOf(r *Request) string {
	if r.call.Operation != nil {
		return r.call.Operation.Name
	}
	return r.Method + " of an unknown operation"
}

// noRecording tells a path that is on tape under another method from one that is not.
func (p *Player) noRecording(q *query, m *Miss) {
	if e := p.tape.likely.byPath[pathOf(q.r.Target)]; e != nil && e.method != q.r.Method {
		m.Reason = BadMethod
		m.Sentence = fmt.Sprintf("the tape has this path as %s, not as %s", e.method, q.r.Method)
		m.Hint = "send it with the recorded method, or record this call"
		return
	}
	if q.r.call.Operation == nil {
		m.Reason = BadPath
		m.Sentence = "no profile knows this path and the tape has no call like it"
		m.Hint = "check the base URL of the client, or record this call"
		return
	}
	m.Reason = NoOperation
	m.Sentence = fmt.Sprintf("the tape has no call of %s", m.Operation)
	m.Hint = "record one: paytape record appends to a cassette"
}

func tooEarly(m *Miss, why *obstacles) {
	m.Reason = BadState
	m.Sentence = fmt.Sprintf("%s was recorded after %s, which has not been called in this thread",
		label(why.early), label(why.before))
	m.Hint = fmt.Sprintf("call %s first, or start replay with --skip-writes", why.before.operation)
	m.Near = []Near{near(why.early, nil)}
}

func label(e *exchange) string {
	return fmt.Sprintf("%s (%s#%d)", e.operation, e.cassette, e.number)
}

func near(e *exchange, diffs []Diff) Near {
	return Near{Cassette: e.cassette, Number: e.number, Operation: e.operation, Diffs: diffs}
}

// nearest names the recorded exchanges that differ least, as the flows that could own the
// request see them.
func (p *Player) nearest(q *query, rel related, m *Miss) {
	m.Near = nearIn(q, joined(q, rel.minted))
	shared, _ := p.owners.sharing(q.r)
	for _, fs := range [][]*flow{rel.unique, shared} {
		m.Near = append(m.Near, nearIn(q, joined(q, most(1, fs)))...)
	}
	alone := len(m.Near) == 0
	suits := func(e *exchange) bool { return e.opens || alone }
	for _, e := range p.tape.likely.closest(q.r, suits) {
		m.Near = append(m.Near, near(e, differences(nil, e, q.r, q.now)))
	}
	p.unknown(m)
	slices.SortStableFunc(m.Near, func(a, b Near) int {
		return cmp.Compare(len(a.Diffs), len(b.Diffs))
	})
	m.Near = distinctNear(m.Near)
	p.blame(m)
}

// distinctNear keeps the nearest view of each exchange, and few of them.
func distinctNear(ns []Near) []Near {
	seen := map[string]bool{}
	ns = slices.DeleteFunc(ns, func(n Near) bool {
		id := fmt.Sprintf("%s#%d", n.Cassette, n.Number)
		again := seen[id]
		seen[id] = true
		return again
	})
	return ns[:min(maxNear, len(ns))]
}

// nearIn compares a request with all recordings of its operation in some readings.
func nearIn(q *query, cands []*candidate) []Near {
	var ns []Near
	for _, c := range cands {
		for _, s := range c.slots {
			for _, e := range s.thread.around(s.done) {
				if e.op == q.r.op && len(ns) < maxLikely {
					ns = append(ns, near(e, differences(&c.vars, e, q.r, q.now)))
				}
			}
		}
	}
	return ns
}

// whose says why no live thread has an id: nobody got it in this run, another session did, or
// the thread is gone that did.
func (p *Player) whose(id identity) Problem {
	if p.minter == nil {
		return UnknownID
	}
	switch p.minter(id) {
	case 0:
		return UnknownID
	case p.session:
		return Dropped
	}
	return Elsewhere
}

// unknown tells ids that another thread has from those that none has.
func (p *Player) unknown(m *Miss) {
	for _, n := range m.Near {
		for i := range n.Diffs {
			d := &n.Diffs[i]
			id := identity{d.Field.Of, canonical(d.Field, string(d.Got))}
			switch taken := p.owners.taken(id); {
			case d.minted && !taken:
				d.Problem = p.whose(id)
			case d.Problem == UnknownID && taken:
				d.Problem = Differs
			}
		}
	}
}
