package words

import "maps"

// endings are the last three letters that words have, as bits: most keys are turned away by one
// look at theirs.
type endings [1 << 15 / 64]uint64

// wordEnds are the endings of all keys that may name a secret.
var wordEnds = func() *endings {
	var e endings
	for _, words := range []func(func(string) bool){
		maps.Keys(keywords), maps.Keys(vagueWords), maps.Keys(fillers),
	} {
		for word := range words {
			e.add(word)
		}
	}
	for _, word := range keywordEnds {
		e.add(word)
	}
	for word := range plurals {
		e.add(word + "s")
	}
	return &e
}()

// add enters the ending of a word. Before a short one any letter may stand.
func (e *endings) add(word string) {
	for before := byte('a'); before <= 'z'; before++ {
		at := ending(string(before) + word)
		e[at>>6] |= 1 << (at & 63)
	}
	at := ending(word)
	e[at>>6] |= 1 << (at & 63)
}

// may reports whether a key may end with one of the words.
func (e *endings) may(key string) bool {
	at := ending(key)
	return e[at>>6]&(1<<(at&63)) != 0
}

// ending packs the last three letters of a key, in five bits each. What stands between and behind
// them does not count.
func ending(key string) uint16 {
	packed, n := uint16(0), 0
	for i := len(key) - 1; i >= max(0, len(key)-longestKeyword) && n < 3; i-- {
		if c := key[i] | 0x20; c >= 'a' && c <= 'z' {
			packed |= uint16(c&31) << (5 * n)
			n++
		}
	}
	return packed
}
