package match

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Description says what replay understands of a cassette. It holds values of the tape alone.
type Description struct {
	Cassette  string    `json:"cassette"`
	Exchanges int       `json:"exchanges"` // those that can be replayed
	LeftOut   []LeftOut `json:"leftOut"`
	Flows     []Flow    `json:"flows"`
	Scopes    []Scope   `json:"scopes"`
	// Apart are the exchanges that name nothing and bear nothing.
	Apart []Step `json:"apart"`
	// Variables are the variables that turn up first in an exchange of no flow.
	Variables []Variable `json:"variables"`
}

// LeftOut is an exchange that is not replayed.
type LeftOut struct {
	Exchange int    `json:"exchange"` // its number
	Why      string `json:"why"`
}

// Flow is entities that belong together: families, and what writes to them have borne.
type Flow struct {
	Entities  []TapeEntity `json:"entities"`
	Variables []Variable   `json:"variables"`
}

// TapeEntity is an entity on tape, and what was done to it and asked about it.
type TapeEntity struct {
	Label string `json:"label"` // "order 1": its kind, and its number among those of the kind
	Kind  string `json:"kind"`  // "gateway order"
	Names []Name `json:"names"`
	// Born is the number of the exchange that bore it and By the operation of that. Both are empty
	// for an entity that was there from the start.
	Born   int      `json:"born,omitempty"`
	By     string   `json:"by,omitempty"`
	Wholes []string `json:"wholes,omitempty"` // labels of what it is a part of
	Scopes []string `json:"scopes,omitempty"` // labels of what it is a member of
	Steps  []Step   `json:"steps"`
	Silent []Change `json:"silentChanges"`
}

// Name is a name of an entity, by which requests find it.
type Name struct {
	Noun string `json:"noun"`
	Text string `json:"text"` // as on tape
}

// Scope is an entity that has members, such as a clientId.
type Scope struct {
	Label   string   `json:"label"` // "client client-one"
	Members []string `json:"members"`
	Steps   []Step   `json:"steps"`
}

// Step is an exchange about an entity.
type Step struct {
	Exchange  int    `json:"exchange"`
	Operation string `json:"operation"`
	Does      string `json:"does"` // one of the words below
	// State is the number of the own state in which the exchange found the entity, among the states
	// of its kind, as the graph has them; 0 before its birth, and where there is no entity. Words
	// tell what was done in it before. To is the state that the exchange leads to.
	State int    `json:"state"`
	Words string `json:"words,omitempty"`
	To    int    `json:"to,omitempty"`
	// Cards are the card numbers that the request brings, without the digits that no tape has.
	Cards string `json:"cards,omitempty"`
	// With are the labels of the other entities that the request names.
	With []string `json:"with,omitempty"`
	// Overlapped says that a write was under way meanwhile: the answer tells of no state.
	Overlapped bool `json:"overlapped,omitempty"`
	// Missed says that a call is missing on tape before it: the same.
	Missed bool `json:"missed,omitempty"`
	// Lost says that nobody read the answer: the exchange is not replayed, and what it did is
	// known.
	Lost bool `json:"lost,omitempty"`
}

// What a step does to its entity.
const (
	stepBears   = "bears"
	stepShows   = "shows" // a read that shows it first
	stepWrites  = "write"
	stepUses    = "use" // a write that does not change it
	stepReads   = "read"
	stepLists   = "list" // shows it among others
	stepFails   = "failed"
	stepRefused = "refused" // for its credentials
	stepTold    = "told"    // a callback: what the sandbox told the shop by itself
	stepRepeats = "repeat"  // a write whose idempotency key had come before
)

// FlowCount returns how many flows the tape has: those that Describe lists.
func (t *Tape) FlowCount() int { return t.machine.Flows().Count }

