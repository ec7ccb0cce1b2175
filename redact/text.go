package redact

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/profile"
)

// span is a stretch of a text and what takes its place.
type span struct {
	from, to int
	text     string
	note     string
}

// cleaning is the cleaning of one exchange, or of one text.
type cleaning struct {
	*state
	trust trust
	notes []string // for Meta.Redactions
	lost  []string // for Meta.Withheld
}

// text returns s without what shape, taint and keywords find in it.
func (c *cleaning) text(s string) string { return splice(s, c.spans(s, true)) }

// spans finds what must be replaced in a text, in order and without overlaps. A number's
// text has no dots that separate.
//
// Every layer of escapes is looked through; what is found beneath one is replaced above it.
func (c *cleaning) spans(s string, dots bool) []span {
	found := c.layer(s, dots)
	view, back := s, origins{text: s}
	for depth := 1; depth <= maxViews; depth++ {
		if view = unwrap(view, nil); view == "" {
			break
		}
		for _, f := range c.layer(view, dots) {
			f.from, f.to = back.of(depth, f.from, f.to)
			f.text = wrapped(f.text, s[f.from:f.to])
			found = append(found, f)
		}
	}
	return merge(found)
}

// layer finds what must be replaced in a text as it stands.
func (c *cleaning) layer(s string, dots bool) []span {
	numbers, hits := c.search(s, dots)
	var found []span
	for _, n := range numbers {
		if n.verdict == own {
			// Known from now on, it is recognised beside other digits too.
			c.tape.seen(n.digits)
		}
		if n.verdict == card {
			st := c.tape.card(n.digits)
			if !ownMark(st.text) {
				st.text = regroup(st.text, s[n.from:n.to])
			}
			found = append(found, span{n.from, n.to, st.text, st.note})
		}
	}
	for _, m := range mentions(s) {
		got := c.replace(m.kind, fieldValue{text: decoded(s[m.from:m.to])})
		if got.note != "" {
			found = append(found, span{m.from, m.to, got.text, got.note})
		}
	}
	for _, h := range hits {
		found = append(found, span{h.from, h.to, h.of.mark, h.of.note})
	}
	return found
}

// decoded undoes percent-encoding, so that a password in a URL is the one in a form.
func decoded(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if got := unwrap(s, nil); got != "" && utf8.ValidString(got) {
		return got
	}
	return s
}

// search finds numbers and tainted values in a text as it stands.
func (c *cleaning) search(s string, dots bool) ([]sighting, []taintHit) {
	if len(s) < minTaint {
		return nil, nil
	}
	c.tape.mu.RLock()
	defer c.tape.mu.RUnlock()
	return c.numbers(s, dots), c.tape.taint.find(s)
}

// numbers scans for numbers. A dot is a separator and a decimal point, so text is read both
// ways.
func (c *cleaning) numbers(s string, dots bool) []sighting {
	j := c.judge(c.trust)
	found := scan(s, false, j)
	if dots && dotted(s) {
		found = append(found, scan(s, true, j)...)
	}
	return found
}

// dotted reports whether s has a dot between two digits.
func dotted(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		next := strings.IndexByte(s[i:], '.')
		if next < 0 || i+next+1 >= len(s) {
			return false
		}
		i += next
		if digitOrWide(s[i-1]) && digitOrWide(s[i+1]) {
			return true
		}
	}
	return false
}

// digitOrWide reports whether c is a digit or may belong to one outside ASCII.
func digitOrWide(c byte) bool { return c-'0' <= 9 || c >= utf8.RuneSelf }

// merge sorts spans and joins those that overlap. Of two, the one found first gives the
// text: numbers come before keywords and taint, and outer layers before inner ones.
func merge(found []span) []span {
	if len(found) < 2 {
		return found
	}
	rank := make([]int, len(found))
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return found[a].from - found[b].from })
	var out []span
	best := 0
	for _, i := range rank {
		f := found[i]
		last := len(out) - 1
		if last < 0 || f.from >= out[last].to {
			out, best = append(out, f), i
			continue
		}
		from, to := out[last].from, max(out[last].to, f.to)
		if i < best {
			out[last], best = f, i
		}
		out[last].from, out[last].to = from, to
	}
	return out
}

// splice writes spans into s.
func splice(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	last := 0
	for _, sp := range spans {
		b.WriteString(s[last:sp.from])
		b.WriteString(sp.text)
		last = sp.to
	}
	b.WriteString(s[last:])
	return b.String()
}

// wrapped writes a replacement as the text it stands for was written: where that was
// percent-encoded or had '+' for spaces, so are the separators of the new one.
func wrapped(text, like string) string {
	if strings.IndexByte(like, '%') < 0 && strings.IndexByte(like, '+') < 0 {
		return text
	}
	space := "%20"
	if strings.IndexByte(like, '+') >= 0 {
		space = "+"
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			b.WriteString(space)
		case c < utf8.RuneSelf:
			b.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

// hits reports whether a text still holds a card number or a tainted value, seen through
// every layer of escapes. The gate asks it; words are left to the leaves, where they stand
// between other characters.
func (c *cleaning) hits(s string, dots bool) bool {
	for depth := 0; depth <= maxViews && s != ""; depth++ {
		numbers, tainted := c.search(s, dots)
		for _, n := range numbers {
			if n.verdict == card {
				return true
			}
		}
		for _, t := range tainted {
			if !t.of.word {
				return true
			}
		}
		s = unwrap(s, nil)
	}
	return false
}

// fieldValue is the value of a field.
type fieldValue struct {
	text   string
	number bool // a JSON number, which should stay one
}

// replace returns what takes the place of a value that is secret of a kind. If nothing must,
// the note is empty and the text is the value.
func (c *cleaning) replace(kind profile.Sensitivity, v fieldValue) stand {
	same := stand{text: v.text}
	if strings.TrimSpace(v.text) == "" || c.trust == ours && ownValue(v.text) {
		return same
	}
	if f, ok := fakerOf(kind); ok {
		return c.fake(f, kind, v)
	}
	if kind != profile.PAN {
		c.learnNumbers(v.text)
	}
	switch kind {
	case profile.PAN:
		return c.pan(v)
	case profile.CVC:
		return c.code(kind, v, cvcDigits)
	case profile.PIN:
		return c.code(kind, v, pinDigits)
	case profile.Token, profile.Blob:
		n := c.tape.number(kind, v.text)
		return c.taught(v, stand{numbered(kind, n), note(kind, n)})
	}
	return c.taught(v, stand{constant(kind), string(kind)})
}

// taught has the value searched for.
func (c *cleaning) taught(v fieldValue, s stand) stand {
	c.tape.learn(v.text, s)
	return s
}

// learnNumbers learns the card numbers inside a value that is replaced whole.
func (c *cleaning) learnNumbers(s string) {
	numbers, _ := c.search(s, true)
	for _, n := range numbers {
		if n.verdict == card {
			c.tape.card(n.digits)
		}
	}
}
