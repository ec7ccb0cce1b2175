package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// minTaint is the length of the shortest value that is searched for where no field says
// that it is there.
const minTaint = 8

// secret is a value to be searched for, and what takes its place.
type secret struct {
	mark string // "REDACTED-token-1"
	note string // "token 1"
	// digits and word say that the value is made of digits or of letters alone, and so is
	// found only between other characters.
	digits, word bool
}

// pattern is one form that a secret may have in a text.
type pattern struct {
	text   string
	at     int  // where in it its key begins
	plain  bool // the value itself; otherwise base64 or hex
	base64 bool
	of     *secret
}

// taintHit is a secret found in a text.
type taintHit struct {
	from, to int
	of       *secret
	encoded  bool // it is not the value itself
}

// taint finds any number of patterns in one pass over a text. Eight bytes of each pattern are
// a key, those that it shares with the fewest others: tokens of one kind often begin alike. A
// bitmap of the keys' hashes turns nearly every place of a text away with one look, so the
// time does not grow with the number of secrets.
type taint struct {
	values map[string]bool // what was added
	keys   map[uint64][]pattern
	bits   []uint64 // bitmap over hash(key)
	shift  uint     // hash bits that are not used
}

// String keeps the secrets out of logs.
func (t *taint) String() string { return hidden }

// GoString does the same for %#v.
func (t *taint) GoString() string { return hidden }

// add has all forms of a value searched for. Values that are too short or too common to be
// told from other text are not: see the limits of the package. It reports whether the value
// is new.
func (t *taint) add(value string, s secret) bool {
	if t.values[value] || !searchable(value) {
		return false
	}
	if t.values == nil {
		t.values = map[string]bool{}
	}
	t.values[value] = true
	s.digits = strings.Trim(value, "0123456789") == ""
	s.word = word(value)
	t.put(pattern{text: value, plain: true, of: &s})
	t.addEncoded(value, &s)
	return true
}

// addEncoded has the encoded forms of a value searched for.
func (t *taint) addEncoded(value string, s *secret) {
	for _, text := range hexForms(value) {
		t.put(pattern{text: text, of: s})
	}
	for _, text := range base64Forms(value) {
		t.put(pattern{text: text, base64: true, of: s})
	}
}

// forms returns a value and its encoded forms.
func forms(value string) []string {
	return slices.Concat([]string{value}, hexForms(value), base64Forms(value))
}

func hexForms(value string) []string {
	lower := hex.EncodeToString([]byte(value))
	if upper := strings.ToUpper(lower); upper != lower {
		return []string{lower, upper}
	}
	return []string{lower}
}

func base64Forms(value string) []string {
	var texts []string
	for shift := range 3 {
		std := base64Core(base64.RawStdEncoding, value, shift)
		texts = append(texts, std)
		if url := base64Core(base64.RawURLEncoding, value, shift); url != std {
			texts = append(texts, url)
		}
	}
	return texts
}

// base64Core returns the characters that are the same in every base64 text which holds
// value at an offset of shift modulo 3: the others depend on the bytes beside it.
func base64Core(enc *base64.Encoding, value string, shift int) string {
	text := enc.EncodeToString(append(make([]byte, shift), value...))
	from := (8*shift + 5) / 6
	to := 8 * (shift + len(value)) / 6
	return text[from:to]
}

// put files a pattern.
func (t *taint) put(p pattern) {
	if t.keys == nil {
		t.keys = map[uint64][]pattern{}
	}
	p.at = t.rarest(p.text)
	k := key(p.text[p.at:])
	t.keys[k] = append(t.keys[k], p)
	const perKey = 32 // bits of the bitmap, so that 3 places in 100 need a second look
	if len(t.keys)*perKey > len(t.bits)*64 {
		t.grow(max(1<<10, len(t.bits)*4))
	}
	t.mark(k)
}