// Describe compiles a cassette and says what was understood.
func Describe(o Options, c Cassette) *Description {
	t := Compile(o, c)
	d := &describer{
		Description: &Description{
			Cassette: c.Name, Exchanges: t.Exchanges(), LeftOut: []LeftOut{},
			Flows: []Flow{}, Scopes: []Scope{}, Apart: []Step{}, Variables: []Variable{},
		},
		m: t.machine, graph: t.machine.Graph(), recorded: map[int]*leaf.Exchange{},
		labels: map[*tape.Entity]string{}, flows: t.machine.Flows(),
	}
	i := 0
	for x := range c.All() {
		i++
		d.exchange(cmp.Or(x.Meta.Number, i), x)
	}
	d.group()
	d.tell()
	for _, v := range d.variables() {
		to := &d.Variables
		if v.flow >= 0 {
			to = &d.Flows[v.flow].Variables
		}
		*to = append(*to, v.Variable)
	}
	return d.Description
}

// exchange notes a recorded exchange, and why compiling passes over it if it does.
func (d *describer) exchange(number int, x *leaf.Exchange) {
	d.recorded[number] = x
	switch {
	case x.Meta.Callback != nil && x.Meta.Withheld == "": // whatever the shop has answered
	case !x.Replayable():
		d.LeftOut = append(d.LeftOut, LeftOut{number, x.Meta.Why()})
	case !tape.Final(x.Code):
		d.LeftOut = append(d.LeftOut, LeftOut{number, "its status is no final one"})
	}
}

// describer makes a Description.
type describer struct {
	*Description
	m        *machine.Machine
	graph    *machine.Graph
	recorded map[int]*leaf.Exchange // by number
	labels   map[*tape.Entity]string
	flows    *machine.Flows
}

// group gives the entities labels, and makes room for the flows.
func (d *describer) group() {
	count := map[string]int{}
	for _, e := range d.flows.Entities {
		if e.Scope {
			d.labels[e] = e.Words()
			continue
		}
		name := e.Kind
		if e.Type != nil {
			name = e.Type.Name
		}
		count[name]++
		d.labels[e] = name + " " + strconv.Itoa(count[name])
	}
	for range d.flows.Count {
		d.Flows = append(d.Flows, Flow{Entities: []TapeEntity{}, Variables: []Variable{}})
	}
}

// tell writes down entities, scopes and what is apart, with their steps.
func (d *describer) tell() {
	steps, now := map[*tape.Entity][]Step{}, map[*tape.Entity]machine.Own{}
	for _, r := range d.m.All {
		for _, cb := range r.Recording.Callbacks {
			steps[cb.Entity] = append(steps[cb.Entity], d.told(r, cb))
		}
		if first := d.flows.First(r); first != nil {
			d.repeat(steps, r, first)
			continue
		}
		for i, e := range r.Roles {
			steps[e] = append(steps[e], d.step(r, i))
			if i < len(r.Moves) {
				now[e] = r.Moves[i]
			}
		}
		for i := range r.Births {
			if b := &r.Births[i]; b.Entity != nil && !slices.Contains(r.Roles, b.Entity) {
				steps[b.Entity] = append(steps[b.Entity], d.birth(r, b))
				now[b.Entity] = b.Own
			}
		}
		for _, e := range shownBy(r) {
			steps[e] = append(steps[e], d.listing(r, now[e]))
		}
		if len(r.Roles) == 0 && len(r.Births) == 0 {
			d.Apart = append(d.Apart, d.step(r, -1))
		}
	}
	for _, all := range steps {
		slices.SortStableFunc(all, func(a, b Step) int { return cmp.Compare(a.Exchange, b.Exchange) })
	}
	silent := d.silentChanges()
	for _, e := range d.flows.Entities {
		if e.Scope {
			d.Scopes = append(d.Scopes, Scope{d.labels[e], d.labelled(e.Members()), steps[e]})
			continue
		}
		t := TapeEntity{
			Label: d.labels[e], Kind: e.Kind, Names: []Name{}, Wholes: d.labelled(e.Wholes()),
			Scopes: d.labelled(e.Scopes()), Steps: steps[e], Silent: append([]Change{}, silent[e]...),
		}
		for n := range e.Names() {
			if name := (Name(n)); !slices.Contains(t.Names, name) {
				t.Names = append(t.Names, name)
			}
		}
		if e.Born != nil {
			t.Born, t.By = e.Born.Number, e.Born.Did()
		}
		if i, known := d.flows.Of(e); known {
			d.Flows[i].Entities = append(d.Flows[i].Entities, t)
		}
	}
}

