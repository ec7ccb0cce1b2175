package proxy

import "sync"

// DefaultBudget is how many bytes of bodies a deck keeps at once, of all exchanges under way.
const DefaultBudget = 256 << 20

// A body that is cleaned costs many times its size: some twenty for JSON made of small values.
// So large exchanges go through one by one, and small ones do not wait for them.
const (
	smallExchange = 64 << 10
	cleanedAtOnce = 16 << 20
)

// budget bounds what a deck keeps of bodies: what has been copied of exchanges that are under
// way, and what of that is being cleaned. Whoever does not fit into the first is passed on and
// not kept; into the second everybody fits in the end.
type budget struct {
	mu   sync.Mutex // guards left
	left int64      // bytes that may still be kept

	turn  chan struct{} // full while one waits for room: nobody is overtaken for ever
	room  sync.Cond     // of mu
	clean int64         // bytes that may still be cleaned; guarded by mu
}

func newBudget(n int64) *budget {
	b := &budget{left: n, clean: cleanedAtOnce, turn: make(chan struct{}, 1)}
	b.room.L = &b.mu
	return b
}

// enough is a budget in which one exchange has room, whatever its bodies.
func enough(budget, limit int64) int64 {
	if budget == 0 {
		budget = DefaultBudget
	}
	return max(budget, 2*(limit+maxPiece))
}

// reserve reports whether n more bytes may be kept. A nil budget has no bound.
func (b *budget) reserve(n int64) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < n {
		return false
	}
	b.left -= n
	return true
}

// release says that n bytes are no longer kept.
func (b *budget) release(n int64) {
	if b == nil || n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
}

// cleaning does something with n bytes of bodies that costs memory, when there is room.
func (b *budget) cleaning(n int64, do func()) {
	if n = min(n, cleanedAtOnce); n <= smallExchange {
		do()
		return
	}
	b.acquireCleaning(n)
	defer b.releaseCleaning(n)
	do()
}

func (b *budget) acquireCleaning(n int64) {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.clean < n {
		b.room.Wait()
	}
	b.clean -= n
}

func (b *budget) releaseCleaning(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clean += n
	b.room.Signal() // there is one at most: whoever has the turn
}
