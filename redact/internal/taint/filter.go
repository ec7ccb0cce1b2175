package taint

import (
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
)

// Filter remembers which stretches of eight bytes occur in texts, as bits of their hashes (a Bloom
// filter). A form of a secret is in a text only if all its stretches are; the other way round the
// Filter errs now and then. The zero filter remembers nothing. It is not safe for concurrent use.
type Filter struct {
	leaf.Unprinted
	sets []*bitSet // a set is made when the one before is full
}

// Add remembers a text, what is beneath its escapes, and what is in it under encodings.
func (f *Filter) Add(text string) {
	if scan.MayDecode(text) {
		d := scan.Decoder{Budget: scan.DecodeBudget(len(text)), Visit: func(v *scan.View) {
			if v.Decoded() {
				f.windows(v.Text)
			}
		}}
		d.Decode(text)
	}
	for _, text := range scan.Unescaped(text) {
		f.windows(text)
	}
}

// MayHold reports whether a value, or an encoded form of it, may stand in a text that was added.
func (f *Filter) MayHold(value string) bool {
	if len(value) < MinLength {
		return false
	}
	return slices.ContainsFunc(forms(value), func(form string) bool {
		return slices.ContainsFunc(f.sets, func(b *bitSet) bool { return b.mayHold(form) })
	})
}

// windows enters every stretch of a text, and of the same text with its grouped digits joined.
func (f *Filter) windows(text string) {
	for _, s := range []string{text, joinDigits(text)} {
		if len(s) < MinLength {
			continue
		}
		last := len(f.sets) - 1
		if last < 0 || f.sets[last].full() { // a text is never spread over two sets
			f.sets = append(f.sets, newBitSet(last+1))
			last++
		}
		f.sets[last].insert(s)
	}
}

// joinDigits takes the separators out of grouped digits, so that a number is found however it
// was printed. It is empty if there are none.
func joinDigits(s string) string {
	var b []byte
	from := 0
	for i := 1; i+1 < len(s); i++ {
		if (s[i] == ' ' || s[i] == '-') && s[i-1]-'0' <= 9 && s[i+1]-'0' <= 9 {
			b = append(b, s[from:i]...)
			from = i + 1
		}
	}
	if b == nil {
		return ""
	}
	return string(append(b, s[from:]...))
}

// bitSet is a set of stretches of eight bytes, of which it knows the hashes alone.
type bitSet struct {
	words []uint64
	shift uint // hash bits that are not used
	set   int  // bits that are set
}

// smallestSet and largestSet are sizes in bits, as powers of two: 128 KB and 8 MB.
const (
	smallestSet = 20
	largestSet  = 26
)

// newBitSet makes the nth set, each four times as large as the set before.
func newBitSet(n int) *bitSet {
	size := min(smallestSet+2*n, largestSet)
	return &bitSet{words: make([]uint64, 1<<(size-6)), shift: uint(64 - size)}
}

// full reports whether more than a quarter of the bits are set.
func (b *bitSet) full() bool { return b.set > len(b.words)*64/4 }

func (b *bitSet) insert(s string) {
	k := key(s)
	for i := MinLength; ; i++ {
		h := k * hashFactor >> b.shift
		if word, bit := &b.words[h>>6], uint64(1)<<(h&63); *word&bit == 0 {
			*word |= bit
			b.set++
		}
		if i == len(s) {
			return
		}
		k = k>>8 | uint64(s[i])<<56
	}
}

func (b *bitSet) mayHold(s string) bool {
	k := key(s)
	for i := MinLength; ; i++ {
		h := k * hashFactor >> b.shift
		if b.words[h>>6]&(1<<(h&63)) == 0 {
			return false
		}
		if i == len(s) {
			return true
		}
		k = k>>8 | uint64(s[i])<<56
	}
}
