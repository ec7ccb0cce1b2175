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
	rule     string // that found it
	// named says that a keyword tells what it is: it gives the text where spans overlap.
	named bool
}

// cleaning is the cleaning of one exchange, or of one text.
type cleaning struct {
	*state
	trust trust
	notes []string // for Meta.Redactions
	fired []string // the rules that took something out
	lost  []string // for Meta.Withheld
	words bool     // a search for words too, which the gate leaves to the leaves
	short []short  // secrets of this exchange that are too short for taint
	// opened says that a message was packed: what it holds cannot be seen from outside.
	opened bool
	// inside says that what is at hand is a value that goes whole.
	inside bool
	// pool is what may still be decoded; nil until something is.
	pool *decodings
	// searched is a body that is one text, in which nothing was found when there were as many
	// lessons. The last look at it would be the same.
	searched     string
	searchedWith int
}

// style says how a text is read.
type style uint8

const (
	asNumber style = iota // of a JSON number: a dot is a decimal point
	asText
	asProse // text in which an API may repeat what it was told: short secrets too
)

// text returns s without what shape, taint and keywords find in it.
func (c *cleaning) text(s string) string { return splice(s, c.spans(s, asText)) }

// spans finds what must be replaced in a text, in order and without overlaps.
//
// Every layer of escapes is looked through; what is found beneath one is replaced above it. What is
// found in something that is encoded takes that with it.
func (c *cleaning) spans(s string, as style) []span {
	var found []span
	if as != asNumber {
		found = c.blobs(s)
	}
	found = append(found, c.layer(s, as)...)
	view, back := s, origins{text: s}
	for depth := 1; depth <= maxViews; depth++ {
		if view = unwrap(view, nil); view == "" {
			break
		}
		for _, f := range c.layer(view, as) {
			first, second := back.of(depth, f.from, min(f.from+1, f.to))
			f.from, f.to = back.of(depth, f.from, f.to)
			f.text = wrapped(f.text, s[f.from:f.to])
			if first > 0 && s[first-1]-'0' <= 9 {
				f.text = setApart(f.text, s[first:second], depth)
			}
			found = append(found, f)
		}
	}
	return merge(found)
}

// layer finds what must be replaced in a text as it stands.
func (c *cleaning) layer(s string, as style) []span {
	numbers, hits := c.search(s, as)
	found := c.numbers(s, numbers)
	for _, m := range mentions(s) {
		got := c.replace(m.kind, fieldValue{text: decoded(s[m.from:m.to])})
		if got.note != "" {
			found = append(found, span{
				from: m.from, to: m.to, text: got.text, note: got.note, rule: m.rule,
				named: m.kind != profile.PAN,
			})
		}
	}
	for _, h := range hits {
		found = append(found, span{
			from: h.from, to: h.to, text: h.of.mark, note: h.of.note, rule: ruleTaint,
		})
	}
	if as == asProse {
		found = append(found, c.echoes(s)...)
	}
	return found
}

// numbers replaces the card numbers found in s, and what follows them on a track.
func (c *cleaning) numbers(s string, numbers []sighting) []span {
	var found []span
	var tail span
	for _, n := range numbers {
		if n.from >= tail.from && n.from < tail.to {
			continue // digits of a track that happen to pass for a number
		}
		if n.verdict == own {
			// Known from now on, it is recognised beside other digits too.
			c.tape.seen(n.digits)
		}
		if n.verdict == card {
			st := c.tape.card(n.digits)
			if !ownMark(st.text) {
				st.text = regroup(st.text, s[n.from:n.to])
			}
			found = append(found, span{
				from: n.from, to: n.to, text: st.text, note: st.note, rule: c.cardRule(n),
			})
		}
		if from, to, ok := trackTail(s, n.to); ok {
			kind := profile.Track
			tail = span{from: from, to: to, text: constant(kind), note: string(kind), rule: ruleTrack}
			found = append(found, tail)
		}
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
func (c *cleaning) search(s string, as style) ([]sighting, []taintHit) {
	if len(s) < minTaint {
		return nil, nil
	}
	c.tape.mu.RLock()
	defer c.tape.mu.RUnlock()
	var numbers []sighting
	if enoughDigits(s) {
		numbers = scan(s, as != asNumber, c.judge(c.trust))
	}
	return numbers, c.tape.taint.find(s)
}

// merge sorts spans and joins those that overlap. Of two, one that a keyword names gives the
// text, because the keyword stays and will name whatever stands there. Otherwise the one
// found first does: numbers before taint, and outer layers before inner ones.
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
		if before := found[best]; f.named && !before.named || f.named == before.named && i < best {
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
	b.Grow(len(s) + len(markPrefix)*len(spans))
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

// setApart writes the first digit of a replacement under the escape of the one that it stands for,
// which is depth layers deep: a digit that ends the escape before it would read as one more. The
// escapes of a digit end with it, but for entities, which have an end of their own.
func setApart(text, like string, depth int) string {
	if text == "" || text[0]-'0' > 9 || len(like) < len("%34") {
		return text
	}
	first := like[:len(like)-1] + text[:1]
	view := first
	for range depth {
		if next := unwrap(view, nil); next != "" {
			view = next
		}
	}
	if view != text[:1] {
		return text
	}
	return first + text[1:]
}

// hits reports whether a text still holds a card number or a tainted value, seen through
// every layer of escapes and inside what is encoded. The gate asks it; words are left to the
// leaves, where they stand between other characters.
func (c *cleaning) hits(s string, as style) bool {
	for depth, view := 0, s; depth <= maxViews && view != ""; depth++ {
		if c.hitsAs(view, as) {
			return true
		}
		view = unwrap(view, nil)
	}
	return c.hitsInside(s)
}

// hitsAs is hits for a text as it stands.
func (c *cleaning) hitsAs(s string, as style) bool {
	numbers, tainted := c.search(s, as)
	for _, n := range numbers {
		if n.verdict == card {
			return true
		}
	}
	for _, t := range tainted {
		if !t.of.word || t.encoded || c.words {
			return true
		}
	}
	return false
}

// fieldValue is the value of a field.
type fieldValue struct {
	text   string
	number bool // a JSON number, which should stay one
	common bool // such values are often words of no weight: not searched for where short
}

// replace returns what takes the place of a value that is secret of a kind, and remembers
// the value for this exchange. If nothing must, the note is empty and the text is the value.
func (c *cleaning) replace(kind profile.Sensitivity, v fieldValue) stand {
	got := c.stand(kind, v)
	if got.note != "" && !v.common {
		c.learnShort(kind, v.text, got)
	}
	return got
}

// stand returns what takes the place of a value that is secret of a kind.
func (c *cleaning) stand(kind profile.Sensitivity, v fieldValue) stand {
	same := stand{text: v.text}
	if strings.TrimSpace(v.text) == "" || c.trust == ours && ownValue(v.text) {
		return same
	}
	if f, ok := fakerOf(kind); ok {
		return c.fake(f, kind, v)
	}
	if kind != profile.PAN {
		c.learnInside(v.text)
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
	numbers, _ := c.search(s, asText)
	for _, n := range numbers {
		if n.verdict == card {
			c.tape.card(n.digits)
		}
	}
}
