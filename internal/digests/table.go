package digests

import "iter"

// Table has small values by digests that are never 0, and digests may be taken out again. It is a table of
// open addresses: a digest is in the first place from its own on that has it or is empty. Digests lie
// side by side. So to look for a digest that is not there, as for nearly all values that were minted just
// now, takes one look at memory, where a Go map takes three. A value moves when others come and go. The
// zero Table is empty. It is not safe for concurrent use.
type Table[V any] struct {
	digests []uint64 // 0 where a place is empty; as many as a power of two, or none
	values  []V      // of the digests
	n       int      // how many places are not empty
}

// Len returns how many digests there are.
func (t *Table[V]) Len() int { return t.n }

// own returns the place from which on a digest is looked for.
func (t *Table[V]) own(digest uint64) int {
	const spread = 0x9e3779b97f4a7c15 // odd: digests that differ in a few bits get places far apart
	return int(digest*spread>>32) & (len(t.digests) - 1)
}

// place returns the place of a digest, or the empty place in which it would be. There are places.
func (t *Table[V]) place(digest uint64) int {
	at, last := t.own(digest), len(t.digests)-1
	for t.digests[at] != 0 && t.digests[at] != digest {
		at = (at + 1) & last
	}
	return at
}

// Find returns the value of a digest, and whether there is one.
func (t *Table[V]) Find(digest uint64) (value V, found bool) {
	if t.n == 0 {
		return value, false
	}
	at := t.place(digest)
	if t.digests[at] == 0 {
		return value, false // the value of an empty place would be one more look at memory
	}
	return t.values[at], true
}

// Put sets the value of a digest.
func (t *Table[V]) Put(digest uint64, value V) {
	if 5*t.n >= 4*len(t.digests) { // so 50,000 digests fit in 1<<16 places
		t.grow()
	}
	at := t.place(digest)
	if t.digests[at] == 0 {
		t.n++
	}
	t.digests[at], t.values[at] = digest, value
}

// grow makes room for twice as many digests.
func (t *Table[V]) grow() {
	const least = 1 << 5
	places := max(least, 2*len(t.digests))
	more := Table[V]{digests: make([]uint64, places), values: make([]V, places)}
	for digest, value := range t.All() {
		more.Put(digest, value)
	}
	*t = more
}

// Remove takes a digest out. The digests behind it that it has kept from their own places move up.
func (t *Table[V]) Remove(digest uint64) {
	if t.n == 0 {
		return
	}
	at, last := t.place(digest), len(t.digests)-1
	if t.digests[at] == 0 {
		return
	}
	for next := (at + 1) & last; t.digests[next] != 0; next = (next + 1) & last {
		if (next-t.own(t.digests[next]))&last >= (next-at)&last {
			t.digests[at], t.values[at] = t.digests[next], t.values[next]
			at = next
		}
	}
	var none V
	t.digests[at], t.values[at] = 0, none
	t.n--
}

// Clear takes all digests out.
func (t *Table[V]) Clear() {
	clear(t.digests)
	clear(t.values)
	t.n = 0
}

// All yields the digests with their values.
func (t *Table[V]) All() iter.Seq2[uint64, V] {
	return func(yield func(digest uint64, value V) bool) {
		for at, digest := range t.digests {
			if digest != 0 && !yield(digest, t.values[at]) {
				return
			}
		}
	}
}
