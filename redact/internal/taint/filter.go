package taint

import (
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
)

// Filter remembers texts well enough to say later whether a value may stand in one of them. It asks by
// the rules by which a search finds a value:
//
//   - A number is found between other characters, or in groups as card numbers are printed, and a word
//     between other characters. The filter has hashes of all numbers and words that a search would look
//     at, so its answer about a number or a word is wrong once in a thousand million times. 4000 0000
//     0000 0012 is another number than the id 00000000000000000012, however many zeros they share.
//   - Any other value is found wherever it stands, and so are the encoded forms of a value. The filter
//     has the stretches of eight bytes of a text, as bits of their hashes (a Bloom filter): a form can
//     be in a text only if all stretches of the form are. For a form of eight bytes the answer is
//     wrong 3 times in 100, for a longer form far less often.
//
// The filter never says no where a search would find the value. The zero Filter remembers nothing. It
// is safe for concurrent use.
type Filter struct {
	leaf.Unprinted
	// Runs remembers which runs of base64 hold nothing. Nil: nobody does.
	Runs *scan.Memo

	mu     sync.RWMutex // guards the two below
	sets   []*stretchSet
	wholes hashSet // of numbers and words

	// addings are those that nobody uses at the moment. With what its decoder inflates by, an adding has
	// 50 KB: without the pool half of all memory that a recording asked for was this.
	addings sync.Pool
}

// FlatText is a text that is known to have no escapes and nothing under an encoding.
type FlatText struct {
	leaf.Unprinted
	Text string
	// Ungrouped says that every number in it stands in one row of ASCII digits: see scan.Grouped.
	Ungrouped bool
}

// Add remembers texts, what is beneath their escapes, and what is in them under encodings. Flat texts
// are taken as they stand.
func (f *Filter) Add(texts []string, flat []FlatText) {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	for i := range flat {
		n += len(flat[i].Text)
	}
	a, _ := f.addings.Get().(*adding)
	if a == nil {
		a = newAdding(f)
	}
	defer f.addings.Put(a)
	if set := f.setFor(n); set != a.set {
		a.set = set
		clear(a.recent[:])
	}
	for i := range flat {
		a.layer(flat[i].Text, flat[i].Ungrouped)
	}
	for _, text := range texts {
		if len(text) < MinLength {
			continue
		}
		if scan.LookAt(text).MayDecode(text, f.Runs) {
			a.decoder.Budget = scan.DecodeBudget(len(text))
			a.decoder.Decode(text)
		}
		for _, text := range scan.Unescaped(text) {
			a.layer(text, false)
		}
	}
	a.flush()
}

