package taint

import (
	"math/bits"

	"github.com/paytape/paytape/internal/leaf"
)

// stretchSet is a set of stretches of eight bytes, of which it has bits of their hashes. All bits of a
// stretch are in one word, so that a look costs one cache line.
type stretchSet struct {
	leaf.Unprinted
	words []uint64
	shift uint // hash bits that do not choose the word
	room  int  // how many more stretches the set takes; below zero it is wrong more often
}

const (
	perStretch    = 8       // bits of memory
	smallestWords = 1 << 13 // of the first set: 64 KB
	largestWords  = 1 << 20 // 8 MB
)

// newStretchSet makes a set, twice as large as the set before and large enough for a text.
func newStretchSet(before, text int) *stretchSet {
	n := largestWords
	if before < bits.Len(largestWords/smallestWords) {
		n = smallestWords << before
	}
	for n*64/perStretch < text {
		n *= 2
	}
	b := &stretchSet{words: make([]uint64, n), shift: uint(64 - bits.Len(uint(n-1)))}
	b.room = b.capacity()
	return b
}

// capacity returns for how many stretches the set was made.
func (b *stretchSet) capacity() int { return len(b.words) * 64 / perStretch }

// place returns the word of a stretch, and its bits in the word.
func (b *stretchSet) place(k uint64) (word *uint64, mask uint64) {
	h := mix(k)
	return &b.words[h>>b.shift], 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63)
}

// insert adds a stretch. Whether the set has it decides no jump, so that a processor need not wait for
// the word of one stretch before it asks memory for that of the next.
func (b *stretchSet) insert(k uint64) {
	word, mask := b.place(k)
	lacks := mask &^ *word
	*word |= mask
	b.room -= int((lacks | -lacks) >> 63)
}

// hasAll reports whether all stretches of a form of a value are in the set. Stretches of digits alone
// are asked about only in a form in hex: see addStretches.
func (b *stretchSet) hasAll(value string, as form) bool {
	inHex := as.as == lowerHex || as.as == upperHex
	for at := range as.length(value) - MinLength + 1 { // the first is mostly not there
		k := as.key(value, at)
		if word, mask := b.place(k); *word&mask != mask && (inHex || !isNumericKey(k)) {
			return false
		}
	}
	return true
}

// isNumericKey reports whether a key is of digits alone.
func isNumericKey(k uint64) bool {
	for range MinLength {
		if byte(k)-'0' > 9 {
			return false
		}
		k >>= 8
	}
	return true
}

// spread is a factor that spreads keys which differ little: 2^64 divided by the golden ratio.
const spread = 0x9E3779B97F4A7C15

// mix returns a hash of a key.
func mix(k uint64) uint64 {
	k *= spread
	k ^= k >> 32
	k *= spread
	return k ^ k>>29
}

// hashOf returns a hash of a number or a word (FNV-1a, mixed once more).
func hashOf[T string | []byte](s T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h)
}

// hashSet is a set of hashes of 64 bits, of which it has 32 bits and the place: it takes a hash for
// another once in a thousand million times. It has tables, each four times as large as the table
// before, so that nothing is moved when it grows: whoever adds has a lock.
type hashSet struct{ tables []hashTable }

type hashTable struct {
	tags  []uint32 // 0 where there is none
	shift uint     // hash bits that do not choose the place
	room  int      // how many more there may be
}

const smallestTable = 1 << 12

func (s *hashSet) has(h uint64) bool {
	for i := range s.tables {
		if _, found := s.tables[i].find(h); found {
			return true
		}
	}
	return false
}

func (s *hashSet) insert(h uint64) {
	if s.has(h) {
		return
	}
	last := len(s.tables) - 1
	if last < 0 || s.tables[last].room == 0 {
		last++
		n := smallestTable << (2 * last)
		s.tables = append(s.tables, hashTable{
			tags: make([]uint32, n), shift: uint(64 - bits.Len(uint(n-1))), room: n / 2,
		})
	}
	t := &s.tables[last]
	at, _ := t.find(h)
	t.tags[at] = tag(h)
	t.room--
}

// find returns where a hash is or would be.
func (t *hashTable) find(h uint64) (at int, found bool) {
	for at = int(h >> t.shift); ; at = (at + 1) % len(t.tags) {
		switch t.tags[at] {
		case tag(h):
			return at, true
		case 0:
			return at, false
		}
	}
}

func tag(h uint64) uint32 { return max(1, uint32(h)) }
