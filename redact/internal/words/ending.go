package words

import (
	"iter"
	"maps"
	"slices"
)

// wordEndings are the last three letters that words have, as bits: most keys are turned away by one
// look at their ending. Without it BenchmarkBodies takes 25 percent longer for text.
type wordEndings [1 << 15 / 64]uint64

// keyEndings are the endings of all keys that may name a secret.
var keyEndings = func() *wordEndings {
	var e wordEndings
	e.insertAll(maps.Keys(keywords), maps.Keys(ambiguousWords), maps.Keys(fillers),
		slices.Values(keywordEnds))
	for word := range plurals {
		e.insert(word + "s")
	}
	return &e
}()

// besideEndings are the endings of the keys that count beside a card.
var besideEndings = func() *wordEndings {
	var e wordEndings
	e.insertAll(maps.Keys(besideCard))
	return &e
}()

func (e *wordEndings) insertAll(lists ...iter.Seq[string]) {
	for _, list := range lists {
		for word := range list {
			e.insert(word)
		}
	}
}

// insert has the ending of a word be known. Before a short word any letter may stand.
func (e *wordEndings) insert(word string) {
	for before := byte('a'); before <= 'z'; before++ {
		at := ending(string(before) + word)
		e[at>>6] |= 1 << (at & 63)
	}
	at := ending(word)
	e[at>>6] |= 1 << (at & 63)
}

// mayEnd reports whether a key may end with one of the words.
func (e *wordEndings) mayEnd(key string) bool {
	at := ending(key)
	return e[at>>6]&(1<<(at&63)) != 0
}

// ending packs the last three letters of a key, in five bits each. Characters between and behind
// the letters do not count.
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
