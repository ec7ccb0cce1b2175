package tape

import (
	"cmp"
	"iter"
	"slices"
)

// pendingRef is a step of a way whose number is known when the whole cassette has been read: parts
// and links are counted in the order of birth, and what only a late read shows may be born early.
type pendingRef struct {
	step     *Step
	from, to *Entity
}

// ref returns the way from the exchange at hand to an entity.
func (a *answerReader) ref(e *Entity) *Ref {
	if r := a.refs[e]; r != nil {
		return r
	}
	r := a.startOf(e)
	if r == nil {
		r = a.way(e)
	}
	a.refs[e] = r
	return r
}

// startOf returns the way to an entity that the exchange at hand names or bears, as most are; else nil.
func (a *answerReader) startOf(e *Entity) *Ref {
	if a.callback != nil {
		return nil
	}
	if i := slices.Index(a.rec.Roles, e); i >= 0 && i < maxHops {
		return a.startsAt(Ref{Base: Role, N: i})
	}
	first := a.rec.Births[:min(len(a.rec.Births), maxHops)] // a list may bear any number
	if i := slices.Index(first, e); i >= 0 && len(a.rec.Roles)+i < maxHops {
		return a.startsAt(Ref{Base: Birth, N: i})
	}
	return nil
}

// starts yields the entities at which a way may start: the roles and births of the exchange; for a
// callback what it is about.
func (a *answerReader) starts(yield func(hop) bool) {
	if a.callback != nil { // no request need be at hand when it goes out
		yield(hop{entity: a.callback.Entity, ref: Ref{Base: Member}})
		return
	}
	for i, e := range a.rec.Roles {
		if !yield(hop{entity: e, ref: Ref{Base: Role, N: i}}) {
			return
		}
	}
	for i, e := range a.rec.Births {
		if !yield(hop{entity: e, ref: Ref{Base: Birth, N: i}}) {
			return
		}
	}
}

// hop is an entity on the way, and how it was reached.
type hop struct {
	entity *Entity
	ref    Ref
	from   *hop
	to     Relation
}

// maxHops bounds the entities that a way is looked for through.
const maxHops = 256

// search looks for the shortest ways from where some start: along wholes, scopes, links and parts. It looks no
// further than for the entity that it is asked for, and goes on from there for the next: an answer may show
// the parts of one whole, hundreds of them.
type search struct {
	hops  []hop // in the order in which they were reached
	at    map[*Entity]int
	next  int  // the first of hops that has not led on
	begun bool // where the answer at hand may start
}

// forget has the next look begin anew: another answer is at hand, or something else is related or borne.
func (s *search) forget() { s.begun = false }

// begin begins with where ways start.
func (s *search) begin(starts iter.Seq[hop]) {
	s.hops, s.next, s.begun = slices.Grow(s.hops[:0], maxHops), 0, true // room for all: hops stay where they are
	clear(s.at)
	for h := range starts {
		if !s.add(h) {
			return
		}
	}
}

// add adds an entity that was reached, and reports whether there is room for more: an answer may bear any number.
func (s *search) add(h hop) bool {
	if _, there := s.at[h.entity]; !there {
		s.at[h.entity] = len(s.hops)
		s.hops = append(s.hops, h)
	}
	return len(s.hops) < maxHops
}

// find returns how an entity is reached; nil if it is not.
func (s *search) find(e *Entity) *hop {
	for {
		if at, there := s.at[e]; there {
			return &s.hops[at]
		}
		if s.next == len(s.hops) || len(s.hops) == maxHops {
			return nil
		}
		s.leadOn(&s.hops[s.next])
		s.next++
	}
}

// leadOn adds what is related to an entity that was reached.
func (s *search) leadOn(h *hop) {
	for _, to := range [...]Relation{ToWhole, ToScope, ToLink, ToPart} {
		if to == ToPart && h.entity.Scope {
			continue
		}
		for e := range h.entity.related(to) {
			if !s.add(hop{entity: e, from: h, to: to}) {
				return
			}
		}
	}
}

