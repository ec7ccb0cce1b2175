// Package digests finds things by digests of 64 bits, of which a tape has hundreds of thousands.
//
//	var places digests.Map[int]
//	*places.At(digest) = 7
//	p := places.Find(digest) // *p is 7
//
// A Go map spends a third of the time that a tape takes with such keys on growing, and leaves what it
// has grown out of to the collector. Here things stay where they are: only the slots that lead to them
// are made anew, and a slot has eight bytes.
//
//	slots   half of the digest and the number of the pair     pairs   digest, thing
//	[ 0 | 91a2c3d4 1 | 0 | 5c0de1f2 2 ]                       [ 91a2c3d4.. 7 | 5c0de1f2.. 9 ]
//
// A Map serves who only adds, and holds on to what was found. A Table serves who takes out too, and
// mostly asks for what is not there.
package digests

// Map finds values by digests. A digest must be as good as random in all its bits, as those of package
// maphash are. The zero Map is empty. It is not safe for concurrent use.
type Map[V any] struct {
	slots []uint64    // the upper half of a digest, and behind it the number of its pair, from 1; 0: free
	pairs [][]pair[V] // each but the last has room for chunk of them, and is full
	n     int
}

type pair[V any] struct {
	digest uint64
	value  V
}

// Sizes: how many slots there are at first, and how many pairs are one piece of memory.
const (
	fewSlots = 16
	chunk    = 1 << 8
)

// Len returns how many values there are.
func (m *Map[V]) Len() int { return m.n }

// Find returns the value of a digest, or nil. It stays where it is.
func (m *Map[V]) Find(digest uint64) *V {
	if m.n == 0 {
		return nil
	}
	last := uint64(len(m.slots) - 1)
	for at := digest & last; ; at = (at + 1) & last {
		slot := m.slots[at]
		if slot == 0 {
			return nil
		}
		if slot>>32 == digest>>32 {
			if p := m.pair(slot); p.digest == digest {
				return &p.value
			}
		}
	}
}

// At returns the value of a digest, which is zero if the digest is new. It stays where it is.
func (m *Map[V]) At(digest uint64) *V {
	if v := m.Find(digest); v != nil {
		return v
	}
	if 4*m.n >= 3*len(m.slots) {
		m.grow()
	}
	if m.n%chunk == 0 {
		m.pairs = append(m.pairs, make([]pair[V], 0, chunk))
	}
	last := &m.pairs[len(m.pairs)-1]
	*last = append(*last, pair[V]{digest: digest})
	m.n++
	m.enter(digest, m.n)
	return &(*last)[len(*last)-1].value
}

// pair returns the pair that a slot leads to.
func (m *Map[V]) pair(slot uint64) *pair[V] {
	n := uint32(slot) - 1
	return &m.pairs[n/chunk][n%chunk]
}

// enter has a free slot lead to the n-th pair.
func (m *Map[V]) enter(digest uint64, n int) {
	last := uint64(len(m.slots) - 1)
	at := digest & last
	for m.slots[at] != 0 {
		at = (at + 1) & last
	}
	m.slots[at] = digest>>32<<32 | uint64(n)
}

// grow makes twice as many slots.
func (m *Map[V]) grow() {
	m.slots = make([]uint64, max(fewSlots, 2*len(m.slots)))
	n := 0
	for _, pairs := range m.pairs {
		for i := range pairs {
			n++
			m.enter(pairs[i].digest, n)
		}
	}
}
