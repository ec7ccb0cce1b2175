package profile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Pattern is how the values of a noun look that an API makes: "R#########" is an R and nine digits.
//
//	#          a digit
//	[a-f0-9]   one of these signs; a dash between two of them stands for all from one to the other
//	{12}       the sign before, so many times in all
//	\#         the sign behind it, as it is
//
// Any other sign is itself. So "ch_[0-9a-f]{16}" has a beginning and sixteen digits of hex. The zero
// Pattern says nothing.
type Pattern struct {
	places []places
}

// places are places of a value that may have the same signs.
type places struct {
	signs string // in ascending order, each once
	count int
}

// maxPattern bounds the length of what a pattern makes, in signs.
const maxPattern = 512

const decimals = "0123456789"

// ParsePattern reads a pattern.
func ParsePattern(text string) (Pattern, error) {
	var p Pattern
	total := 0
	for rest := text; rest != ""; {
		signs, after, err := firstSigns(rest)
		if err != nil {
			return Pattern{}, err
		}
		count, after, err := timesOf(after)
		if err != nil {
			return Pattern{}, err
		}
		if total += count; total > maxPattern {
			return Pattern{}, fmt.Errorf("expected a pattern of %d signs at most, found a longer one",
				maxPattern)
		}
		p.add(signs, count)
		rest = after
	}
	if len(p.places) == 0 {
		return Pattern{}, errors.New(`expected a pattern such as R#########, found nothing: a pattern ` +
			`that begins with "#" needs quotes around the row`)
	}
	return p, nil
}

// add adds places behind the others.
func (p *Pattern) add(signs string, count int) {
	if last := len(p.places) - 1; last >= 0 && p.places[last].signs == signs {
		p.places[last].count += count
		return
	}
	p.places = append(p.places, places{signs, count})
}

// firstSigns reads what the first place of a pattern may have.
func firstSigns(text string) (signs, rest string, err error) {
	switch c := text[0]; {
	case c == '#':
		return decimals, text[1:], nil
	case c == '[':
		return alphabet(text)
	case c == '\\' && len(text) > 1:
		text = text[1:]
	case c == '\\', c == '{', c == '}', c == ']':
		return "", "", expected(`a sign, "#" or "[" in a pattern`, text)
	}
	if c := text[0]; c < ' ' || c > '~' {
		return "", "", errors.New("expected signs of ASCII in a pattern, found another")
	}
	return text[:1], text[1:], nil
}

// alphabet reads the signs in brackets with which a text begins.
func alphabet(text string) (signs, rest string, err error) {
	var all []byte
	i := 1
	sign := func() (c byte, ok bool) {
		if i < len(text) && text[i] == '\\' {
			i++
		}
		i++
		return text[min(i, len(text))-1], i < len(text)
	}
	for i < len(text) && text[i] != ']' {
		from, ok := sign()
		to := from
		if ok && text[i] == '-' && i+1 < len(text) && text[i+1] != ']' {
			i++
			to, ok = sign()
		}
		if !ok {
			break
		}
		if from < ' ' || to > '~' || from > to {
			return "", "", expected("signs of ASCII in ascending order in the brackets of a pattern", text)
		}
		for c := from; c <= to; c++ {
			all = append(all, c)
		}
	}
	if i >= len(text) || len(all) == 0 {
		return "", "", expected(`signs and "]" after "[" in a pattern`, text)
	}
	slices.Sort(all)
	return string(slices.Compact(all)), text[i+1:], nil
}

// timesOf reads how often a place stands there: "{12}", or nothing for once.
func timesOf(text string) (count int, rest string, err error) {
	if !strings.HasPrefix(text, "{") {
		return 1, text, nil
	}
	number, rest, closed := strings.Cut(text[1:], "}")
	count, err = strconv.Atoi(number)
	if !closed || err != nil || count < 1 || count > maxPattern {
		return 0, "", expected(`a number and "}" after "{" in a pattern`, text)
	}
	return count, rest, nil
}

