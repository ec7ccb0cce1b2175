package match

import (
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
	scope  bool
	own    machine.Own
	card   uint64 // of the number it was paid with; 0 for none
	nth    int    // see machine.Member, as the next
	idle   bool
	// changed is how many of the parts are not idle.
	changed int
	// literal is the text under which a configured entity was there from the start; "" for others.
	literal string
	// follows is the recorded entity whose recordings are taken where the tape has several.
	follows *tape.Entity
	// mark is why answers about the entity say assumed; "" for an entity that went as on tape.
	mark string
	// upstream says that it lives at the sandbox: see Spy.
	upstream bool
	facts    map[string]string

	family  *machine.Family
	wholes  []*entity
	scopes  []*entity
	parts   []*entity // in the order of their births, as the next two
	links   []*entity
	members []*entity   // of a scope
	kin     machine.Kin // of a scope: its members

	values []bound
	times  []time.Time // of what was done to it, its birth first
	since  time.Time   // when it came to its own state
	reads  []readCount // of the state that it is in

	older, newer *entity // by their last use; see recency
	kept         bool    // it is in that list
}

// bound is a live value of an entity.
type bound struct {
	slot   tape.Slot
	text   string
	byRead bool // a read brought it
}

// readCount counts the reads of one question in one state.
type readCount struct {
	machine.Reads
	n int
}

// member is the entity as its family, its scopes and the session see it.
func (e *entity) member() machine.Member {
	return machine.Member{Own: e.own, Card: e.card, Nth: e.nth, Idle: e.idle}
}

// value returns the latest value in a slot, and whether there is one.
func (e *entity) value(s tape.Slot) (string, bool) {
	for i := len(e.values) - 1; i >= 0; i-- {
		if e.values[i].slot == s {
			return e.values[i].text, true
		}
	}
	return "", false
}

// last returns the latest value of a name, and how many there are.
func (e *entity) last(name string) (text string, n int) {
	for i := range e.values {
		if e.values[i].slot.Name == name {
			text = e.values[i].text
			n = max(n, e.values[i].slot.N+1)
		}
	}
	return text, n
}

// behind counts the values of a slot's name that writes have brought since.
func (e *entity) behind(s tape.Slot) int {
	n := 0
	for i := range e.values {
		if b := &e.values[i]; b.slot.Name == s.Name && b.slot.N > s.N && !b.byRead {
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