// repeat adds a write whose idempotency key another had first to the steps of what the first is about.
func (d *describer) repeat(steps map[*tape.Entity][]Step, r, first *machine.Recording) {
	s := Step{Exchange: r.Number, Operation: r.Did(), Does: stepRepeats, Cards: r.Cards()}
	about := slices.DeleteFunc(first.Concerned(), func(e *tape.Entity) bool { return e.Scope })
	for _, e := range about {
		steps[e] = append(steps[e], s)
	}
	if len(about) == 0 {
		d.Apart = append(d.Apart, s)
	}
}

func (d *describer) labelled(es []*tape.Entity) []string {
	labels, seen := []string{}, map[string]bool{}
	for _, e := range es {
		if l := d.labels[e]; l != "" && !seen[l] {
			seen[l] = true
			labels = append(labels, l)
		}
	}
	return labels
}

// step tells of a recording as the entity of a role sees it; -1 is none.
func (d *describer) step(r *machine.Recording, role int) Step {
	s := Step{
		Exchange: r.Number, Operation: r.Did(), Does: stepReads, Cards: r.Cards(),
		Overlapped: r.Overlapped, Missed: r.Missed, Lost: r.Lost,
	}
	moved := role >= 0 && role < len(r.Moves) && r.Moves[role] != r.Owns[role]
	switch {
	case r.Denied:
		s.Does = stepRefused
	case r.Failed:
		s.Does = stepFails
	case r.Reads:
	case moved, role < 0:
		s.Does = stepWrites
	default:
		s.Does = stepUses
	}
	if role >= 0 && role < len(r.Owns) {
		s.State, s.Words = d.stateOf(r.Owns[role])
		s.To, _ = d.stateOf(r.Moves[role])
	}
	for i, e := range r.Roles {
		if i != role {
			s.With = append(s.With, d.labels[e])
		}
	}
	return s
}

// birth tells of a recording as what it bears sees it.
func (d *describer) birth(r *machine.Recording, b *machine.Birth) Step {
	s := d.step(r, -1)
	s.Does = stepBears
	if r.Reads {
		s.Does = stepShows
	}
	s.To, _ = d.stateOf(b.Own)
	return s
}

// told tells of a callback, in the state in which what caused it left the entity.
func (d *describer) told(r *machine.Recording, cb *tape.Callback) Step {
	s := Step{
		Exchange: cb.Number, Operation: cmp.Or(cb.Operation, profile.CallbackOperation), Does: stepTold,
	}
	s.State, s.Words = d.stateOf(r.Behind(cb))
	s.To = s.State
	return s
}

// shownBy returns the entities that a recorded list shows beside those that it names or bears.
func shownBy(r *machine.Recording) []*tape.Entity {
	if r.Listing == nil {
		return nil
	}
	var es []*tape.Entity
	known := r.Concerned()
	for _, item := range r.Listing.Items {
		if !slices.Contains(known, item.Entity) && !slices.Contains(es, item.Entity) {
			es = append(es, item.Entity)
		}
	}
	return es
}

// listing tells of a recorded list as an entity in it sees it.
func (d *describer) listing(r *machine.Recording, o machine.Own) Step {
	s := d.step(r, -1)
	s.Does = stepLists
	s.State, s.Words = d.stateOf(o)
	s.To = s.State
	return s
}

// stateOf returns the number of an own state and its words.
func (d *describer) stateOf(o machine.Own) (int, string) {
	if n := d.graph.Node(o); n != nil {
		return n.Number, n.Words
	}
	return 0, ""
}
