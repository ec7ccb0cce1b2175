package taint

import (
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
)

// Filter remembers which stretches of eight bytes occur in texts, as bits of their hashes (a Bloom
// filter). A form of a secret can be in a text only if all stretches of the form are; now and then
// the filter takes a text for one that may hold a secret, and it does not. The zero filter remembers nothing. It is not safe for concurrent use.
type Filter struct {
	leaf.Unprinted
	sets []bitSet // a set is made when the set before is full
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
	for _, form := range forms(value) {
		for i := range f.sets {
			if f.sets[i].hasAll(form) {
				return true
			}
		}
	}
	return false
}

// The first set has 128 KB. Each is four times as large as the set before, up to 8 MB.
const (
	smallestSet = 1 << 14 // in words of 64 bits
	largestSet  = 3       // the index of the first set of 8 MB
)

// windows enters every stretch of a text, and of the same text with its grouped digits joined.
func (f *Filter) windows(text string) {
	for _, s := range []string{text, joinDigits(text)} {
		if len(s) < MinLength {
			continue
		}
		last := len(f.sets) - 1
		if last < 0 || f.sets[last].full() { // a text is never spread over two sets
			last++
			f.sets = append(f.sets, newBitSet(smallestSet<<(2*min(last, largestSet))))
		}
		for _, k := range keys(s) {
			f.sets[last].insert(k)
		}
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
