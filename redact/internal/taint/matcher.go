package taint

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

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
	by surrogate.Value // what takes its place
	// digits and word say that the value is made of digits or of letters alone, and so is
	// found only between other characters.
	digits, word bool
}

// pattern is one form that a secret may have in a text.
type pattern struct {
	leaf.Unprinted
	text   string
	at     int  // where in it its key begins
	plain  bool // the value itself; otherwise base64 or hex
	base64 bool
	of     *secret
}

// Hit is a secret found in a text.
type Hit struct {
	leaf.Unprinted
	From, To int             // where it is, in bytes
	By       surrogate.Value // what takes its place
	Word     bool            // it is the value itself, and of letters alone
}

// Matcher finds any number of patterns in one pass over a text. Eight bytes of each pattern are its
// key: the bytes that it shares with the fewest other patterns, for tokens of one kind often begin
// alike. A bit set of the keys turns nearly every place of a text away with one look, so the time
// does not grow with the number of secrets.
type Matcher struct {
	leaf.Unprinted
	values map[string]bool // what was added
	keys   map[uint64][]pattern
	bits   bitSet // of the keys
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
	s := &secret{by: by, digits: scan.IsNumeric(text), word: scan.IsWord(text)}
	t.insert(pattern{text: text, plain: true, of: s})
	t.insertEncoded(text, s)
	return true
}

// AddEncoded has the encoded forms of a value searched for, and not the value itself.
func (t *Matcher) AddEncoded(text string, by surrogate.Value) {
	t.insertEncoded(text, &secret{by: by})
}

func (t *Matcher) insertEncoded(text string, s *secret) {
	for _, form := range hexForms(text) {
		t.insert(pattern{text: form, of: s})
	}
	for _, form := range base64Forms(text) {
		t.insert(pattern{text: form, base64: true, of: s})
	}
}

// forms returns a value and its encoded forms.
func forms(text string) []string {
	return slices.Concat([]string{text}, hexForms(text), base64Forms(text))
}

func hexForms(text string) []string {
	lower := hex.EncodeToString([]byte(text))
	if upper := strings.ToUpper(lower); upper != lower {
		return []string{lower, upper}
	}
	return []string{lower}
}

func base64Forms(text string) []string {
	var texts []string
	for shift := range 3 {
		std := base64Core(base64.RawStdEncoding, text, shift)
		texts = append(texts, std)
		if url := base64Core(base64.RawURLEncoding, text, shift); url != std {
			texts = append(texts, url)
		}
	}
	return texts
}

// base64Core returns the characters that are the same in every base64 text which holds
// value at an offset of shift modulo 3: the other characters depend on the bytes beside it.
func base64Core(enc *base64.Encoding, value string, shift int) string {
	text := enc.EncodeToString(append(make([]byte, shift), value...))
	from := (8*shift + 5) / 6
	to := 8 * (shift + len(value)) / 6
	return text[from:to]
}

// insert files a pattern.
func (t *Matcher) insert(p pattern) {
	if t.keys == nil {
		t.keys = map[uint64][]pattern{}
	}
	p.at = t.rarestKey(p.text)
	k := key(p.text[p.at:])
	t.keys[k] = append(t.keys[k], p)
	const perKey = 32 // bits of the bitmap, so that 3 places in 100 need a second look
	if n := len(t.bits.words); len(t.keys)*perKey > n*64 {
		t.bits = newBitSet(max(1<<10, n*4))
		for k := range t.keys {
			t.bits.insert(k)
		}
	}
	t.bits.insert(k)
}

// rarestKey returns where in text the key begins that the fewest patterns have. The first of
// some that nobody has will do.
func (t *Matcher) rarestKey(text string) int {
	const tries = 8
	best, fewest := 0, -1
	for i := range tries {
		at := (len(text) - MinLength) * i / (tries - 1)
		n := len(t.keys[key(text[at:])])
		if n == 0 {
			return at
		}
		if fewest < 0 || n < fewest {
			best, fewest = at, n
		}
	}
	return best
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
	bits, k := t.bits, key(s[from:])
	for i := from + MinLength; ; i++ { // as keys does, without a call for every byte
		if bits.has(k) {
			hits = t.findAt(hits, s, i-MinLength)
		}
		if i == end {
			return hits
		}
		k = k>>8 | uint64(s[i])<<56
	}
}

// findAt appends the secrets whose key stands at s[i:].
func (t *Matcher) findAt(hits []Hit, s string, i int) []Hit {
	for _, p := range t.keys[key(s[i:])] {
		from := i - p.at
		if from < 0 || !strings.HasPrefix(s[from:], p.text) {
			continue
		}
		to := from + len(p.text)
		if !p.isBounded(s, from, to) || surrogate.InsideMarker(s, from, to) {
			continue
		}
		if p.base64 {
			if covered(hits, from, to) {
				continue
			}
			// The characters beside it hold bits of the secret too.
			from, to = scan.AroundBase64(s, from, to)
		}
		hits = append(hits, Hit{From: from, To: to, By: p.of.by, Word: p.plain && p.of.word})
	}
	return hits
}

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

// isBounded reports whether a form found at s[from:to] is bounded as its kind must be.
func (p pattern) isBounded(s string, from, to int) bool {
	switch {
	case !p.plain:
		return true
	case p.of.digits:
		return (from == 0 || s[from-1]-'0' > 9) && (to == len(s) || s[to]-'0' > 9)
	case p.of.word:
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
