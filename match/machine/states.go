package machine

import (
	"iter"
	"time"

	"github.com/paytape/paytape/internal/slab"
	"github.com/paytape/paytape/match/tape"
)

// state is the state of a recorded entity at this point of the tape.
type state struct {
	Standing
	*since               // it is changed by way of came
	same    *tape.Entity // the entity that this one turned out to be; nil for itself
	reads   *answered    // nil before anything was asked
	rosters []*roster    // of a scope or whole: a few kinds, and any number of each
	joined  int32        // how many entities had joined rosters when it had, with itself; 0 before it has
	// alone is the last write, of a call that no profile describes, that was about this scope alone and has moved it;
	// nil for none.
	alone *Recording
}

// since is how an entity came to its own state. Most entities are cards and shops, which are there and
// never move.
type since struct {
	moved time.Time       // when it came to its own state; zero if nobody knows
	born  *tape.Recording // the first that bore it; nil for none
	// by is the write that moved or bore the entity last, if the write has caused callbacks; else nil.
	by *tape.Recording
}

// always is what entities share that were there from the start and that nothing has moved.
var always = &since{}

func newStates(t *tape.Tape) states {
	return states{byID: make([]*state, len(t.Entities)), hidden: map[*tape.Entity]*state{}}
}

// roster returns the members of a kind.
func (s *state) roster(kind string) *roster {
	for _, r := range s.rosters {
		if r.kind == kind {
			return r
		}
	}
	r := &roster{kind: kind}
	s.rosters = append(s.rosters, r)
	return r
}

// states are the states of recorded entities: those on tape by their numbers, and those of hidden
// entities, which have none.
type states struct {
	byID   []*state // nil while an entity has none
	hidden map[*tape.Entity]*state

	room   slab.Of[state]
	sinces slab.Of[since]
	reads  slab.Of[answered]
}

// of returns the state of an entity; nil while it has none.
func (s *states) of(e *tape.Entity) *state {
	if e.ID < 0 {
		return s.hidden[e]
	}
	return s.byID[e.ID]
}

// put gives an entity a state that is empty but for how it came to it and for the rosters, and returns the state.
// Nobody may use any more what of has returned before.
func (s *states) put(e *tape.Entity, came *since) *state {
	if e.ID < 0 {
		st := s.hidden[e]
		if st == nil {
			st = &state{}
			s.hidden[e] = st
		}
		*st = state{since: came, rosters: st.rosters, joined: st.joined}
		return st
	}
	st := s.byID[e.ID]
	if st == nil {
		st = s.room.Put(state{})
		s.byID[e.ID] = st
	}
	*st = state{since: came, rosters: st.rosters, joined: st.joined}
	return st
}

// came notes when an entity came to its own state, and by which write that has caused callbacks; nil for
// none.
func (s *states) came(of *state, at time.Time, by *tape.Recording) {
	if of.since == always {
		of.since = s.sinces.Put(since{})
	}
	of.moved, of.by = at, by
}

// answered returns what was answered to questions about an entity, to be changed.
func (s *states) answered(of *state) *answered {
	if of.reads == nil {
		of.reads = s.reads.Put(answered{})
	}
	return of.reads
}

// all yields every state.
func (s *states) all() iter.Seq[*state] {
	return func(yield func(*state) bool) {
		for _, st := range s.byID {
			if st != nil && !yield(st) {
				return
			}
		}
		for _, st := range s.hidden {
			if !yield(st) {
				return
			}
		}
	}
}

// seen is what reads of one question were answered in one state.
type seen struct {
	question Reads
	class    uint64
	n        int
	last     *Recording // nil: nothing was
	left     bool       // by a silent edge
}

// answered is what reads of each question about an entity were answered. Nearly all entities are asked
// one question. Nil is of an entity that was asked nothing.
type answered struct {
	first seen
	more  map[Reads]*seen // nil for none
	in    map[Own][]*seen // those of more, by the own state that the entity was in
}

// find returns what was answered to a question, or nil.
func (a *answered) find(question Reads) *seen {
	if a == nil {
		return nil
	}
	if a.first.last != nil && a.first.question == question {
		return &a.first
	}
	return a.more[question]
}

// add adds what was answered to a question, in place of what was answered before.
func (a *answered) add(s seen) *seen {
	if a.first.last == nil || a.first.question == s.question {
		a.first = s
		return &a.first
	}
	if a.more == nil {
		a.more, a.in = map[Reads]*seen{}, map[Own][]*seen{}
	}
	kept := a.more[s.question]
	if kept == nil {
		kept = &seen{}
		a.more[s.question], a.in[s.question.Own] = kept, append(a.in[s.question.Own], kept)
	}
	*kept = s
	return kept
}

// of yields what was answered to the questions that were asked in an own state. An entity that moves with
// each question has had as many states.
func (a *answered) of(own Own) iter.Seq[*seen] {
	return func(yield func(*seen) bool) {
		if a == nil || a.first.last != nil && a.first.question.Own == own && !yield(&a.first) {
			return
		}
		for _, s := range a.in[own] {
			if !yield(s) {
				return
			}
		}
	}
}

// all yields what was answered to all questions, in no order.
func (a *answered) all(yield func(*seen) bool) {
	if a == nil || a.first.last != nil && !yield(&a.first) {
		return
	}
	for _, s := range a.more {
		if !yield(s) {
			return
		}
	}
}
