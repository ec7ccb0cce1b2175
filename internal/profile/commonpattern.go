package profile

import (
	"slices"
	"strings"
)

// CommonPattern returns how several texts look alike. It returns the zero Pattern for texts that differ
// in length or are not of ASCII, and for fewer than two different ones.
//
// At each place stand signs of the kinds that the texts have there. What all texts have in common at
// their beginning stays, and so does what three or more texts have in common anywhere, if that leaves
// enough texts that look so. The letters are those that the texts have, where the texts are many; else
// all of their kind, and those of hex where the texts have no others.
func CommonPattern(texts []string) Pattern {
	if !comparable(texts) {
		return Pattern{}
	}
	const enough = 8 // a power of ten
	l := lettersOf(texts)
	if len(texts) >= 3 {
		if p := l.pattern(texts, func(int) bool { return true }); p.Capacity() >= enough {
			return p
		}
	}
	begins := min(commonPrefix(texts), max(0, len(texts[0])-variablePart))
	return l.pattern(texts, func(at int) bool { return at < begins })
}

// comparable reports whether texts are as long as one another, of ASCII, and not all the same.
func comparable(texts []string) bool {
	differ := false
	for _, text := range texts {
		strange := strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
		if text == "" || len(text) > maxPattern || len(text) != len(texts[0]) || strange {
			return false
		}
		differ = differ || text != texts[0]
	}
	return differ
}

// pattern returns the pattern of texts. A sign that all have at a place stays if keeps says so.
func (l letters) pattern(texts []string, keeps func(at int) bool) Pattern {
	length := len(texts[0])
	free := make([]kinds, length) // 0 where a sign stays
	for at := range length {
		same := !slices.ContainsFunc(texts, func(text string) bool { return text[at] != texts[0][at] })
		k := kindsAt(texts, at)
		if !same || k != another && !keeps(at) {
			free[at] = k
		}
	}
	for from := 0; from < length; {
		to := from
		for to < length && free[to] != 0 && free[to]&another == 0 {
			to++
		}
		unify(free[from:to], len(texts))
		from = to + 1
	}
	var p Pattern
	for at := range length {
		signs := texts[0][at : at+1]
		if free[at] != 0 {
			signs = l.signs(free[at])
		}
		if free[at]&another != 0 {
			signs = l.others(texts, at, signs)
		}
		p.add(signs, 1)
	}
	return p
}

// others adds the signs that are neither letters nor digits at a place.
func (l letters) others(texts []string, at int, signs string) string {
	all := []byte(signs)
	for _, text := range texts {
		if kindsAt([]string{text}, at) == another {
			all = append(all, text[at])
		}
	}
	slices.Sort(all)
	return string(slices.Compact(all))
}

// variablePart is how many signs are free behind a common beginning: numbers in turn have more than
// that in common by chance.
const variablePart = 8

func commonPrefix(texts []string) int {
	n := 0
	for n < len(texts[0]) {
		for _, text := range texts {
			if text[n] != texts[0][n] {
				return n
			}
		}
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

// lettersOf returns the letters of texts where the texts differ, each case for itself.
func lettersOf(texts []string) letters {
	all := ""
	for _, text := range texts {
		all += text[commonPrefix(texts):]
	}
	of := func(alphabet string) string {
		seen, total := "", 0
		for _, c := range alphabet {
			if n := strings.Count(all, string(c)); n > 0 {
				seen, total = seen+string(c), total+n
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
	return letters{of(smallLetters), of(strings.ToUpper(smallLetters))}
}

// kinds are what kinds of signs texts have at a place.
type kinds uint8

const (
	aDigit kinds = 1 << iota
	aLower
	anUpper
	another
)

func kindsAt(texts []string, at int) kinds {
	var k kinds
	for _, text := range texts {
		switch c := text[at]; {
		case c >= '0' && c <= '9':
			k |= aDigit
		case c >= 'a' && c <= 'z':
			k |= aLower
		case c >= 'A' && c <= 'Z':
			k |= anUpper
		default:
			k |= another
		}
	}
	return k
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
