package drawing

import (
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// Bounds of a drawing.
const (
	maxNodes      = 400
	maxEdges      = 2000
	maxRecordings = 200 // of a state or an edge
	maxUnused     = 1000
	maxLive       = 3 // entities that a state names
)

// Options are what Machines are made of.
type Options struct {
	Tape     *match.Tape
	Profiles *profile.Set
	Redactor *redact.Redactor
	// Asked yields the recordings of the tape with how often each was served; nil: nobody has asked.
	Asked func() iter.Seq2[match.Recorded, int64]
	// Live returns how many entities are in which state; nil: there are none.
	Live func(some int) map[string]match.LiveState
	// Sealed reports whether a cassette is as the recorder has left it. Nil: nobody knows.
	Sealed func(cassette string) bool
}

// Machines draws the cassettes of a tape. It is safe for concurrent use.
type Machines struct {
	options Options

	mu    sync.Mutex              // guards still
	still map[string]view.Machine // what does not change, by cassette
}

// New returns Machines that have drawn nothing yet.
func New(o Options) *Machines { return &Machines{options: o, still: map[string]view.Machine{}} }

// Names returns the names of the cassettes, in the order of the tape.
func (ms *Machines) Names() []string {
	names := []string{}
	for r := range ms.options.Tape.Recorded() {
		if len(names) == 0 || names[len(names)-1] != r.Cassette {
			names = append(names, r.Cassette)
		}
	}
	return names
}

// Machine draws a cassette as it is now; false if the tape has nothing of it.
func (ms *Machines) Machine(cassette string) (view.Machine, bool) {
	m, ok := ms.drawn(cassette)
	if !ok {
		return m, false
	}
	ms.count(&m)
	ms.live(&m)
	return m, true
}

// drawn returns what does not change of a drawing, in copies of what will be filled in.
func (ms *Machines) drawn(cassette string) (view.Machine, bool) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m, ok := ms.still[cassette]
	if !ok {
		if m, ok = ms.draw(cassette); !ok {
			return m, false
		}
		ms.still[cassette] = m
	}
	m.Nodes, m.Edges = slices.Clone(m.Nodes), slices.Clone(m.Edges)
	for i := range m.Nodes {
		m.Nodes[i].Recordings = slices.Clone(m.Nodes[i].Recordings)
	}
	return m, true
}

// draw draws what does not change.
func (ms *Machines) draw(cassette string) (view.Machine, bool) {
	o := &ms.options
	about, ok := o.Tape.Cassette(cassette)
	if !ok {
		return view.Machine{}, false
	}
	m := view.Machine{
		Cassette: cassette, Exchanges: about.Exchanges, Callbacks: about.Callbacks, At: about.Began,
		From: about.Address, Kinds: []string{}, Nodes: []view.Node{}, Edges: []view.Edge{},
		Unused: []view.Unused{}, Mermaid: o.Tape.Mermaid(),
	}
	m.Sealed = o.Sealed != nil && o.Sealed(cassette)
	states := o.Tape.States()
	in := nodesOf(states, cassette)
	here := map[*match.StateNode]bool{}
	for _, kind := range states.Kinds { // one kind behind the other
		for _, n := range states.Nodes {
			switch {
			case n.Kind != kind || !in[n]:
			case len(m.Nodes) == maxNodes:
				m.More++
			default:
				here[n] = true
				m.Nodes = append(m.Nodes, ms.node(n, cassette))
			}
		}
		if n := len(m.Nodes); n > 0 && m.Nodes[n-1].Kind == kind {
			m.Kinds = append(m.Kinds, kind)
		}
	}
	for _, e := range states.Edges {
		numbers := numbersOf(e.Recordings, cassette)
		if len(numbers) == 0 || !here[e.To] || e.From != nil && !here[e.From] || len(m.Edges) == maxEdges {
			continue
		}
		edge := view.Edge{
			To: e.To.ID, Operation: e.Operation, Label: e.Label, Silent: e.Silent, Recordings: numbers,
		}
		if e.From != nil {
			edge.From = e.From.ID
		}
		m.Edges = append(m.Edges, edge)
	}
	place(&m)
	return m, true
}

// nodesOf returns the states that a cassette is in, or leads to.
func nodesOf(s *match.States, cassette string) map[*match.StateNode]bool {
	in := map[*match.StateNode]bool{}
	for _, n := range s.Nodes {
		if slices.ContainsFunc(n.Here, func(x match.Shown) bool { return x.Cassette == cassette }) {
			in[n] = true
		}
	}
	for _, e := range s.Edges {
		if len(numbersOf(e.Recordings, cassette)) > 0 {
			in[e.To] = true
			if e.From != nil {
				in[e.From] = true
			}
		}
	}
	return in
}