// way returns the shortest way to an entity from the exchange at hand. Most ways end where they start.
func (a *answerReader) way(target *Entity) *Ref {
	if !a.search.begun {
		a.search.begin(a.starts)
	}
	if h := a.search.find(target); h != nil {
		return a.trace(h)
	}
	target.Followed = true
	return &Ref{Base: Follower, N: int(target.ID)}
}

// startsAt returns the way that ends where it starts. All such ways of a tape are one.
func (a *answerReader) startsAt(r Ref) *Ref {
	at := start{r.Base, r.N}
	same := a.tape.starts[at]
	if same == nil {
		kept := r // a copy, so that a way which has an equal is not kept
		same = &kept
		a.tape.starts[at] = same
	}
	return same
}

// start is a way without steps.
type start struct {
	base Base
	n    int
}

// trace writes the way that led to a hop.
func (a *answerReader) trace(h *hop) *Ref {
	if h.from == nil {
		return a.startsAt(h.ref)
	}
	var back []*hop
	for ; h.from != nil; h = h.from {
		back = append(back, h)
	}
	r := h.ref
	r.Steps = a.tape.slabs.steps.Make(len(back))
	for i := range back {
		b := back[len(back)-1-i]
		r.Steps[i] = Step{To: b.to, Kind: b.entity.Kind}
		a.tape.steps[b.entity.Kind] = true
		a.compiler.refs = append(a.compiler.refs, pendingRef{&r.Steps[i], b.from.entity, b.entity})
	}
	return a.tape.slabs.refs.Put(r)
}

// LeadsTo reports whether some answer shows a value of an entity of a kind, to which a way over other
// entities leads.
func (t *Tape) LeadsTo(kind string) bool { return t.steps[kind] }

// numberSteps sorts relations by birth, and then numbers the steps of all ways.
func (c *compiler) numberSteps() {
	for _, e := range c.tape.Entities {
		if e.Session != c.session {
			continue
		}
		byBirth := func(a, b *Entity) int { return cmp.Compare(a.birthPlace(), b.birthPlace()) }
		slices.SortStableFunc(e.Parts(), byBirth)
		slices.SortStableFunc(e.Members(), byBirth)
		slices.SortStableFunc(e.Links(), func(a, b Link) int {
			return cmp.Compare(a.Write.Place, b.Write.Place)
		})
		slices.SortStableFunc(e.events, func(a, b *Recording) int { return cmp.Compare(a.Place, b.Place) })
	}
	for _, p := range c.refs {
		p.step.N = p.number()
	}
}

// birthPlace is where an entity was born among the recordings; that of configuration is before all.
func (e *Entity) birthPlace() int {
	if e.Born == nil {
		return -1
	}
	return e.Born.Place
}

// number counts the entities of the kind that come before the target in its relation.
func (p *pendingRef) number() int {
	n := 0
	for e := range p.from.related(p.step.To) {
		if e == p.to {
			break
		}
		if e.Kind == p.to.Kind {
			n++
		}
	}
	return n
}

// related yields what stands in a relation to an entity.
func (e *Entity) related(to Relation) iter.Seq[*Entity] {
	switch to {
	case ToWhole:
		return slices.Values(e.Wholes())
	case ToScope:
		return slices.Values(e.Scopes())
	case ToPart:
		return slices.Values(e.Parts())
	}
	return func(yield func(*Entity) bool) {
		for _, l := range e.Links() {
			if !yield(l.Entity) {
				return
			}
		}
	}
}

// Step returns the entity to which a step leads, or nil.
func (e *Entity) Step(s Step) *Entity {
	n := s.N
	for o := range e.related(s.To) {
		if o.Kind == s.Kind {
			if n == 0 {
				return o
			}
			n--
		}
	}
	return nil
}
