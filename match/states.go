package match

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/machine"
)

// States are the machine of a tape for programs that draw it: own states of the entities of each
// kind, and what leads from one to another, in the order of the tape.
type States struct {
	Kinds []string // "gateway order"
	Nodes []*StateNode
	Edges []*StateEdge

	byOwn map[machine.Own]*StateNode
}

// StateNode is an own state of the entities of one kind.
type StateNode struct {
	ID     string // "k1s2", as in Mermaid and DOT
	Kind   string
	Number int    // among the nodes of the kind, from 1
	Words  string // what was done before: "register.do, paymentorder.do"
	// Here are the recordings that find an entity in this state and leave it there. Reached are those
	// that lead an entity to it.
	Here, Reached []Shown
}

// Shown is a recording, and the exchange as it is on tape, without the body of the request.
type Shown struct {
	Recorded
	// Asks says that the recording asks for what is there, and was told: its answer shows the state.
	Asks     bool
	Exchange func() *leaf.Exchange
}

// StateEdge leads from one state to another.
type StateEdge struct {
	From       *StateNode // nil for a birth
	To         *StateNode
	Operation  string
	Label      string // without the recordings: "paymentorder.do, card 400000******1118"
	Silent     bool   // no write explains it
	Recordings []Recorded
}

// States returns the machine of the tape. It is made once, and must not be changed.
func (t *Tape) States() *States { return t.states() }

func (t *Tape) makeStates() *States {
	g := newDrawing(t.machine.Graph())
	s := &States{Kinds: g.kinds, byOwn: map[machine.Own]*StateNode{}}
	by := map[*machine.Node]*StateNode{}
	for _, n := range g.Nodes {
		node := &StateNode{ID: g.id(n), Kind: n.Kind, Number: n.Number, Words: shown(n.Words)}
		by[n] = node
		s.Nodes = append(s.Nodes, node)
	}
	for _, a := range g.Arcs {
		s.Edges = append(s.Edges, &StateEdge{
			From: by[a.From], To: by[a.To], Operation: shown(a.Operation),
			Label: shown(strings.Join(arcText(a), "; ")), Silent: !a.IsWrite(), Recordings: a.Recordings,
		})
	}
	for _, r := range t.machine.All {
		x := Shown{
			Recorded: r.Reference(), Asks: r.Reads && !r.Failed && !r.Denied,
			Exchange: func() *leaf.Exchange { return shownExchange(r) },
		}
		for i, to := range r.Moves {
			switch n := s.addOwn(g, by, to); {
			case n == nil:
			case i < len(r.Owns) && r.Owns[i] == to:
				n.Here = append(n.Here, x)
			default:
				n.Reached = append(n.Reached, x)
			}
		}
		for i := range r.Births {
			if n := s.addOwn(g, by, r.Births[i].Own); n != nil {
				n.Reached = append(n.Reached, x)
			}
		}
	}
	for _, e := range t.machine.SilentEdges() {
		s.addOwn(g, by, e.To)
	}
	return s
}

// addOwn notes the node of an own state and returns it; nil where the graph has none.
func (s *States) addOwn(g *drawing, by map[*machine.Node]*StateNode, own machine.Own) *StateNode {
	n := g.Node(own)
	if n == nil {
		return nil
	}
	s.byOwn[own] = by[n]
	return by[n]
}

// shownExchange returns a recording as an exchange. What stands for a value of the client's stands
// there as on tape.
func shownExchange(r *machine.Recording) *leaf.Exchange {
	answer := recordedAnswer(r)
	x := &leaf.Exchange{}
	x.Method, x.URL = r.Method, r.Address+r.Target
	x.Code, x.Response.Status = r.Code, r.Status
	x.Response.Headers, x.Response.Body = answer.Header, answer.Body
	x.Meta.Operation, x.Meta.Fault, x.Meta.Host = r.Operation(), r.Fault, r.Host
	return x
}

// maxSaying bounds the answers that are asked what a state is called.
const maxSaying = 20

// named returns the words of an own state behind what the answers in it call it, if they do: "paid
// 125.00 EUR (register.do, paymentorder.do)".
func (t *Tape) named(own machine.Own, words string) string {
	if t.opts.Says == nil {
		return words
	}
	node := t.States().byOwn[own]
	if node == nil {
		return words
	}
	for _, x := range node.Here[:min(maxSaying, len(node.Here))] {
		if !x.Asks {
			continue
		}
		if name := shown(t.opts.Says(x.Exchange())); name != "" {
			return fmt.Sprintf("%s (%s)", name, words)
		}
	}
	return words
}

// LiveState is how many live entities are in a state, and some of them.
type LiveState struct {
	leaf.Unprinted
	Count int
	Some  []LiveEntity
}

// LiveEntity is a live entity with its names, which are as they were served: they need cleaning.
type LiveEntity struct {
	leaf.Unprinted
	Session string
	Names   []LiveName
}

// LiveName is a name of a live entity.
type LiveName struct {
	leaf.Unprinted
	Noun, Text string
}

// LiveStates returns where the live entities of all sessions stand, by the ids of States, with some
// entities of each state, the latest first. Each player waits while its entities are counted: about a
// millisecond for 10,000.
func (s *Sessions) LiveStates(some int) map[string]LiveState {
	states, all := s.tape.States(), map[string]LiveState{}
	for _, p := range s.players() {
		p.countStates(states, all, some)
	}
	return all
}

func (p *Player) countStates(states *States, all map[string]LiveState, some int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, es := range p.kinds {
		for _, e := range slices.Backward(es) {
			n := states.byOwn[e.Own]
			if n == nil {
				continue
			}
			at := all[n.ID]
			at.Count++
			if len(at.Some) < some {
				at.Some = append(at.Some, p.liveEntity(e))
			}
			all[n.ID] = at
		}
	}
}

// liveEntity returns an entity with its names. The lock is held.
func (p *Player) liveEntity(e *entity) LiveEntity {
	live := LiveEntity{Session: p.title}
	for i := range e.values {
		if b := &e.values[i]; b.isName {
			live.Names = append(live.Names, LiveName{Noun: b.name, Text: b.text})
		}
	}
	return live
}

// CassetteSummary is what a tape has of one of its cassettes.
type CassetteSummary struct {
	Exchanges int // that can be replayed
	Callbacks int // with all their attempts
	Began     time.Time
	Address   string // of the sandbox that the first exchange was with; empty if the tape does not tell
}

// Cassette says what the tape has of a cassette; false if it has nothing of it.
func (t *Tape) Cassette(name string) (CassetteSummary, bool) {
	s, found := CassetteSummary{}, false
	for _, r := range t.machine.All {
		if r.Cassette != name {
			continue
		}
		if !found {
			found, s.Began, s.Address = true, r.Began(), r.Address
		}
		if !r.Lost {
			s.Exchanges++
		}
		s.Callbacks += len(r.Recording.Callbacks)
	}
	return s, found
}