// numbersOf returns the numbers of the recordings of a cassette, some of many.
func numbersOf(all []match.Recorded, cassette string) []int {
	var numbers []int
	for _, r := range all {
		if r.Cassette == cassette && len(numbers) < maxRecordings {
			numbers = append(numbers, r.Number)
		}
	}
	return numbers
}

// node returns a state with what is recorded in it. Its name is what the first answer to a question
// calls it that has a code, or that has words; where nobody has asked in the state, what the call has
// answered that led to it.
func (ms *Machines) node(n *match.StateNode, cassette string) view.Node {
	node := view.Node{
		ID: n.ID, Kind: n.Kind, Number: n.Number, Words: n.Words, Recordings: []view.Recording{},
	}
	for _, x := range n.Here {
		if x.Cassette != cassette || len(node.Recordings) == maxRecordings {
			continue
		}
		answer := ms.said(x.Exchange())
		node.Recordings = append(node.Recordings, view.Recording{
			Number: x.Number, Operation: x.Operation, Answer: answer.words,
		})
		if x.Asks && answer.state != "" && (node.Name == "" || node.Code == "" && answer.codes != "") {
			node.Name, node.Code, node.Tone = answer.state, answer.codes, answer.tone
		}
	}
	for _, x := range n.Reached {
		if x.Cassette == cassette && node.Name == "" {
			node.Name = ms.said(x.Exchange()).state
		}
	}
	return node
}

// said is what an exchange on tape came to, in texts that have been cleaned.
type said struct {
	words, state string // with and without the amount, which is no part of a state
	codes        string
	tone         view.Tone
}

func (ms *Machines) said(x *leaf.Exchange) said {
	found := outcome.Of(ms.options.Profiles, x)
	state := found.Words
	if found.Amount != nil {
		state = strings.TrimSuffix(state, " "+found.Amount.Text)
	}
	clean := func(s string) string { return ms.options.Redactor.Text(s).String() }
	return said{clean(found.Words), clean(state), clean(found.Codes), view.Tone(found.Tone)}
}

// count fills in how often recordings were asked for.
func (ms *Machines) count(m *view.Machine) {
	if ms.options.Asked == nil {
		return
	}
	asked := map[int]int{}
	for r, n := range ms.options.Asked() {
		switch {
		case r.Cassette != m.Cassette:
		case n > 0:
			m.Asked++
			asked[r.Number] = int(n)
		case len(m.Unused) < maxUnused:
			m.Unused = append(m.Unused, view.Unused{Number: r.Number, Operation: r.Operation})
		}
	}
	for i := range m.Nodes {
		n := &m.Nodes[i]
		for j := range n.Recordings {
			n.Recordings[j].Asked = asked[n.Recordings[j].Number]
			n.Asked += n.Recordings[j].Asked
		}
	}
	for i := range m.Edges {
		for _, number := range m.Edges[i].Recordings {
			m.Edges[i].Asked += asked[number]
		}
	}
}

// live fills in how many live entities are in which state, and who some of them are.
func (ms *Machines) live(m *view.Machine) {
	if ms.options.Live == nil {
		return
	}
	all := ms.options.Live(maxLive)
	for i := range m.Nodes {
		n := &m.Nodes[i]
		at := all[n.ID]
		n.LiveCount = at.Count
		for _, e := range at.Some {
			n.Live = append(n.Live, ms.who(n.Kind, e))
		}
	}
}

// who returns what people call a live entity of a kind.
func (ms *Machines) who(kind string, e match.LiveEntity) view.Who {
	api, entity, _ := strings.Cut(kind, " ")
	w := view.Who{Kind: entity}
	best := -1
	for _, n := range e.Names {
		if mask, is := outcome.MaskOf(n.Text); is && n.Noun == cardNoun {
			w.Card = ms.options.Redactor.Text(mask)
			continue
		}
		text := ms.options.Redactor.Text(n.Text).Clip(maxName)
		if w.ID.String() == "" {
			w.ID = text
		}
		if rank := ms.rank(api, n.Noun); best < 0 || rank < best {
			best, w.Label = rank, text
		}
	}
	return w
}

const (
	cardNoun = "card"
	maxName  = 80 // bytes of a name
)

// rank returns how good a noun is to call something by: 0 is best.
func (ms *Machines) rank(api, noun string) int {
	for _, p := range ms.options.Profiles.Profiles() {
		if p.Name == api && p.Outcome != nil {
			if i := slices.Index(p.Outcome.Who, noun); i >= 0 {
				return i
			}
		}
	}
	return math.MaxInt
}
