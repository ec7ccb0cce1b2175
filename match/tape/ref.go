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
		r = a.way(e, a.starts)
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

// way looks for the shortest way to an entity: along wholes, scopes, links and parts. Most ways
// end where they start. It does not run within itself: its rooms are the compiler's.
func (a *answerReader) way(target *Entity, starts iter.Seq[hop]) *Ref {
	n := 0
	for h := range starts {
		if h.entity == target {
			return a.startsAt(h.ref)
		}
		if n++; n == maxHops {
			break
		}
	}
	queue, seen := slices.Grow(a.hops[:0], maxHops), a.met // with room for all: hops stay where they are
	a.hops = queue
	clear(seen)
	// add reports whether there is room for more entities, of which an answer may bear any number.
	add := func(h hop) bool {
		if !seen[h.entity] {
			seen[h.entity] = true
			queue = append(queue, h)
		}
		return len(queue) < maxHops
	}
	room := true
	for h := range starts {
		if room = add(h); !room {
			break
		}
	}
	for i := 0; i < len(queue); i++ {
		h := &queue[i]
		if h.entity == target {
			return a.trace(h)
		}
		for _, to := range []Relation{ToWhole, ToScope, ToLink, ToPart} {
			if !room || to == ToPart && h.entity.Scope {
				continue
			}
			for e := range h.entity.related(to) {
				if room = add(hop{entity: e, from: h, to: to}); !room {
					break
				}
			}
		}
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
