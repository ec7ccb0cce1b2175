package machine

import (
	"cmp"
	"slices"

	"github.com/paytape/paytape/match/tape"
)

// Flows are the entities of a tape in flows: families, and what writes to them have borne. A flow is
// for people to look at, and for whoever compares two tapes: replay knows entities alone.
//
//	#1 register.do          bears order A       flow 0: order A, binding B
//	#2 paymentorder.do A    bears binding B
//	#3 register.do          bears order C       flow 1: order C
type Flows struct {
	// Entities are those that turn up in recordings, in that order, scopes included.
	Entities []*tape.Entity
	// Count is how many flows there are.
	Count int

	firsts map[*tape.Recording]*Recording // see Machine.firsts
	up     map[*tape.Entity]*tape.Entity  // what leads to the entity that stands for the flow
	index  map[*tape.Entity]int           // of the flow that an entity stands for
}

// Flows groups the entities of the tape.
func (m *Machine) Flows() *Flows {
	f := &Flows{firsts: m.firsts(), up: map[*tape.Entity]*tape.Entity{}, index: map[*tape.Entity]int{}}
	seen := map[*tape.Entity]bool{}
	for _, r := range m.All {
		for _, e := range r.Concerned() {
			if seen[e] {
				continue
			}
			seen[e] = true
			f.Entities = append(f.Entities, e)
			for _, w := range e.Wholes() {
				if !e.Scope {
					f.unite(w, e)
				}
			}
		}
		f.unite(together(r)...)
	}
	for _, e := range f.Entities {
		if e.Scope {
			continue
		}
		root := f.root(e)
		if _, known := f.index[root]; !known {
			f.index[root] = f.Count
			f.Count++
		}
	}
	return f
}

// Concerned returns the entities that a recording names and bears. What bore nobody knows of, but
// was found by other recordings like it, is among them.
func (r *Recording) Concerned() []*tape.Entity {
	es := slices.Clone(r.Roles)
	for _, b := range r.Births {
		if b.Entity != nil && !slices.Contains(es, b.Entity) {
			es = append(es, b.Entity)
		}
	}
	return es
}

// together returns the entities that a recording bears, behind the first that it names: these belong
// to one flow.
func together(r *Recording) []*tape.Entity {
	var es []*tape.Entity
	for _, b := range r.Births {
		if b.Entity != nil {
			es = append(es, b.Entity)
		}
	}
	for _, e := range r.Roles {
		if !e.Scope && len(es) > 0 && !r.Reads {
			return append([]*tape.Entity{e}, es...)
		}
	}
	return es
}

// Of returns the flow of an entity, from 0. A scope has none.
func (f *Flows) Of(e *tape.Entity) (int, bool) {
	if e.Scope {
		return 0, false
	}
	i, known := f.index[f.root(e)]
	return i, known
}

// OfRecording returns the flow of a recording: that of the first entity that it names, bears or
// lists; of one whose idempotency key had come before that of the first under the key. It returns false if
// there is none.
func (f *Flows) OfRecording(r *Recording) (int, bool) {
	r = cmp.Or(f.First(r), r)
	es := r.Concerned()
	if r.Listing != nil {
		for _, item := range r.Listing.Items {
			es = append(es, item.Entity)
		}
	}
	for _, e := range es {
		if i, known := f.Of(e); known {
			return i, true
		}
	}
	return 0, false
}

// First returns the recording that had first the idempotency key of a recording which says nothing else than what
// becomes of a key that comes again; nil for any other.
func (f *Flows) First(r *Recording) *Recording { return f.firsts[r.Recording] }

// root returns the entity that stands for the flow of another.
func (f *Flows) root(e *tape.Entity) *tape.Entity {
	up := f.up[e]
	if up == nil {
		return e
	}
	top := f.root(up)
	f.up[e] = top // the next one finds it at once
	return top
}

// unite makes one flow of those of several entities.
func (f *Flows) unite(es ...*tape.Entity) {
	for _, e := range es {
		if x, y := f.root(es[0]), f.root(e); x != y {
			f.up[y] = x
		}
	}
}
