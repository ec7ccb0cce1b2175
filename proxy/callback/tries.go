package callback

import (
	"crypto/sha256"
	"sync"
)

// Tries count the attempts of callbacks: equal bytes are attempts of one event. The oldest events are
// forgotten when there are too many. It is safe for concurrent use; NewTries makes one.
type Tries struct {
	mu    sync.Mutex // guards the rest
	count map[[sha256.Size]byte]int
	order [][sha256.Size]byte // the oldest first
}

// maxEvents is how many events are remembered.
const maxEvents = 4096

// NewTries returns Tries that know of no attempt.
func NewTries() *Tries { return &Tries{count: map[[sha256.Size]byte]int{}} }

// next counts an attempt, from 1.
func (t *Tries) next(event [sha256.Size]byte) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count[event] == 0 {
		if len(t.order) == maxEvents {
			delete(t.count, t.order[0])
			t.order = append(t.order[:0], t.order[1:]...)
		}
		t.order = append(t.order, event)
	}
	t.count[event]++
	return t.count[event]
}
