package stable

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/match/fresh"
)

// shape is what the recorded values of a noun have in common. One value has more traits than that: the
// pattern of its letters and digits, a leading zero, a Luhn sum that is right by chance. The next
// recording has other such traits, so they are not kept.
type shape struct {
	values map[string]bool
	prefix string    // with which all begin
	zeros  int       // with which those begin that are padded; 0 if none is
	padded int       // how many are
	luhn   bool      // all pass it
	has    [256]bool // the characters that any of them has, without words
	coded  int       // of letters and a number behind them in all values: how many letters; else 0
}

// The kinds of characters of an id.
const (
	digit = "0123456789"
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hex   = "abcdef"
	upHex = "ABCDEF"
)

// padding is with how many zeros a number begins that is padded. A number in a hundred begins so by
// chance, but not most numbers of a noun.
const padding = 2

// add adds a value to a shape.
func (s *shape) add(text string) {
	if s.values[text] {
		return
	}
	zeros := len(text) - len(strings.TrimLeft(text, "0"))
	luhn := isDigits(text) && pan.Residue(text) == pan.Valid
	if s.values == nil {
		s.values, s.prefix, s.luhn, s.coded = map[string]bool{}, text, luhn, lettersBefore(text)
	}
	if s.coded != lettersBefore(text) {
		s.coded = 0
	}
	s.values[text] = true
	if zeros >= padding {
		s.padded++
		if s.zeros == 0 || zeros < s.zeros {
			s.zeros = zeros
		}
	}
	for !strings.HasPrefix(text, s.prefix) {
		s.prefix = s.prefix[:len(s.prefix)-1]
	}
	s.luhn = s.luhn && luhn
	for _, c := range []byte(text[wordsBefore(text):]) {
		s.has[c] = true
	}
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// wordsBefore returns how long the words are that name the kind of an id: "card_", "cs_test_".
func wordsBefore(text string) int {
	prefix := 0
	for {
		i := strings.IndexAny(text[prefix:], "_-")
		if i <= 0 || strings.ContainsAny(text[prefix:prefix+i], "0123456789") ||
			text[prefix:prefix+i] != strings.ToLower(text[prefix:prefix+i]) {
			return prefix
		}
		prefix += i + 1
	}
}

// lettersBefore returns how many letters stand before a number: 1 in "R628294422"; 0 in all other texts.
func lettersBefore(text string) int {
	letters := len(text) - len(strings.TrimLeft(text, lower+upper))
	if isDigits(text[letters:]) {
		return letters
	}
	return 0
}

// kept returns how many characters of a value stay: the words that name the kind of an id, the letters
// before a number, and what all values have in common at the beginning, unless they do by chance. Of a
// long number that is alone what may name a bank or an issuer stays.
func (s *shape) kept(text string) int {
	const (
		long = 16
		bank = 8
		vary = 6 // the last characters vary always
		sure = 2 // so many digits are alike by chance in one noun of a hundred
	)
	common := 0
	if len(s.prefix)*(len(s.values)-1) >= sure {
		common = len(s.prefix)
	}
	if isDigits(text) {
		if len(s.values) < 2 && len(text) >= long {
			common = bank
		}
		return max(0, min(common, len(text)-vary))
	}
	if s.coded > 0 && (len(s.values) < 2 || len(s.prefix) >= s.coded) {
		return s.coded
	}
	return max(wordsBefore(text), min(common, len(text)-vary))
}

// make makes a value in the shape, as long as a recorded value. What is drawn for a character does not
// depend on how many characters stay: made of a made value, the value is the same.
func (s *shape) make(seed uint64, text string) string {
	r := random(seed)
	if isDigits(text) {
		return s.number(r, text)
	}
	b := []byte(text)
	from := s.kept(text)
	kinds := s.kinds()
	all := strings.Join(kinds, "")
	for i := range b {
		chars := all
		if last := len(b) - 1 - i; last < len(kinds) { // each kind is there: the value tells its shape
			chars = kinds[last]
		}
		if s.coded > 0 {
			chars = sameKind(b[i])
		}
		if drawn := chars[r.IntN(len(chars))]; i >= from && isWord(b[i]) {
			b[i] = drawn
		}
	}
	return string(b)
}

// sameKind returns the characters of the kind of a character.
func sameKind(c byte) string {
	for _, kind := range []string{digit, lower, upper} {
		if strings.IndexByte(kind, c) >= 0 {
			return kind
		}
	}
	return string(c)
}

// random returns the random numbers of a seed. Those of seeds that are near have nothing in common
// (Steele and others, Fast Splittable Pseudorandom Number Generators, 2014).
func random(seed uint64) *rand.Rand {
	mix := func(x uint64) uint64 {
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	return rand.New(rand.NewPCG(mix(seed), mix(seed+golden)))
}

// kinds are the kinds of characters of which values of the shape are made: those of hex where there is
// nothing else, and all three where there are letters of both cases.
func (s *shape) kinds() []string {
	var beyond, digits, lowers, uppers bool
	for c, has := range s.has {
		if sign := string(rune(c)); has && c < utf8.RuneSelf {
			beyond = beyond || isWord(byte(c)) && !strings.Contains(digit+hex+upHex, sign)
			digits = digits || strings.Contains(digit, sign)
			lowers = lowers || strings.Contains(lower, sign)
			uppers = uppers || strings.Contains(upper, sign)
		}
	}
	switch {
	case lowers && uppers:
		return []string{lower, upper, digit}
	case digits && lowers && !beyond:
		return []string{hex, digit}
	case digits && uppers && !beyond:
		return []string{upHex, digit}
	case digits && lowers:
		return []string{lower, digit}
	case digits && uppers:
		return []string{upper, digit}
	case lowers:
		return []string{lower}
	case uppers:
		return []string{upper}
	}
	return []string{digit}
}

// narrow are the lengths of numbers of which not all fit into a type in which clients keep ids: 32 bits,
// 53 bits, 64 bits with a sign and without.
var narrow = []int{10, 16, 19, 20}

// number makes a number, which fits wherever the recorded number does.
func (s *shape) number(r *rand.Rand, text string) string {
	b := []byte(text)
	from := s.kept(text)
	zeros := min(s.zeros, len(text)-len(strings.TrimLeft(text, "0")))
	if zeros < padding || 2*s.padded < len(s.values) {
		zeros = 0
	}
	from = max(from, zeros)
	for i := range b {
		if drawn := byte('0' + r.IntN(10)); i >= from {
			b[i] = drawn
		}
	}
	if from == zeros && from < len(b) && (b[from] == '0' || slices.Contains(narrow, len(b))) {
		b[from] = '1'
	}
	const byChance = 3 // numbers that all pass Luhn
	if s.luhn && len(s.values) >= byChance {
		return pan.WithResidue(string(b), len(b)-1, pan.Valid)
	}
	return string(b)
}

// variantAt is where the variant of a UUID stands (RFC 9562, 4.1), of which two bits are by chance.
const variantAt = 19

// uuid makes a UUID. What tells the time of its birth, and what is constant at an installation, is for
// package fresh to know.
func uuid(seed uint64, v fresh.Recorded, at time.Time) string {
	made := []byte(fresh.New(random(seed).Uint64()|1).Like(v, at))
	if strings.IndexByte("89abAB", made[variantAt]) >= 0 {
		made[variantAt] = '8'
	}
	return string(made)
}
