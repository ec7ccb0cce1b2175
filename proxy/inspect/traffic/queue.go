package traffic

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// maxQueued is how many rows wait to be read at most. The oldest are given up: they are read when
// somebody looks at them.
const maxQueued = 4096

// queue are rows that wait to be read.
type queue struct {
	processors int // as many as the deck had threads when it was made: a recording has one more later

	mu      sync.Mutex    // guards the rest
	some    chan struct{} // has a token while there may be something in the queue
	ids     []uint64      // ascending
	urgent  []uint64      // are read first
	load    load          // of the deck
	through uint64        // exchanges up to this one were cleaned
}

func (q *queue) init() { q.some, q.processors = make(chan struct{}, 1), runtime.GOMAXPROCS(0) }

// came notes that an exchange of some length has ended.
func (q *queue) came(took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.load.add(time.Now(), took)
}

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

// share returns which part of the time of a processor reading may take.
func (q *queue) share() float64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.load.share(time.Now(), q.processors)
}
