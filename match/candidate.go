package match

import (
	"maps"
	"slices"
)

// candidate is one way to read a live flow: which recorded threads its live threads are,
// and what their variables have as values.
type candidate struct {
	slots []slot
	vars  map[*variable]string
	reads map[*exchange]int // of the reads of one state, by the first of them: how many served
}

// slot is a recorded thread that a live thread plays.
type slot struct {
	thread *thread
	live   int // number of the live thread
	done   int // how many of the thread's writes were served
}

func newCandidate(t *thread, live int) *candidate {
	return &candidate{slots: []slot{{thread: t, live: live}}, vars: map[*variable]string{}}
}

func (c *candidate) slot(t *thread) *slot {
	for i := range c.slots {
		if c.slots[i].thread == t {
			return &c.slots[i]
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
	maps.Copy(j.vars, o.vars)
	j.reads = maps.Clone(c.reads)
	for e, n := range o.reads {
		j.read(e, n)
	}
	return j
}

func (c *candidate) clone() *candidate {
	return &candidate{
		slots: slices.Clone(c.slots), vars: maps.Clone(c.vars), reads: maps.Clone(c.reads),
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
		case done < e.before[i] && !(skip && e.writes):
			return early, t
		}
	}
	for i, t := range e.tied {
		if s := c.slot(t); s != nil && s.done < e.tiedBefore[i] {
			return early, t
		}
	}
	return allowed, nil
}

// advance notes that e was served: a write moves its threads on.
func (c *candidate) advance(e *exchange) {
	if !e.writes {
		return
	}
	for i, t := range e.threads {
		c.slot(t).done = e.before[i] + 1
	}
}

// apply enters bindings.
func (c *candidate) apply(bs []binding) {
	for _, b := range bs {
		c.vars[b.v] = b.value
	}
}

// option is an exchange that could answer a request in the reading of a candidate.
type option struct {
	cand   *candidate
	e      *exchange
	delta  []binding
	reads  *exchange // for a read: the first of its state
	served int       // and how many of that state were served before
	alone  bool      // it opens a thread that has nothing to do with the flows of the try
}

// find returns the exchange that answers r in this reading. Without one it adds what stood
// in the way to why.
func (c *candidate) find(q *query, why *obstacles) (option, bool) {
	var reads []option
	for i := range c.slots {
		t := c.slots[i].thread
		for _, e := range t.byKey[q.key] {
			if e.threads[0] != t && c.slot(e.threads[0]) != nil || !c.covers(e) {
				continue // it is found in the slot of its first thread
			}
			s, t := c.standing(e, q.skipWrites)
			if s != allowed && why.has(s) {
				continue
			}
			delta, ok := unify(c.vars, e, q.r, q.now)
			if !ok {
				continue
			}
			if s != allowed {
				why.state(c, e, s, t)
				continue
			}
			if e.writes {
				return option{cand: c, e: e, delta: delta}, true
			}
			reads = append(reads, option{cand: c, e: e, delta: delta})
		}
	}
	return c.nextRead(reads)
}

// nextRead chooses among the reads of one state: in their order, the last again and again.
func (c *candidate) nextRead(reads []option) (option, bool) {
	if len(reads) == 0 {
		return option{}, false
	}
	first := reads[0].e
	n := c.reads[first]
	o := reads[min(n, len(reads)-1)]
	o.reads, o.served = first, n+1
	return o, true
}
