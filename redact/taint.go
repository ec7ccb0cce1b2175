package redact

import (
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
	plain  bool // the value itself; otherwise base64 or hex
	base64 bool
	of     *secret
}

// taintHit is a secret found in a text.
type taintHit struct {
	from, to int
	of       *secret
}

// taint finds any number of patterns in one pass over a text. The first eight bytes of each
// pattern are a key; a bitmap of the keys' hashes turns nearly every place of a text away
// with one look, so the time does not grow with the number of secrets.
type taint struct {
	keys  map[uint64][]pattern
	bits  []uint64 // bitmap over hash(key)
	shift uint     // hash bits that are not used
}

// String keeps the secrets out of logs.
func (t *taint) String() string { return hidden }

// GoString does the same for %#v.
func (t *taint) GoString() string { return hidden }

// add has all forms of a value searched for. Values that are too short or too common to be
// told from other text are not: see the limits of the package. It reports whether the value
// is new.
func (t *taint) add(value string, s secret) bool {
	if !searchable(value) {
		return false
	}
	s.digits = strings.Trim(value, "0123456789") == ""
	s.word = word(value)
	if !t.put(pattern{text: value, plain: true, of: &s}) {
		return false
	}
	t.addEncoded(value, &s)
	return true
}

// addEncoded has the encoded forms of a value searched for.
func (t *taint) addEncoded(value string, s *secret) {
	lower := hex.EncodeToString([]byte(value))
	t.put(pattern{text: lower, of: s})
	if upper := strings.ToUpper(lower); upper != lower {
		t.put(pattern{text: upper, of: s})
	}
	for shift := range 3 {
		std := base64Core(base64.RawStdEncoding, value, shift)
		t.put(pattern{text: std, base64: true, of: s})
		if url := base64Core(base64.RawURLEncoding, value, shift); url != std {
			t.put(pattern{text: url, base64: true, of: s})
		}
	}
}

// base64Core returns the characters that are the same in every base64 text which holds
// value at an offset of shift modulo 3: the others depend on the bytes beside it.
func base64Core(enc *base64.Encoding, value string, shift int) string {
	text := enc.EncodeToString(append(make([]byte, shift), value...))
	from := (8*shift + 5) / 6
	to := 8 * (shift + len(value)) / 6
	return text[from:to]
}

// put files a pattern and reports whether it is new. One that two secrets share is filed
// under the first.
func (t *taint) put(p pattern) bool {
	if t.keys == nil {
		t.keys = map[uint64][]pattern{}
	}
	k := key(p.text)
	for _, other := range t.keys[k] {
		if other.text == p.text {
			return false
		}
	}
	t.keys[k] = append(t.keys[k], p)
	const perKey = 32 // bits of the bitmap, so that 3 places in 100 need a second look
	if len(t.keys)*perKey > len(t.bits)*64 {
		t.grow(max(1<<10, len(t.bits)*4))
	}
	t.mark(k)
	return true
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

func (t *taint) hash(k uint64) uint64 { return k * 0x9E3779B97F4A7C15 >> t.shift }

// key packs the first eight bytes of s, the first lowest.
func key(s string) uint64 {
	var k uint64
	for i := minTaint - 1; i >= 0; i-- {
		k = k<<8 | uint64(s[i])
	}
	return k
}

// find returns the secrets in s in their order.
func (t *taint) find(s string) []taintHit {
	if len(t.keys) == 0 || len(s) < minTaint {
		return nil
	}
	var hits []taintHit
	k := key(s)
	for i, end := 0, len(s)-minTaint; ; {
		h := t.hash(k)
		if t.bits[h>>6]&(1<<(h&63)) != 0 {
			if hit, ok := t.at(s, i, k); ok {
				hits = append(hits, hit)
				if i = hit.to; i > end {
					return hits
				}
				k = key(s[i:])
				continue
			}
		}
		if i++; i > end {
			return hits
		}
		k = k>>8 | uint64(s[i+minTaint-1])<<56
	}
}

// at returns the longest secret that begins at s[i:].
func (t *taint) at(s string, i int, k uint64) (taintHit, bool) {
	var best taintHit
	for _, p := range t.keys[k] {
		if !strings.HasPrefix(s[i:], p.text) || i+len(p.text) <= best.to {
			continue
		}
		if to := i + len(p.text); p.stands(s, i, to) && !insideMark(s, i, to) {
			best = taintHit{i, to, p.of}
			if p.base64 {
				// The characters beside it hold bits of the secret too.
				best.from, best.to = base64Run(s, i, to)
			}
		}
	}
	return best, best.of != nil
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
