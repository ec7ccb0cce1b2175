package match

import (
	"cmp"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// maxAmong bounds the threads to which a read may belong, those that it shows apart.
const maxAmong = 64

// standin is a thread that a read belongs to or shows, and how many of its writes came before.
type standin struct {
	thread *thread
	state  int
	shown  bool // the answer shows it, but its values are not those of the request
}

// spreadOut enters a read that carries no id of one thread's own into its thread, and notes
// the others to which it could as well belong. It connects none of them: who asks for all
// orders of a shop has no part in each.
func (c *compiler) spreadOut(e *exchange) {
	t := e.threads[0]
	e.before = []int{len(t.writes)}
	t.exchanges = append(t.exchanges, e)
	for _, t := range c.alike[:min(maxAmong, len(c.alike))] {
		e.among = append(e.among, standin{thread: t, state: len(t.writes)})
	}
	// Threads that have only asked so far have no state that counts.
	if moved := slices.DeleteFunc(slices.Clone(e.among), standin.idle); len(moved) > 0 {
		e.among = moved
	}
	for _, t := range e.tied {
		if _, known := e.stateOf(t); !known {
			e.among = append(e.among, standin{t, len(t.writes), true})
		}
	}
	e.tied, e.whole = nil, c.tellsApart(e)
}

// tellsApart reports whether a request has a value that tells its thread from those of others.
func (c *compiler) tellsApart(e *exchange) bool {
	return slices.ContainsFunc(e.request, func(w want) bool {
		return w.field.From == profile.Shared && w.field.Secret != profile.Token &&
			c.survey.tells(w.field.Of)
	})
}

func (s standin) idle() bool { return s.state == 0 }

// stateOf returns the state in which a thread was when a read was recorded.
func (e *exchange) stateOf(t *thread) (int, bool) {
	for i := range e.among {
		if e.among[i].thread == t {
			return e.among[i].state, true
		}
	}
	return 0, false
}

// gather finds the reads that belong to several threads. Where some recordings of a question
// do, all are looked for in one way.
func (t *Tape) gather() {
	t.wide = map[uint64]bool{}
	for _, e := range t.exchanges {
		if len(e.among) > 1 {
			t.wide[e.key] = true
		}
	}
	for _, e := range t.exchanges {
		if !t.wide[e.key] {
			e.among = nil
			continue
		}
		for _, s := range e.among {
			s.thread.among = append(s.thread.among, e)
		}
	}
	for _, th := range t.threads {
		slices.SortStableFunc(th.among, func(a, b *exchange) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.in(th), b.in(th)))
		})
	}
}

// in is stateOf for a thread that the read belongs to.
func (e *exchange) in(t *thread) int {
	state, _ := e.stateOf(t)
	return state
}

// toldIn returns the reads with a key that were recorded in a state of a thread, in their order.
func (t *thread) toldIn(key uint64, state int) []*exchange {
	from := t.firstAmong(key, state)
	to := from
	for to < len(t.among) && t.among[to].key == key && t.among[to].in(t) == state {
		to++
	}
	return t.among[from:to]
}

// told returns the reads with a key.
func (t *thread) told(key uint64) []*exchange {
	from := t.firstAmong(key, 0)
	to := from
	for to < len(t.among) && t.among[to].key == key {
		to++
	}
	return t.among[from:to]
}

// firstAmong returns the index of the first read with a key and a state, or of where it would be.
func (t *thread) firstAmong(key uint64, state int) int {
	at, _ := slices.BinarySearchFunc(t.among, key, func(e *exchange, key uint64) int {
		return cmp.Or(cmp.Compare(e.key, key), cmp.Compare(e.in(t), state))
	})
	return at
}