// String writes the pattern in the one way in which equal patterns are written.
func (p Pattern) String() string {
	var b strings.Builder
	for _, at := range p.places {
		sign := signsText(at.signs)
		if at.signs == decimals && at.count <= 12 || len(at.signs) == 1 && at.count <= 5 {
			b.WriteString(strings.Repeat(sign, at.count))
			continue
		}
		b.WriteString(sign)
		if at.count > 1 {
			fmt.Fprintf(&b, "{%d}", at.count)
		}
	}
	return b.String()
}

// signsText writes the signs of a place.
func signsText(signs string) string {
	switch {
	case signs == decimals:
		return "#"
	case len(signs) == 1 && strings.Contains(`#[]{}\`, signs):
		return `\` + signs
	case len(signs) == 1:
		return signs
	}
	var b strings.Builder
	b.WriteByte('[')
	inside := strings.ReplaceAll(signs, "-", "")
	for i := 0; i < len(inside); {
		end := i
		for end+1 < len(inside) && inside[end+1] == inside[end]+1 {
			end++
		}
		if end-i < 2 {
			end = i
		}
		b.WriteString(escapedSign(inside[i]))
		if end > i {
			b.WriteString("-" + escapedSign(inside[end]))
		}
		i = end + 1
	}
	if len(inside) < len(signs) {
		b.WriteByte('-') // at the end it stands for itself
	}
	b.WriteByte(']')
	return b.String()
}

// escapedSign writes a sign between brackets.
func escapedSign(c byte) string {
	if c == ']' || c == '\\' {
		return `\` + string(c)
	}
	return string(c)
}

// IsZero reports whether the pattern says nothing.
func (p Pattern) IsZero() bool { return len(p.places) == 0 }

// Pattern returns how the values of a noun look that the API mints; the zero Pattern where no row says.
func (p *Profile) Pattern(noun string) Pattern {
	if p == nil {
		return Pattern{}
	}
	return p.patterns[noun]
}

// like notes the pattern of a noun, which is one pattern wherever the noun stands.
func (r *reader) like(p place, n *yaml.Node, noun string, pattern Pattern) error {
	known, again := r.profile.patterns[noun]
	if again && known.String() != pattern.String() {
		return p.fail(n, fmt.Errorf("expected one pattern for the noun %q, found %s and %s", noun, known,
			pattern))
	}
	if r.profile.patterns == nil {
		r.profile.patterns = map[string]Pattern{}
	}
	r.profile.patterns[noun] = pattern
	return nil
}

// Matches reports whether a text looks so.
func (p Pattern) Matches(text string) bool {
	for _, at := range p.places {
		if len(text) < at.count || strings.Trim(text[:at.count], at.signs) != "" {
			return false
		}
		text = text[at.count:]
	}
	return text == ""
}

// Prefix returns what all texts that look so begin with.
func (p Pattern) Prefix() string {
	prefix := ""
	for _, at := range p.places {
		if len(at.signs) > 1 {
			break
		}
		prefix += strings.Repeat(at.signs, at.count)
	}
	return prefix
}

// Numeric reports whether all texts that look so are digits alone.
func (p Pattern) Numeric() bool {
	return !slices.ContainsFunc(p.places, func(at places) bool {
		return strings.Trim(at.signs, decimals) != ""
	})
}

// Capacity returns how many texts look so, as a power of ten.
func (p Pattern) Capacity() float64 {
	power := 0.0
	for _, at := range p.places {
		power += float64(at.count) * math.Log10(float64(len(at.signs)))
	}
	return power
}

// Fill returns a text that looks so. choose returns a number from 0 to below n.
func (p Pattern) Fill(choose func(n int) int) string {
	var b strings.Builder
	for _, at := range p.places {
		for range at.count {
			b.WriteByte(at.signs[choose(len(at.signs))])
		}
	}
	return b.String()
}

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
