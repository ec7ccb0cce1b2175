package taint

import "math/bits"

// key packs the first eight bytes of s, the first lowest.
func key(s string) uint64 {
	var k uint64
	for i := MinLength - 1; i >= 0; i-- {
		k = k<<8 | uint64(s[i])
	}
	return k
}

// bitSet is a set of keys, of which it knows the hashes alone: it may take a key for another.
type bitSet struct {
	words []uint64
	shift uint // hash bits that are not used
}

// newBitSet makes a set of n words, a power of two.
func newBitSet(n int) bitSet {
	return bitSet{words: make([]uint64, n), shift: uint(64 - bits.Len(uint(n*64-1)))}
}

// hash returns the bit of a key.
func (b *bitSet) hash(k uint64) uint64 { return k * spread >> b.shift }

func (b *bitSet) has(k uint64) bool {
	h := b.hash(k)
	return b.words[h>>6]&(1<<(h&63)) != 0
}

func (b *bitSet) insert(k uint64) {
	h := b.hash(k)
	b.words[h>>6] |= 1 << (h & 63)
}
