package match

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// entity is a live thing: where it stands in the machine, and its values. Its Player's lock guards
// it.
type entity struct {
	number int // for people, from 1
	kind   string
	typ    *profile.Entity // nil for an inferred kind
	machine.Standing
	// follows is the recorded entity whose recordings are taken where the tape has several.
	follows *tape.Entity
	// mark is why answers about the entity say assumed; "" for an entity that went as on tape.
	mark string
	*relations

	values []bound
	times  []instant   // of what was done to it, its birth first, as far as answers tell them
	latest instant     // when the last thing was done
	since  instant     // when it came to its own state
	reads  []readCount // of the state that it is in

	alone machine.Family // of an entity that has no wholes

	older, newer *entity // by their last use; see recency
	kept         bool    // it is in that list
	gone         bool    // it was dropped
	passing      bool    // it lives no longer than the answer that bears it
	secrets      bool    // some of its values are tokens, which nothing may show
	// upstream says that it lives at the sandbox: see Spy.
	upstream bool
}

// instant is a moment in the life of an entity, in nanoseconds since 1970. Whoever writes it knows the
// zone.
type instant int64

func instantOf(t time.Time) instant { return instant(t.UnixNano()) }

func (i instant) time() time.Time { return time.Unix(0, int64(i)) }

// relations are what many entities have none of: an order of no client stands alone. Those who have
// none share one value, which nobody changes: see relate.
type relations struct {
	// literal is the text under which a configured entity was there from the start; "" for others.
	literal string
	scopes  []*entity
	facts   map[string]string // by which entities of its kind are told apart
	wholes  []*entity
	parts   []*entity // in the order of their births, as the next two
	links   []*entity
	members map[string][]*entity // of a scope, by kind
}

var unrelated relations

// relate returns the relations of an entity, to be changed.
func (e *entity) relate() *relations {
	if e.relations == &unrelated {
		e.relations = &relations{}
	}
	return e.relations
}

// admit makes an entity a member of a scope.
func (e *entity) admit(o *entity) {
	r := e.relate()
	if r.members == nil {
		r.members = map[string][]*entity{}
	}
	r.members[o.kind] = append(r.members[o.kind], o)
}

// all yields the members of a scope, kind by kind.
func (r *relations) all() iter.Seq[*entity] {
	return func(yield func(*entity) bool) {
		for _, kind := range slices.Sorted(maps.Keys(r.members)) {
			for _, o := range r.members[kind] {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// bound is a live value of an entity.
type bound struct {
	name   string // of its slot; see tape.Slot
	text   string
	n      int32 // of its slot
	byRead bool  // a read brought it
	isName bool  // requests find the entity by it
	isNoun bool  // its name is a noun of the profile
	secret bool  // it is a token, which nothing may show
}

// in makes a value of the text in a slot.
func in(s tape.Slot, text string) bound { return bound{name: s.Name, text: text, n: int32(s.N)} }

// slot returns where a value is kept.
func (b *bound) slot() tape.Slot { return tape.Slot{Name: b.name, N: int(b.n)} }

// is reports whether a value is in a slot.
func (b *bound) is(s tape.Slot) bool { return int(b.n) == s.N && b.name == s.Name }

// noun returns the noun of the profile under which requests have a name; "" where there is none.
func (b *bound) noun() string {
	if !b.isNoun {
		return ""
	}
	return b.name
}

// moreValues is for how many values an entity gets room at once. There are many entities, they live for
// long, and most have few values.
const moreValues = 3

// addValue adds a value behind the others.
func (e *entity) addValue(b bound) {
	if n := len(e.values); n == cap(e.values) {
		room := make([]bound, n, n+max(moreValues, n/4))
		copy(room, e.values)
		e.values = room
	}
	e.values = append(e.values, b)
}

// readCount counts the reads of one question in one state.
type readCount struct {
	machine.Reads
	n int
}

// value returns the latest value in a slot, and whether there is one.
func (e *entity) value(s tape.Slot) (string, bool) {
	for i := len(e.values) - 1; i >= 0; i-- {
		if e.values[i].is(s) {
			return e.values[i].text, true
		}
	}
	return "", false
}

// last returns the latest value of a name, and how many there are.
func (e *entity) last(name string) (text string, n int) {
	for i := range e.values {
		if e.values[i].name == name {
			text = e.values[i].text
			n = max(n, int(e.values[i].n)+1)
		}
	}
	return text, n
}

// behind counts the values of a slot's name that writes have brought since.
func (e *entity) behind(s tape.Slot) int {
	n := 0
	for i := range e.values {
		if b := &e.values[i]; b.name == s.Name && int(b.n) > s.N && !b.byRead {
			n++
		}
	}
	return n
}

// whole and scope relations, in the words of the tape.
func (e *entity) related(to tape.Relation) []*entity {
	switch to {
	case tape.ToWhole:
		return e.wholes
	case tape.ToScope:
		return e.scopes
	case tape.ToPart:
		return e.parts
	}
	return e.links
}

// step returns the entity to which a step leads, or nil.
func (e *entity) step(s tape.Step) *entity {
	n := s.N
	for _, o := range e.related(s.To) {
		if o.kind != s.Kind {
			continue
		}
		if n == 0 {
			return o
		}
		n--
	}
	return nil
}

// walk follows steps from an entity; nil if some step leads nowhere.
func (e *entity) walk(steps []tape.Step) *entity {
	for _, s := range steps {
		if e == nil {
			return nil
		}
		e = e.step(s)
	}
	return e
}

// reading counts a read of a question, and returns how many there were before.
func (e *entity) reading(at machine.Reads) int {
	for i := range e.reads {
		if e.reads[i].Reads == at {
			e.reads[i].n++
			return e.reads[i].n - 1
		}
	}
	e.reads = append(e.reads, readCount{at, 1})
	return 0
}

// asked returns how many reads of a question there were.
func (e *entity) asked(at machine.Reads) int {
	for i := range e.reads {
		if e.reads[i].Reads == at {
			return e.reads[i].n
		}
	}
	return 0
}