// MayHold reports whether a value, or an encoded form of it, may stand in a text that was added.
func (f *Filter) MayHold(value string) bool {
	if len(value) < MinLength {
		return false
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	switch {
	case scan.IsNumeric(value), scan.IsWord(value):
		if f.wholes.has(hashOf(value)) {
			return true
		}
	case f.hasStretches(value, allForms[0]):
		return true
	}
	for i := range formsOf(value) {
		if i > 0 && f.hasStretches(value, allForms[i]) {
			return true
		}
	}
	return false
}

// hasStretches reports whether all stretches of a form of a value are in one set.
func (f *Filter) hasStretches(value string, as form) bool {
	for _, set := range f.sets {
		if set.hasAll(value, as) {
			return true
		}
	}
	return false
}

// setFor returns the set for a text of n bytes, which is never spread over two sets.
func (f *Filter) setFor(n int) *stretchSet {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := len(f.sets) - 1
	if last < 0 || f.sets[last].room < min(n, f.sets[last].capacity()/2) ||
		f.sets[last].capacity() < n {
		last++
		f.sets = append(f.sets, newStretchSet(last, n))
	}
	return f.sets[last]
}

// recentBits tells how many stretches an adding remembers at most: those of two messages of an API.
const recentBits = 11

// recentWholeBits tells the same of numbers and words.
const recentWholeBits = 8

// adding is the adding of texts. It has the lock of the filter for a few hundred stretches at a time.
type adding struct {
	leaf.Unprinted
	of     *Filter
	set    *stretchSet
	keys   [512]uint64
	count  int
	wholes []uint64
	// recent are stretches that the set has, or will have when keys are flushed, by the first bits
	// of a hash; 0 is none. Nearly all stretches of a message are those of the message before, and
	// to find each of them in the set, which is large, takes most of the time.
	recent [1 << recentBits]uint64
	// recentWholes are hashes that the filter has, or will have, by their first bits; 0 is none.
	recentWholes [1 << recentWholeBits]uint64

	decoder scan.Decoder
	note    scan.Judge // notes numbers, and takes none for a card
}

func newAdding(f *Filter) *adding {
	a := &adding{of: f}
	a.decoder.Visit = func(v *scan.View) {
		// Other views without escapes are the layers below. A plus is a space there.
		if v.Decoded() || strings.IndexByte(v.Text, '+') >= 0 {
			a.layer(v.Text, false)
		}
	}
	a.note = scan.Judge{
		Exact: func(digits []byte) scan.Verdict {
			a.addWhole(hashOf(digits))
			return scan.Nothing
		},
		Shape: func(string) scan.Verdict { return scan.Nothing },
	}
	return a
}

// layer adds a text as it stands.
func (a *adding) layer(s string, ungrouped bool) {
	if len(s) < MinLength {
		return
	}
	a.addWholes(s)
	if !ungrouped {
		scan.Numbers(s, true, a.note)
	}
	scan.SplitNumbers(s, a.note)
	a.addStretches(s)
}

// addStretches adds the stretches of a text. A stretch of digits alone counts only where it may be
// part of a form in hex, which has twice as many characters as the shortest value: elsewhere a number
// is found as a whole.
func (a *adding) addStretches(s string) {
	digits := 0    // how many stand before s[i]
	hexEnd := 0    // where the run of hex digits that was looked at last ends
	inHex := false // the run is long enough
	var k uint64
	for i := range len(s) {
		c := s[i]
		k = k>>8 | uint64(c)<<56
		if digits++; c-'0' > 9 {
			digits = 0
		}
		if i < MinLength-1 {
			continue
		}
		if digits >= MinLength {
			if i >= hexEnd {
				from, to := hexRun(s, i)
				hexEnd, inHex = to, to-from >= 2*MinLength
			}
			if !inHex {
				continue
			}
		}
		recent := &a.recent[k*spread>>(64-recentBits)]
		if *recent == k && k != 0 {
			continue
		}
		*recent = k
		if a.count == len(a.keys) {
			a.flush()
		}
		a.keys[a.count] = k
		a.count++
	}
}

// hexRun returns the run of hex digits around s[i].
func hexRun(s string, i int) (from, to int) {
	for from = i; from > 0 && leaf.Hex(s[from-1]) >= 0; from-- {
	}
	for to = i; to < len(s) && leaf.Hex(s[to]) >= 0; to++ {
	}
	return from, to
}

// addWholes adds the numbers that stand in one row of digits and the words of a text, as a search would
// look at them.
func (a *adding) addWholes(s string) {
	for from, to := range letterRuns(s) {
		word := s[from:to]
		if scan.IsWord(word) {
			a.addWhole(hashOf(word))
			continue
		}
		for from, to := range digitRuns(word) {
			a.addWhole(hashOf(word[from:to]))
		}
	}
}

// addWhole adds the hash of a number or a word.
func (a *adding) addWhole(h uint64) {
	recent := &a.recentWholes[h>>(64-recentWholeBits)]
	if *recent == h && h != 0 {
		return
	}
	*recent = h
	a.wholes = append(a.wholes, h)
}

// flush has the filter take what was found.
func (a *adding) flush() {
	a.of.mu.Lock()
	defer a.of.mu.Unlock()
	for _, k := range a.keys[:a.count] {
		a.set.insert(k)
	}
	for _, h := range a.wholes {
		a.of.wholes.insert(h)
	}
	a.count, a.wholes = 0, a.wholes[:0]
}
