package traffic

import (
	"context"
	"sync"
	"time"
)

// maxQueued is how many rows wait to be read at most. The oldest are given up: they are read when
// somebody looks at them.
const maxQueued = 4096

// queue are rows that wait to be read.
type queue struct {
	mu      sync.Mutex    // guards the rest
	some    chan struct{} // has a token while there may be something in the queue
	ids     []uint64      // ascending
	urgent  []uint64      // are read first
	latest  time.Time     // the last was added
	through uint64        // exchanges up to this one were cleaned
}

func (q *queue) init() { q.some = make(chan struct{}, 1) }

// add adds a row.
func (q *queue) add(id uint64, urgent bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := &q.ids
	if urgent {
		list = &q.urgent
	}
	if *list = append(*list, id); len(*list) > maxQueued {
		*list = (*list)[1:]
	}
	q.latest = time.Now()
	select {
	case q.some <- struct{}{}:
	default:
	}
}

// next takes the row out that is to be read next, and waits for one. It returns false when ctx ends.
func (q *queue) next(ctx context.Context) (uint64, bool) {
	for {
		if id, ok := q.take(); ok {
			return id, true
		}
		select {
		case <-q.some:
		case <-ctx.Done():
			return 0, false
		}
	}
}

func (q *queue) take() (id uint64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, list := range []*[]uint64{&q.urgent, &q.ids} {
		if len(*list) > 0 {
			id, *list = (*list)[0], (*list)[1:]
			return id, true
		}
	}
	return 0, false
}

// lull is how long nothing must have come for traffic to be quiet.
const lull = 100 * time.Millisecond

// idle reports whether nothing has come for a while.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return time.Since(q.latest) > lull
}

// cleaned notes that all exchanges up to one were cleaned.
func (q *queue) cleaned(id uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.through = max(q.through, id)
}

func (q *queue) cleanedUpTo() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.through
}

// Reading takes one part of the time of a processor in so many: while traffic flows, and while it
// does not. With two processors that is a sixteenth of the machine.
const (
	busyShare = 8
	idleShare = 2
)

// pace spreads work over time.
type pace struct{ owed time.Duration }

// rest waits after some work, so that work takes its share. It waits when there is something worth
// waiting for, and returns false if ctx has ended.
func (p *pace) rest(ctx context.Context, worked time.Duration, idle bool) bool {
	const least, most = 2 * time.Millisecond, 100 * time.Millisecond
	share := time.Duration(busyShare)
	if idle {
		share = idleShare
	}
	if p.owed += worked * (share - 1); p.owed < least {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(min(p.owed, most))
	defer timer.Stop()
	p.owed = 0
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
