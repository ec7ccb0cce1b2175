package match

import (
	"cmp"
	"slices"
	"sync"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Bounds of the recordings that a request is compared with, however many its operation has.
const (
	maxCompared = 64  // of an operation that has no more all are compared
	maxAlike    = 32  // else those from which the request seems to differ least
	maxPool     = 128 // which are chosen among so many
	maxKinds    = 16  // and the first recordings of so many keys
)

// likeness finds the recordings of an operation that come near to a request. It is made of an operation
// with many recordings when the first request of the operation is missed.
//
// On a tape of 10,000 registrations, one of them with amount=700, a miss with amount=700 and a new
// currency is compared with that one, with the first registrations that have the same parameters or the
// same merchant, and with the first registration of each key.
type likeness struct {
	recorded []*machine.Recording
	kinds    []*machine.Recording // the first of each key
	values   postings
}

func newLikeness(recorded []*machine.Recording) *likeness {
	l := &likeness{recorded: recorded, values: valuesOf(recorded)}
	known := map[machine.Key]bool{}
	for _, r := range recorded {
		if known[r.Key] {
			continue
		}
		known[r.Key] = true
		if l.kinds = append(l.kinds, r); len(l.kinds) == maxKinds {
			break
		}
	}
	return l
}

// nearest returns recordings from which a request seems to differ in the fewest parameters, then those
// of other keys.
func (l *likeness) nearest(q *asking) []*machine.Recording {
	type scored struct{ place, unequal int }
	pool := l.pool(q)
	all := make([]scored, 0, len(pool))
	var asked []tape.Asked
	for _, place := range pool {
		asked = l.recorded[place].Request.Append(asked[:0])
		all = append(all, scored{place, unequalIn(q, asked)})
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.unequal, b.unequal), cmp.Compare(a.place, b.place))
	})
	near := make([]*machine.Recording, 0, maxAlike+maxKinds)
	for _, s := range all[:min(maxAlike, len(all))] {
		near = append(near, l.recorded[s.place])
	}
	for _, r := range l.kinds {
		if !slices.Contains(near, r) {
			near = append(near, r)
		}
	}
	return near
}

// pool returns the places of recordings that have a value of the request, or all of its parameters, what
// is rarest first.
func (l *likeness) pool(q *asking) []int {
	rare := make([]postings, 0, len(q.Asked)+1)
	var shape shape
	for i := range q.Asked {
		a := &q.Asked[i]
		shape.add(a.Path)
		rare = append(rare, l.values.of(request.Digest(a.Path, a.Text)))
	}
	rare = append(rare, l.values.of(uint64(shape)))
	slices.SortStableFunc(rare, func(a, b postings) int { return cmp.Compare(len(a), len(b)) })
	pool := make([]int, 0, maxPool)
	for _, p := range rare {
		for i := range p[:min(maxPool, len(p))] {
			if len(pool) == maxPool {
				return pool
			}
			if place := p.place(i); !slices.Contains(pool, place) {
				pool = append(pool, place)
			}
		}
	}
	return pool
}

// unequalIn counts the parameters of a request and of a recorded one that the other does not have equal.
func unequalIn(q *asking, recorded []tape.Asked) int {
	n := len(q.Asked)
	for i := range recorded {
		want := &recorded[i]
		switch got := q.param(want.Path); {
		case got == nil:
			n++
		case got.Text == want.Text:
			n--
		}
	}
	return n
}

// likenesses are those of the operations of a tape that were missed so far.
type likenesses struct {
	mu sync.Mutex // guards of
	of map[string]func() *likeness
}

// nearest returns recordings of the operation that a request comes near to, the likeliest first; those
// of an operation with few recordings are all of them, as they were recorded.
func (t *Tape) nearest(q *asking) []*machine.Recording {
	recorded := t.machine.Of(q.Op)
	if len(recorded) <= maxCompared {
		return recorded
	}
	return t.likeness(q.Op, recorded).nearest(q)
}

// likeness returns that of an operation. Others are not kept waiting while it is made.
func (t *Tape) likeness(op string, recorded []*machine.Recording) *likeness {
	t.likes.mu.Lock()
	of := t.likes.of[op]
	if of == nil {
		of = sync.OnceValue(func() *likeness { return newLikeness(recorded) })
		if t.likes.of == nil {
			t.likes.of = map[string]func() *likeness{}
		}
		t.likes.of[op] = of
	}
	t.likes.mu.Unlock()
	return of()
}
