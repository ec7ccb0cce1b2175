package words

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// Name is what a key names: a kind of secret, and the word of the tables that says so. The
// zero Name is none.
type Name struct {
	Kind profile.Sensitivity // that the key names
	Word string              // of the vocabulary
	// Shaped says that the key names it only where the value has the shape of it.
	Shaped bool
}

// fits reports whether a value can be what the name says.
func (n Name) fits(value string) bool {
	if n.Kind == profile.Token && IsHarmless(n.Word, value) {
		return false
	}
	return !n.Shaped || hasShape(n.Kind, value)
}

// hasShape reports whether a value has the shape of a CVC or of a card number.
func hasShape(kind profile.Sensitivity, value string) bool {
	switch kind {
	case profile.CVC:
		return len(value) >= MinCode && len(value) <= longestCVC && scan.IsNumeric(value)
	case profile.PAN:
		n := scan.ReadNumber(value)
		return !n.Harmless && len(n.Digits) >= pan.MinLength && len(n.Digits) <= pan.MaxLength
	}
	return true
}

// longestKeyword bounds the keys that are looked at, in bytes. Of a longer key the end is.
const longestKeyword = 40

// KindOf returns the kind of secret that a key names, NotSecret if none.
func KindOf(key string) profile.Sensitivity { return NameOf(key).Kind }

// NameOf returns what a key names. The last words of the key decide: "cardPin", "user_pin" and
// "card[pin]" name a PIN, "pinDenialCounter" and "shipping" do not.
func NameOf(key string) Name {
	key = key[max(0, len(key)-longestSpelled):]
	for key != "" && strings.IndexByte(" \t:*?.", key[len(key)-1]) >= 0 {
		key = key[:len(key)-1]
	}
	if key == "" {
		return Name{}
	}
	if key[len(key)-1] >= utf8.RuneSelf {
		return otherAlphabet(key)
	}
	var w words
	if !w.read(key) {
		return Name{}
	}
	if n := w.name(); n.Kind != profile.NotSecret || w.n < 2 {
		return n
	}
	filler := fillers[string(w.last(1))]
	if w.n--; filler == "" {
		return Name{}
	}
	if n := w.name(); strings.Contains(filler, n.Kind.String()) {
		return n
	}
	return Name{}
}

// NameFor returns what a key names and its value can be.
func NameFor(key, value string) Name {
	hint := HintOf(key)
	return hint.Name(value)
}

// Hint is what a key says before a value is looked at.
type Hint struct {
	certain   Name
	ambiguous string // of ambiguousWords; empty if certain names something
	beside    Beside // likewise
}

// HintOf returns what a key says. What cleaning left in place of a text beside a value says
// nothing.
func HintOf(key string) Hint {
	if strings.Contains(key, surrogate.Prefix) {
		return Hint{}
	}
	n := NameOf(key)
	if n.Kind != profile.NotSecret {
		return Hint{certain: n}
	}
	return Hint{ambiguous: ambiguousWord(key), beside: besideOf(key)}
}

// Name returns what the hint and a value say together.
func (h *Hint) Name(value string) Name {
	switch {
	case h.certain.Kind == profile.PAN && !canBe(profile.PAN, value), !h.certain.fits(value):
		return Name{}
	case h.ambiguous != "" && looksGenerated(value):
		return Name{Kind: profile.Token, Word: h.ambiguous}
	}
	return h.certain
}

// words are the words of a key in lower case, without what is between them.
type words struct {
	buf [longestKeyword]byte
	end [longestKeyword + 1]uint8 // end[i] is where word i ends; end[0] is 0
	n   int
}

// read cuts the end of a key into words and leaves the indexes out: "cvc[0]". It returns false
// for a key that no word of the tables can end, as most are.
func (w *words) read(key string) bool {
	if !keyEndings.mayEnd(key) {
		return false
	}
	w.split(key[max(0, len(key)-longestKeyword):])
	for w.n > 1 && len(w.withoutNumber()) == 0 {
		w.n--
	}
	return true
}

