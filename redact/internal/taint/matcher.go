package taint

import (
	"cmp"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// MinLength is the length of the shortest value that is searched for where no field says
// that it is there.
const MinLength = 8

// secret is a value to be searched for.
type secret struct {
	leaf.Unprinted
	text string
	by   surrogate.Value // what takes its place
	// digits and word say that the value is made of digits or of letters alone, and so is
	// found only between other characters.
	digits, word bool
}

// pattern is one form that a secret may have in a text. A tape may have secrets by the hundred thousand
// and some nine patterns of each, so a pattern is small: it tells the secret and the form by number.
type pattern struct {
	secret uint32 // in Matcher.secrets
	next   uint32 // behind the pattern with the same key that was filed next; 0 if there is none
	form   uint8  // in allForms
	try    uint8  // where in the form its key begins: see keyAt
}

// chain is the patterns that have a key, in the order in which they were filed. The numbers of its first
// and last pattern count from 1.
type chain struct{ first, last, count uint32 }

// Hit is a secret found in a text.
type Hit struct {
	leaf.Unprinted
	From, To int             // where it is, in bytes
	By       surrogate.Value // what takes its place
	Word     bool            // it is the value itself, and of letters alone
}

// Matcher finds any number of patterns in one pass over a text. Eight bytes of each pattern are its
// key: the bytes that it shares with the fewest other patterns, for tokens of one kind often begin
// alike. Two bit sets turn nearly every place of a text away with one look, so the time does not grow
// with the number of secrets: starts, of how keys begin, is so small that a processor has it at hand;
// bits is of whole keys.
type Matcher struct {
	leaf.Unprinted
	values   map[string]bool // what was added
	secrets  []secret
	patterns []pattern
	keys     map[uint64]chain
	starts   *[startBits / 64]uint64 // nil until something was added
	bits     bitSet
}

// Add has all forms of a value searched for. Values that are too short or too common to be
// told from other text are not: see the limits of the package. It reports whether the value
// is new.
func (t *Matcher) Add(text string, by surrogate.Value) bool {
	if t.values[text] || !IsSearchable(text) {
		return false
	}
	if t.values == nil {
		t.values = map[string]bool{}
	}
	t.values[text] = true
	t.insert(secret{text: text, by: by, digits: scan.IsNumeric(text), word: scan.IsWord(text)}, true)
	return true
}

// Has reports whether a value was added.
func (t *Matcher) Has(text string) bool { return t.values[text] }

// AddEncoded has the encoded forms of a value searched for, and not the value itself.
func (t *Matcher) AddEncoded(text string, by surrogate.Value) {
	t.insert(secret{text: text, by: by}, false)
}

// insert files the patterns of a secret.
func (t *Matcher) insert(s secret, plain bool) {
	if t.keys == nil {
		t.keys = map[uint64]chain{}
		t.starts = new([startBits / 64]uint64)
	}
	t.secrets = append(t.secrets, s)
	for form := range formsOf(s.text) {
		if form > 0 || plain {
			t.insertForm(s.text, form)
		}
	}
}

// insertForm files the pattern of a form of the secret that was inserted last.
func (t *Matcher) insertForm(text string, form int) {
	k, try, c := t.rarestKey(text, allForms[form])
	t.patterns = append(t.patterns, pattern{
		secret: uint32(len(t.secrets) - 1), form: uint8(form), try: uint8(try),
	})
	n := uint32(len(t.patterns))
	if c.count++; c.first == 0 {
		c.first = n
	} else {
		t.patterns[c.last-1].next = n
	}
	c.last = n
	t.keys[k] = c
	const perKey = 32 // bits of the bitmap, so that 3 places in 100 need a second look
	if n := len(t.bits.words); len(t.keys)*perKey > n*64 {
		t.bits = newBitSet(max(1<<10, n*4))
		for k := range t.keys {
			t.bits.insert(k)
		}
	}
	t.bits.insert(k)
	at := startOf(k)
	t.starts[at/64] |= 1 << (at % 64)
}

// startBits is the size of Matcher.starts, a power of two: 8 KB.
const startBits = 1 << 16

// startOf returns the bit of how a key begins: of its first four bytes.
func startOf(k uint64) uint32 { return uint32(k) * 0x9E3779B1 >> (32 - 16) }

// mayBegin reports whether a key of a pattern may begin like k.
func (t *Matcher) mayBegin(k uint64) bool {
	at := startOf(k)
	return t.starts[at/64]&(1<<(at%64)) != 0
}

// tries is at how many places of a form its key may begin.
const tries = 8

// keyAt returns where in a form of a length one of the tries begins.
func keyAt(length, try int) int { return (length - MinLength) * try / (tries - 1) }

// fewPatterns is how many patterns may have a key before another key is looked for.
const fewPatterns = 3

// rarestKey returns the key of a form that the fewest patterns have, where it begins, and those patterns.
// The first of some that few have will do. The search begins at the end: tokens and card numbers of one
// issuer begin alike.
func (t *Matcher) rarestKey(text string, f form) (key uint64, try int, have chain) {
	length := f.length(text)
	for i := tries - 1; i >= 0; i-- {
		k, c := f.key(text, keyAt(length, i)), chain{}
		if t.mayBegin(k) && t.bits.has(k) { // or the look into a large table is spared
			c = t.keys[k]
		}
		if i == tries-1 || c.count < have.count {
			key, try, have = k, i, c
		}
		if c.count <= fewPatterns {
			break
		}
	}
	return key, try, have
}

// Find returns the secrets in s in their order; of secrets that overlap the secret that begins
// first, and of several that begin there the longest.
func (t *Matcher) Find(s string) []Hit {
	return WithoutOverlaps(t.FindIn(nil, s, 0, len(s)))
}

// FindIn appends the secrets whose keys begin in s[from:to] to hits, which are those of the stretch
// before, so that who shares a Matcher may let others have it between two stretches of a long text.
// Secrets may overlap and are in the order of their keys: see WithoutOverlaps.
func (t *Matcher) FindIn(hits []Hit, s string, from, to int) []Hit {
	end := min(len(s), to+MinLength-1)
	if len(t.keys) == 0 || end-from < MinLength {
		return hits
	}
	k, part, starts := key(s[from:]), s[:end], t.starts
	for i := from + MinLength; ; i++ {
		at := startOf(k)
		if starts[at/64]&(1<<(at%64)) != 0 && t.bits.has(k) { // mayBegin, and starts is at hand
			hits = t.findAt(hits, s, i-MinLength)
		}
		if i >= len(part) {
			return hits
		}
		k = k>>8 | uint64(part[i])<<56
	}
}

// findAt appends the secrets whose key stands at s[i:].
func (t *Matcher) findAt(hits []Hit, s string, i int) []Hit {
	for n := t.keys[key(s[i:])].first; n > 0; n = t.patterns[n-1].next {
		p := t.patterns[n-1]
		of, f := &t.secrets[p.secret], allForms[p.form]
		length := f.length(of.text)
		from := i - keyAt(length, int(p.try))
		if from < 0 || !f.begins(s[from:], of.text) {
			continue
		}
		to := from + length
		if !of.isBounded(f, s, stretch{from, to}) || surrogate.InsideMarker(s, from, to) {
			continue
		}
		if f.as >= standardBase64 {
			if covered(hits, from, to) {
				continue
			}
			// The characters beside it hold bits of the secret too.
			from, to = scan.AroundBase64(s, from, to)
		}
		hits = append(hits, Hit{From: from, To: to, By: of.by, Word: f.as == asIs && of.word})
	}
	return hits
}

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

// covered reports whether the last hit holds [from, to).
func covered(hits []Hit, from, to int) bool {
	last := len(hits) - 1
	return last >= 0 && hits[last].From <= from && to <= hits[last].To
}

// WithoutOverlaps sorts hits and joins what overlaps.
func WithoutOverlaps(hits []Hit) []Hit {
	if len(hits) < 2 {
		return hits
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(a.From-b.From, b.To-a.To)
	})
	out := hits[:1]
	for _, h := range hits[1:] {
		if last := &out[len(out)-1]; h.From >= last.To {
			out = append(out, h)
		} else {
			last.To = max(last.To, h.To)
		}
	}
	return out
}

// isBounded reports whether a form of a secret that was found in s is bounded as its kind must be.
func (of *secret) isBounded(f form, s string, at stretch) bool {
	from, to := at.from, at.to
	switch {
	case f.as != asIs:
		return true
	case of.digits:
		return (from == 0 || s[from-1]-'0' > 9) && (to == len(s) || s[to]-'0' > 9)
	case of.word:
		return (from == 0 || !scan.IsLetter(s[from-1])) && (to == len(s) || !scan.IsLetter(s[to]))
	}
	return true
}

// IsSearchable reports whether a value can be told from other text.
func IsSearchable(value string) bool {
	if len(value) < MinLength || surrogate.IsMarker(value) {
		return false
	}
	return scan.Distinct(value) >= 4 && !words.IsCommon(value)
}
