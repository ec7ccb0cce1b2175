package match

import (
	"maps"
	"slices"
)

// candidate is one way to read a live flow: which recorded threads its live threads are,
// and what their variables have as values.
type candidate struct {
	slots []slot
	vars  values
	reads map[*exchange]int // of the reads of one state, by the first of them: how many served
}

// slot is a recorded thread that a live thread plays.
type slot struct {
	thread *thread
	live   int // number of the live thread
	done   int // how many of the thread's writes were served
	// seen are the last reads served since, one of each operation. It is not changed in place.
	seen []*exchange
}

func newCandidate(t *thread, live int) *candidate {
	return &candidate{slots: []slot{{thread: t, live: live}}}
}

func (c *candidate) slot(t *thread) *slot {
	for i := range c.slots {
		if c.slots[i].thread == t {
			return &c.slots[i]
		}
	}
	return nil
}

// owner returns the slot of the thread that an exchange belongs to, of several the first here.
func (c *candidate) owner(e *exchange) *slot {
	if s := c.slot(e.threads[0]); s != nil || e.among == nil {
		return s
	}
	for _, a := range e.among {
		if s := c.slot(a.thread); s != nil {
			return s
		}
	}
	return nil
}

// missing counts the threads that an exchange is tied to and that are not played here.
func (c *candidate) missing(e *exchange) int {
	n := 0
	for _, t := range e.tied {
		if c.slot(t) == nil {
			n++
		}
	}
	return n
}

// covers reports whether all threads of an exchange are played here.
func (c *candidate) covers(e *exchange) bool {
	for _, t := range e.threads {
		if c.slot(t) == nil {
			return false
		}
	}
	return true
}

// join returns a candidate that plays the threads of both, or nil where both play one.
func (c *candidate) join(o *candidate) *candidate {
	for _, s := range o.slots {
		if c.slot(s.thread) != nil {
			return nil
		}
	}
	j := c.clone()
	j.slots = append(j.slots, o.slots...)
	j.vars.addAll(&o.vars)
	j.reads = maps.Clone(c.reads)
	for e, n := range o.reads {
		j.read(e, n)
	}
	return j
}

func (c *candidate) clone() *candidate {
	return &candidate{
		slots: slices.Clone(c.slots), vars: c.vars.clone(), reads: maps.Clone(c.reads),
	}
}

func (c *candidate) read(e *exchange, n int) {
	if c.reads == nil {
		c.reads = map[*exchange]int{}
	}
	c.reads[e] = n
}

// standing says whether the state allows an exchange to be served.
type standing int

const (
	allowed standing = iota
	early            // a write recorded before it has not been served
	late             // it belongs to a state that is past, or was served already
)

// standing compares the writes served with those recorded before e. With skip, writes that
// were left out do not hold a later write back.
func (c *candidate) standing(e *exchange, skip bool) (standing, *thread) {
	for i, t := range e.threads {
		done := c.slot(t).done
		switch {
		case done > e.before[i]:
			return late, t
		case done < e.before[i] && !(skip && e.writes) && c.lacks(e, t, e.before[i]):
			return early, t
		}
	}
	for i, t := range e.tied {
		if s := c.slot(t); s != nil && c.owes(s, e.tiedBefore[i]) {
			return early, t
		}
	}
	return allowed, nil
}

// lacks reports whether a thread of e is not as far as it was. An exchange that joins threads
// does not wait for others that joined one of them with a thread which is not here.
func (c *candidate) lacks(e *exchange, t *thread, state int) bool {
	return len(e.threads) == 1 || c.owes(c.slot(t), state)
}

// owes reports whether a thread lacks writes up to a state that could have been made here.
// Those that belong to a thread which is not here, too, are somebody else's: another order that
// was paid with the same binding.
func (c *candidate) owes(s *slot, state int) bool {
	for _, w := range s.thread.writes[min(s.done, state):state] {
		if c.covers(w) {
			return true
		}
	}
	return false
}

// advance notes that e was served: a write moves its threads on.
func (c *candidate) advance(e *exchange) {
	if !e.writes {
		c.owner(e).see(e)
		return
	}
	for i, t := range e.threads {
		s := c.slot(t)
		s.done, s.seen = e.before[i]+1, nil
	}
}

// see notes that a read was served.
func (s *slot) see(e *exchange) {
	last := s.last(e.op)
	if last == e {
		return
	}
	seen := slices.DeleteFunc(slices.Clone(s.seen), func(o *exchange) bool { return o == last })
	s.seen = append(seen, e)
}

// last returns the last read of an operation that was served in this state, or nil.
func (s *slot) last(op string) *exchange {
	for _, e := range s.seen {
		if e.op == op {
			return e
		}
	}
	return nil
}

// apply enters bindings.
func (c *candidate) apply(bs []binding) {
	c.vars.list = slices.Grow(c.vars.list, len(bs))
	for _, b := range bs {
		c.vars.set(b.v, b.value)
	}
}

// option is an exchange that could answer a request in the reading of a candidate.
type option struct {
	cand    *candidate
	e       *exchange
	delta   []binding
	reads   *exchange // for one of several reads of a state: the first of them
	served  int       // and how many of them were served before
	alone   bool      // it opens a thread that has nothing to do with the flows of the try
	flows   []*flow   // of a gathered read: those that are its threads
	entries *entries  // among which it opens that thread; nil where it has to do with them
}
