package profile

import "sync/atomic"

// Notes have room for what others work out of the rows of a Set, by hash: in each of the places of a hash
// stands a value of one type, the one that was noted last first. A client that sends other messages each
// time takes no more memory, and nobody waits for another. The rows may change, and then notes are gone.
type Notes [1 << 8][4]atomic.Value

// Of returns the places of a hash.
func (n *Notes) Of(hash uint64) *[4]atomic.Value { return &n[hash%uint64(len(n))] }

// Note puts a value before those that are noted with a hash. The last of them goes.
func (n *Notes) Note(hash uint64, value any) {
	places := n.Of(hash)
	for i := len(places) - 1; i > 0; i-- {
		if before := places[i-1].Load(); before != nil {
			places[i].Store(before)
		}
	}
	places[0].Store(value)
}

// Notes returns what is noted of the rows.
func (s *Set) Notes() *Notes {
	if n := s.notes.Load(); n != nil {
		return n
	}
	s.notes.CompareAndSwap(nil, &Notes{})
	return s.notes.Load()
}