// split cuts a key where it is not of letters and digits, and before the capitals of
// camelCase: "X-APIKey" has the words x, api and key.
func (w *words) split(key string) {
	at := uint8(0)
	for i := range len(key) {
		c := key[i]
		capital := c >= 'A' && c <= 'Z'
		if begins := !scan.IsAlphanumeric(c) || capital && i > 0 && beginsWord(key, i); begins {
			w.close(at)
		}
		if capital {
			c |= 0x20
		}
		if scan.IsAlphanumeric(c) {
			w.buf[at] = c
			at++
		}
	}
	w.close(at)
}

// lastWordOf returns the last word of a key, "" if it has none.
func lastWordOf(key string) string {
	var w words
	if w.split(key[max(0, len(key)-longestKeyword):]); w.n == 0 {
		return ""
	}
	return string(w.last(1))
}

// beginsWord reports whether the capital key[i] begins a word.
func beginsWord(key string, i int) bool {
	small := func(c byte) bool { return c >= 'a' && c <= 'z' }
	return small(key[i-1]) || key[i-1]-'0' <= 9 || i+1 < len(key) && small(key[i+1])
}

// close ends the word at hand, if it has letters.
func (w *words) close(at uint8) {
	if at > w.end[w.n] {
		w.n++
		w.end[w.n] = at
	}
}

// last returns the last k words together.
func (w *words) last(k int) []byte { return w.buf[w.end[w.n-k]:w.end[w.n]] }

// withoutNumber returns the last word without a number behind it: "password1" has that of
// password. It is empty for no words.
func (w *words) withoutNumber() []byte {
	if w.n == 0 {
		return nil
	}
	word := w.last(1)
	for len(word) > 0 && word[len(word)-1] <= '9' {
		word = word[:len(word)-1]
	}
	return word
}

// name returns what the words name: all together, then the last one to three words, then the end of
// all, and then the last without its number or the s of a plural.
func (w *words) name() Name {
	for k := w.n; k >= 1; k = min(k-1, 3) {
		if n, known := lookup(w.last(k)); known {
			return n
		}
	}
	for _, end := range keywordEnds {
		if bytes.HasSuffix(w.last(w.n), []byte(end)) {
			return Name{Kind: keywords[end].kind, Word: end}
		}
	}
	word := w.withoutNumber()
	if n, known := lookup(word); known && len(word) < len(w.last(1)) {
		return n
	}
	if n, _ := lookup(bytes.TrimSuffix(word, []byte("s"))); plurals[n.Word] {
		return n
	}
	return Name{}
}

// lookup looks a word up, and reports whether it is known: some are known to name nothing.
func lookup(word []byte) (Name, bool) {
	got, known := keywords[string(word)]
	if got.kind == profile.NotSecret {
		return Name{}, known
	}
	return Name{got.kind, string(word), got.shaped}, true
}

// longestSpelled bounds what is looked at of a key in another alphabet, in bytes.
const longestSpelled = 64

// otherAlphabet is NameOf for a key that ends in another alphabet. "CVC-код" goes by what is
// before the word for code.
func otherAlphabet(key string) Name {
	key = strings.ReplaceAll(strings.ToLower(key), "_", " ")
	for _, word := range longestFirst {
		if endsWord(key, word) {
			return Name{Kind: otherAlphabetWords[word], Word: word}
		}
	}
	for _, code := range []string{"код", "кода"} {
		if rest, ok := strings.CutSuffix(key, code); ok {
			n := NameOf(strings.TrimRight(rest, " -_"))
			if n.Kind == profile.CVC || n.Kind == profile.PIN {
				return n
			}
		}
	}
	return Name{}
}

// endsWord reports whether a key ends with a word that no letter stands before.
func endsWord(key, word string) bool {
	rest, ok := strings.CutSuffix(key, word)
	if !ok {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(rest)
	return rest == "" || !unicode.IsLetter(before)
}
