package redact

import "slices"

// Past remembers what a journal holds well enough to say, when a secret is learned, whether it
// may stand there already, without reading the journal again. It is not safe for concurrent
// use.
//
// It keeps which stretches of eight bytes occur in the texts, as bits of their hashes, in
// filters that grow as they fill. A form of a secret is in a text only if all its stretches
// are; the other way round it errs now and then, which costs a reading of the journal.
type Past struct {
	tape    *tape
	asked   int // how many lessons have been looked for
	filters []*filter
}

// String keeps what is remembered out of logs.
func (p *Past) String() string { return hidden }

// GoString does the same for %#v.
func (p *Past) GoString() string { return hidden }

// Past returns an empty memory. Secrets that are known already are not looked for.
func (r *Redactor) Past() *Past {
	return &Past{tape: r.s.tape, asked: len(r.s.tape.lessonsSince(0))}
}

// Learned counts what the redactor has learned to be secret.
func (r *Redactor) Learned() int { return r.s.tape.learned() }

// Outdated reports whether something was learned since an exchange was cleaned.
func (r *Redactor) Outdated(x Clean) bool { return x.learned != r.Learned() }

// Add remembers a text that was clean when it was written.
func (p *Past) Add(text string) {
	if mayPeel(text) {
		p.inside(text)
	}
	for depth := 0; depth <= maxViews && text != ""; depth++ {
		p.windows(text)
		p.windows(joinDigits(text))
		text = unwrap(text, nil)
	}
}

// inside remembers what a text holds under encodings.
func (p *Past) inside(text string) {
	newPeeler(text, func(v *view) {
		if v.decoded() {
			p.windows(v.text)
			p.windows(joinDigits(v.text))
		}
	}).peel(text)
}

// Reached reports whether something learned since the last call may stand in a text that was
// added. The texts are then cleaned again by whoever has them.
func (p *Past) Reached() bool {
	lessons := p.tape.lessonsSince(p.asked)
	p.asked += len(lessons)
	for _, value := range lessons {
		if len(value) >= minTaint && slices.ContainsFunc(forms(value), p.may) {
			return true
		}
	}
	return false
}

// Forget empties the memory, whose texts were replaced.
func (p *Past) Forget() { p.filters = nil }

// may reports whether a text that was added may hold s.
func (p *Past) may(s string) bool {
	for _, f := range p.filters {
		if f.may(s) {
			return true
		}
	}
	return false
}

// windows enters every stretch of s into the last filter; a text is never spread over two.
func (p *Past) windows(s string) {
	if len(s) < minTaint {
		return
	}
	last := len(p.filters) - 1
	if last < 0 || p.filters[last].full() {
		p.filters = append(p.filters, newFilter(last+1))
		last++
	}
	p.filters[last].add(s)
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

// filter is a set of stretches of eight bytes, of which it knows the hashes alone.
type filter struct {
	bits  []uint64
	shift uint // hash bits that are not used
	set   int  // bits that are set
}

// smallestFilter and largestFilter are sizes in bits, as powers of two: 128 KB and 8 MB.
const (
	smallestFilter = 20
	largestFilter  = 26
)

// newFilter makes the nth filter, each four times the one before.
func newFilter(n int) *filter {
	size := min(smallestFilter+2*n, largestFilter)
	return &filter{bits: make([]uint64, 1<<(size-6)), shift: uint(64 - size)}
}

// full reports whether more than a quarter of the bits are set.
func (f *filter) full() bool { return f.set > len(f.bits)*64/4 }

func (f *filter) add(s string) {
	k := key(s)
	for i := minTaint; ; i++ {
		h := k * hashFactor >> f.shift
		if word, bit := &f.bits[h>>6], uint64(1)<<(h&63); *word&bit == 0 {
			*word |= bit
			f.set++
		}
		if i == len(s) {
			return
		}
		k = k>>8 | uint64(s[i])<<56
	}
}

func (f *filter) may(s string) bool {
	k := key(s)
	for i := minTaint; ; i++ {
		h := k * hashFactor >> f.shift
		if f.bits[h>>6]&(1<<(h&63)) == 0 {
			return false
		}
		if i == len(s) {
			return true
		}
		k = k>>8 | uint64(s[i])<<56
	}
}