// rarest returns where in text the key begins that the fewest patterns have. The first of
// some that nobody has will do.
func (t *taint) rarest(text string) int {
	const tries = 8
	best, fewest := 0, -1
	for i := range tries {
		at := (len(text) - minTaint) * i / (tries - 1)
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

// grow makes the bitmap n words large, a power of two, and fills it again.
func (t *taint) grow(n int) {
	t.bits = make([]uint64, n)
	t.shift = 64
	for size := n * 64; size > 1; size >>= 1 {
		t.shift--
	}
	for k := range t.keys {
		t.mark(k)
	}
}

func (t *taint) mark(k uint64) {
	h := t.hash(k)
	t.bits[h>>6] |= 1 << (h & 63)
}

// hashFactor is 2^64 divided by the golden ratio, which spreads keys that differ little.
const hashFactor = 0x9E3779B97F4A7C15

func (t *taint) hash(k uint64) uint64 { return k * hashFactor >> t.shift }

// key packs the first eight bytes of s, the first lowest.
func key(s string) uint64 {
	var k uint64
	for i := minTaint - 1; i >= 0; i-- {
		k = k<<8 | uint64(s[i])
	}
	return k
}

// find returns the secrets in s in their order; of those that overlap the one that begins
// first, and of those the longest.
func (t *taint) find(s string) []taintHit {
	if len(t.keys) == 0 || len(s) < minTaint {
		return nil
	}
	var hits []taintHit
	k := key(s)
	for i := minTaint; ; i++ {
		h := t.hash(k)
		if t.bits[h>>6]&(1<<(h&63)) != 0 {
			hits = t.at(hits, s, i-minTaint)
		}
		if i == len(s) {
			return apart(hits)
		}
		k = k>>8 | uint64(s[i])<<56
	}
}

// at appends the secrets whose key stands at s[i:].
func (t *taint) at(hits []taintHit, s string, i int) []taintHit {
	for _, p := range t.keys[key(s[i:])] {
		from := i - p.at
		if from < 0 || !strings.HasPrefix(s[from:], p.text) {
			continue
		}
		to := from + len(p.text)
		if !p.stands(s, from, to) || insideMark(s, from, to) {
			continue
		}
		if p.base64 {
			if within(hits, from, to) {
				continue
			}
			// The characters beside it hold bits of the secret too.
			from, to = base64Run(s, from, to)
		}
		hits = append(hits, taintHit{from, to, p.of, !p.plain})
	}
	return hits
}

// within reports whether the last hit holds [from, to).
func within(hits []taintHit, from, to int) bool {
	last := len(hits) - 1
	return last >= 0 && hits[last].from <= from && to <= hits[last].to
}

// apart sorts hits and joins what overlaps.
func apart(hits []taintHit) []taintHit {
	if len(hits) < 2 {
		return hits
	}
	slices.SortStableFunc(hits, func(a, b taintHit) int {
		return cmp.Or(a.from-b.from, b.to-a.to)
	})
	out := hits[:1]
	for _, h := range hits[1:] {
		if last := &out[len(out)-1]; h.from >= last.to {
			out = append(out, h)
		} else {
			last.to = max(last.to, h.to)
		}
	}
	return out
}

// stands reports whether a form found at s[from:to] is bounded as its kind must be.
func (p pattern) stands(s string, from, to int) bool {
	switch {
	case !p.plain:
		return true
	case p.of.digits:
		return (from == 0 || s[from-1]-'0' > 9) && (to == len(s) || s[to]-'0' > 9)
	case p.of.word:
		return (from == 0 || !letter(s[from-1])) && (to == len(s) || !letter(s[to]))
	}
	return true
}

func letter(c byte) bool { return alphanumeric(c) || c == '_' || c >= 0x80 }

// base64Run widens [from, to) to the base64 text around it. A slash ends it: it is more
// often one of a path.
func base64Run(s string, from, to int) (int, int) {
	in := func(c byte) bool { return alphanumeric(c) || c == '+' || c == '-' || c == '_' }
	for from > 0 && in(s[from-1]) {
		from--
	}
	for to < len(s) && in(s[to]) {
		to++
	}
	for to < len(s) && s[to] == '=' {
		to++
	}
	return from, to
}

// searchable reports whether a value can be told from other text.
func searchable(value string) bool {
	if len(value) < minTaint || ownMark(value) {
		return false
	}
	return distinct(value) >= 4 && !slices.Contains(dictionary, strings.ToLower(value))
}

// distinct counts the different bytes of s, up to four.
func distinct(s string) int {
	var seen []byte
	for i := 0; i < len(s) && len(seen) < 4; i++ {
		if !slices.Contains(seen, s[i]) {
			seen = append(seen, s[i])
		}
	}
	return len(seen)
}

// word reports whether s is made of ASCII letters alone.
func word(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// dictionary lists words that people use as passwords and that APIs also say: taking them
// out everywhere would take the messages apart. A word that is not here is searched for
// between other characters, and not among names.
var dictionary = []string{
	"password", "passwort", "passphrase", "username", "merchant", "customer", "operation",
	"operator", "terminal", "currency", "language", "register", "registered", "payment",
	"payments", "approved", "declined", "deposited", "reversed", "refunded", "created",
	"completed", "successful", "security", "internal", "external", "transaction",
	"transactions", "identification", "authorization", "authentication", "application",
	"description", "cardholder", "mastercard", "parameter", "parameters", "response",
	"testtest", "changeme", "development", "production", "administrator",
}
