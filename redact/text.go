package redact

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/profile"
)

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
		if partOfOwn(numbers, m) {
			continue // digits of a surrogate are nobody's PIN
		}
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

// partOfOwn reports whether a mention is a part of a surrogate, which has groups of digits.
func partOfOwn(numbers []sighting, m mention) bool {
	return slices.ContainsFunc(numbers, func(n sighting) bool {
		return n.verdict == own && n.from <= m.from && m.to <= n.to && m.to-m.from < n.to-n.from
	})
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
