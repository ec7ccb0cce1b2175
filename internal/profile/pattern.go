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
	if p.IsZero() {
		return "" // as it is of most nouns
	}
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
	var room [64]byte // most ids are shorter
	b := room[:0]
	for _, at := range p.places {
		for range at.count {
			b = append(b, at.signs[choose(len(at.signs))])
		}
	}
	return string(b)
}
