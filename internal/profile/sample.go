package profile

import (
	"math/bits"
	"slices"
	"strings"
)

// CommonPattern returns how several texts look alike: Sample.Pattern of them.
func CommonPattern(texts []string) Pattern {
	var s Sample
	for _, text := range texts {
		s.Add(text)
	}
	return s.Pattern()
}

// Sample is what is known of texts that were looked at one after another: which signs they have at which
// place. It holds none of the texts, so a tape of 100,000 orders may show it all of their ids. The zero
// Sample has seen none.
type Sample struct {
	texts  int
	first  string
	places []sampled
	apart  bool // the texts have no pattern: they differ in length, or are not of ASCII
}

// sampled is what texts have at a place.
type sampled struct {
	signs [2]uint64 // a bit for each sign of ASCII
	// lower and upper are how many of the texts have a letter there.
	lower, upper int
}

// Add looks at another text.
func (s *Sample) Add(text string) {
	s.texts++
	if s.texts == 1 {
		s.first = text
		s.apart = text == "" || len(text) > maxPattern
		if !s.apart {
			s.places = make([]sampled, len(text))
		}
	}
	if s.apart = s.apart || len(text) != len(s.first); s.apart {
		return
	}
	for at := range len(text) {
		c := text[at]
		if c < ' ' || c > '~' {
			s.apart = true
			return
		}
		p := &s.places[at]
		p.signs[c>>6] |= 1 << (c & 63)
		switch kindOf(c) {
		case aLower:
			p.lower++
		case anUpper:
			p.upper++
		}
	}
}

// has reports whether a text has a sign at the place.
func (p *sampled) has(c byte) bool { return p.signs[c>>6]&(1<<(c&63)) != 0 }

// same reports whether all texts have the same sign at the place.
func (p *sampled) same() bool { return bits.OnesCount64(p.signs[0])+bits.OnesCount64(p.signs[1]) == 1 }

// Pattern returns how the texts look alike. It returns the zero Pattern for texts that differ
// in length or are not of ASCII, and for fewer than two different ones.
//
// At each place stand signs of the kinds that the texts have there. What all texts have in common at
// their beginning stays, and so does what three or more texts have in common anywhere, if that leaves
// enough texts that look so. The letters are those that the texts have, where the texts are many; else
// all of their kind, and those of hex where the texts have no others.
func (s *Sample) Pattern() Pattern {
	common := s.commonPrefix()
	if s.apart || common == len(s.places) {
		return Pattern{}
	}
	const enough = 8 // a power of ten
	l := s.letters(common)
	if s.texts >= 3 {
		if p := s.pattern(l, func(int) bool { return true }); p.Capacity() >= enough {
			return p
		}
	}
	begins := min(common, max(0, len(s.places)-variablePart))
	return s.pattern(l, func(at int) bool { return at < begins })
}

// pattern returns the pattern of the texts. A sign that all have at a place stays if keeps says so.
func (s *Sample) pattern(l letters, keeps func(at int) bool) Pattern {
	length := len(s.places)
	free := make([]kinds, length) // 0 where a sign stays
	for at := range length {
		k := s.places[at].kinds()
		if !s.places[at].same() || k != another && !keeps(at) {
			free[at] = k
		}
	}
	for from := 0; from < length; {
		to := from
		for to < length && free[to] != 0 && free[to]&another == 0 {
			to++
		}
		unify(free[from:to], s.texts)
		from = to + 1
	}
	var p Pattern
	for at := range length {
		signs := s.first[at : at+1]
		if free[at] != 0 {
			signs = l.signs(free[at])
		}
		if free[at]&another != 0 {
			signs = s.places[at].withOthers(signs)
		}
		p.add(signs, 1)
	}
	return p
}

// withOthers adds the signs that are neither letters nor digits at the place.
func (p *sampled) withOthers(signs string) string {
	all := []byte(signs)
	for c := byte(' '); c <= '~'; c++ {
		if kindOf(c) == another && p.has(c) {
			all = append(all, c)
		}
	}
	slices.Sort(all)
	return string(slices.Compact(all))
}

// variablePart is how many signs are free behind a common beginning: numbers in turn have more than
// that in common by chance.
const variablePart = 8

// commonPrefix returns how many signs all texts begin with.
func (s *Sample) commonPrefix() int {
	n := 0
	for n < len(s.places) && s.places[n].same() {
		n++
	}
	return n
}

// letters are the letters that may stand in texts of one kind.
type letters struct{ lower, upper string }

// Alphabets of letters.
const (
	hexLetters   = "abcdef"
	smallLetters = "abcdefghijklmnopqrstuvwxyz"
)

// letters returns the letters of the texts behind what they have in common, each case for itself.
func (s *Sample) letters(common int) letters {
	var all sampled
	for _, p := range s.places[common:] {
		all.signs[0] |= p.signs[0]
		all.signs[1] |= p.signs[1]
		all.lower += p.lower
		all.upper += p.upper
	}
	of := func(alphabet string, total int) string {
		seen := ""
		for _, c := range []byte(alphabet) {
			if all.has(c) {
				seen += string(c)
			}
		}
		switch hex := alphabet[:len(hexLetters)]; {
		case strings.Trim(seen, hex) == "":
			return hex
		case total >= 6*len(alphabet): // enough to show every letter that there is
			return seen
		}
		return alphabet
	}
	return letters{of(smallLetters, all.lower), of(strings.ToUpper(smallLetters), all.upper)}
}

// kinds are kinds of signs.
type kinds uint8

const (
	aDigit kinds = 1 << iota
	aLower
	anUpper
	another
)

// kinds returns the kinds of the signs that texts have at the place.
func (p *sampled) kinds() kinds {
	var k kinds
	for c := byte(' '); c <= '~'; c++ {
		if p.has(c) {
			k |= kindOf(c)
		}
	}
	return k
}

func kindOf(c byte) kinds {
	switch {
	case c >= '0' && c <= '9':
		return aDigit
	case c >= 'a' && c <= 'z':
		return aLower
	case c >= 'A' && c <= 'Z':
		return anUpper
	}
	return another
}

// signs returns the signs of some kinds.
func (l letters) signs(k kinds) string {
	signs := ""
	if k&aDigit != 0 {
		signs += decimals
	}
	if k&anUpper != 0 {
		signs += l.upper
	}
	if k&aLower != 0 {
		signs += l.lower
	}
	return signs
}

// unify gives places that belong together the kinds of all of them. Random letters and digits are
// digits at one place or another by chance. So a run of places is of one kind, unless all its places
// are of one kind each, or it begins or ends with more digits than chance would have.
func unify(run []kinds, texts int) {
	const chance = 10 // digits in turn: less than one time in a hundred, of hex
	digits := func(k kinds) bool { return k == aDigit }
	from, to := 0, len(run)
	for from < len(run) && digits(run[from]) {
		from++
	}
	for to > from && digits(run[to-1]) {
		to--
	}
	if from*texts < chance {
		from = 0
	}
	if (len(run)-to)*texts < chance {
		to = len(run)
	}
	mixed, union := false, kinds(0)
	for _, k := range run[from:to] {
		mixed = mixed || k&(k-1) != 0
		union |= k
	}
	if !mixed {
		return
	}
	for i := from; i < to; i++ {
		run[i] = union
	}
}
