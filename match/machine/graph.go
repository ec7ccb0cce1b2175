package machine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/match/tape"
)

// Graph is a machine for people to look at: own states, and what leads from one to another. It is
// in the order of the tape, so the same tape gives the same graph.
type Graph struct {
	Nodes []*Node
	Arcs  []*Arc

	byOwn map[Own]*Node
	count map[string]int // nodes by kind
	arcs  map[arcKey]*Arc
}

// Node is an own state of the entities of one kind.
type Node struct {
	Kind   string // "gateway order"
	Number int    // among the nodes of the kind, from 1
	Words  string // what was done before: "register.do, paymentorder.do"
}

// Arc is what leads to a node: a write, a birth, or a silent edge.
type Arc struct {
	From      *Node // nil for a birth
	To        *Node
	Operation string // of the write, or of the reads of a silent edge
	Cards     string // that decide: "400000******1118"; empty for none
	// Reads is how many reads come before a silent edge. It is 0 for a birth that a read has
	// shown, and -1 for a write.
	Reads int
	// Term is the time after which a silent edge is due in any case; 0 for a silent edge that
	// waits for reads.
	Term       time.Duration
	Ambiguous  bool // recordings disagree about where a silent edge leads
	Recordings []tape.Recorded
}

// byWrite is the Reads of an Arc that is a write.
const byWrite = -1

type arcKey struct {
	from, to         *Node
	operation, cards string
	reads            int
}

// SessionKind is the kind of the nodes of the session as a whole.
const SessionKind = "session"

// Graph draws the machine.
func (m *Machine) Graph() *Graph {
	g := &Graph{byOwn: map[Own]*Node{}, count: map[string]int{}, arcs: map[arcKey]*Arc{}}
	silent := map[*Recording][]SilentEdge{}
	for _, e := range m.SilentEdges() {
		silent[e.At] = append(silent[e.At], e)
	}
	session := map[string]Own{} // by cassette
	for _, r := range m.All {
		for _, e := range silent[r] {
			if i := r.FirstRole(); i >= 0 {
				kind := r.Roles[i].Kind
				arc := g.arc(m, r, arcKey{
					from: g.node(m, kind, e.Own), to: g.node(m, kind, e.To), reads: e.After,
				})
				arc.Ambiguous = arc.Ambiguous || e.Ambiguous
				if e.Term >= shortestWait {
					arc.Term = e.Term
				}
			}
		}
		for i, e := range r.Roles {
			if i >= len(r.Owns) {
				break // refused for its credentials: it stands in no row
			}
			from := g.node(m, e.Kind, r.Owns[i])
			if r.Moves[i] != r.Owns[i] {
				g.arc(m, r, arcKey{from: from, to: g.node(m, e.Kind, r.Moves[i]), reads: byWrite})
			}
		}
		for i := range r.Births {
			b, reads := &r.Births[i], byWrite
			if r.Reads {
				reads = 0
			}
			g.arc(m, r, arcKey{to: g.node(m, b.Kind, b.Own), reads: reads})
		}
		if r.Session != 0 {
			from := g.node(m, SessionKind, session[r.Frame.Session])
			g.arc(m, r, arcKey{from: from, to: g.node(m, SessionKind, r.Session), reads: byWrite})
			session[r.Frame.Session] = r.Session
		}
	}
	return g
}

// Node returns the node of an own state, or nil.
func (g *Graph) Node(o Own) *Node { return g.byOwn[o] }

func (g *Graph) node(m *Machine, kind string, o Own) *Node {
	n := g.byOwn[o]
	if n == nil {
		g.count[kind]++
		n = &Node{Kind: kind, Number: g.count[kind], Words: m.Words(o)}
		g.byOwn[o] = n
		g.Nodes = append(g.Nodes, n)
	}
	return n
}

// arc adds a recording to the arc of a key.
func (g *Graph) arc(m *Machine, r *Recording, k arcKey) *Arc {
	k.operation = r.Did()
	if k.reads == byWrite {
		k.cards = r.Cards()
	}
	a := g.arcs[k]
	if a == nil {
		a = &Arc{From: k.from, To: k.to, Operation: k.operation, Cards: k.cards, Reads: k.reads}
		g.arcs[k] = a
		g.Arcs = append(g.Arcs, a)
	}
	if at := r.Reference(); !slices.Contains(a.Recordings, at) {
		a.Recordings = append(a.Recordings, at)
	}
	return a
}

// IsWrite reports whether a write leads there.
func (a *Arc) IsWrite() bool { return a.Reads == byWrite }

// Cards returns the deciding values of a recording as people read them: card numbers without the
// digits that no tape has.
func (r *Recording) Cards() string {
	var cards []string
	for pair := range strings.SplitSeq(r.Deciding, "\x00") {
		if _, card, ok := strings.Cut(pair, "="); ok && !slices.Contains(cards, card) {
			cards = append(cards, card)
		}
	}
	return strings.Join(cards, " and ")
}

// SilentEdge is a silent edge and where it begins.
type SilentEdge struct {
	Reads
	*Edge
}

// SilentEdges returns the silent edges, in the order of the tape.
func (m *Machine) SilentEdges() []SilentEdge {
	all := make([]SilentEdge, 0, len(m.silent))
	for at, e := range m.silent {
		all = append(all, SilentEdge{at, e})
	}
	slices.SortFunc(all, func(a, b SilentEdge) int {
		return cmp.Or(cmp.Compare(a.At.Place, b.At.Place), cmp.Compare(a.Edge.From.Place, b.Edge.From.Place),
			cmp.Compare(a.After, b.After))
	})
	return all
}

// Doubts returns the groups of recordings that answer one request, in one row, case and view, and
// are not interchangeable, in the order of the tape.
func (m *Machine) Doubts() []*Group {
	var all []*Group
	for _, cases := range m.rows {
		for _, c := range cases.all {
			for _, v := range c.views {
				if !v.group.Alike {
					all = append(all, v.group)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b *Group) int {
		return cmp.Compare(a.Recordings[0].Place, b.Recordings[0].Place)
	})
	return all
}

// Lists returns what the tape has of each list, in the order of the tape.
func (m *Machine) Lists() []*List {
	var all []*List
	for _, l := range m.lists {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *List) int { return cmp.Compare(a.first().Place, b.first().Place) })
	return all
}

// Recordings returns all that list it, in the order of the tape.
func (l *List) Recordings() []*Recording { return l.all }

func (l *List) first() *Recording { return l.all[0] }

// Conflicts reports whether lists show entities in one state in different ways.
func (l *List) Conflicts() bool {
	for _, item := range l.items {
		if item.Conflict {
			return true
		}
	}
	return false
}

// Refuses reports whether some recording refuses credentials.
func (m *Machine) Refuses() bool { return len(m.denied) > 0 }

// Denied returns the recordings that refuse credentials, in the order of the tape.
func (m *Machine) Denied() []*Recording {
	var all []*Recording
	for _, denied := range m.denied {
		all = append(all, denied...)
	}
	slices.SortFunc(all, func(a, b *Recording) int { return cmp.Compare(a.Place, b.Place) })
	return all
}
