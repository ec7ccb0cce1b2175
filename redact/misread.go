package redact

import (
	"iter"
	"slices"
	"sort"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
)

// A surrogate may be read as a part of a longer card number, together with digits that stand beside the
// surrogate in some layer of escapes. Cleaned again, such a surrogate would not stay. "%62" and the
// surrogate of a card of 16 digits are a number of 18 digits that begins with 62, as long as the escape
// is not undone, and the number passes for a card:
//
//	%62 and a card           live: the letter b and the card
//	%62 and a surrogate      misread
//	%62REDACTED-pan-1        on tape
//
// So what is to be written is read once more, and a surrogate that is misread becomes the marker of its
// card. Elsewhere the card keeps its surrogate.

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

// textReader yields the texts that readers take from a text, each with the way back to it.
type textReader func(text string) iter.Seq2[string, func(stretch) stretch]

// whole is the reading of a text as it stands.
func whole(text string) iter.Seq2[string, func(stretch) stretch] {
	return func(yield func(string, func(stretch) stretch) bool) {
		yield(text, func(at stretch) stretch { return at })
	}
}

// leavesOf is the reading of the body of a message by its leaves. What is packed in a leaf is no part
// of the text.
func leavesOf(m *message) textReader {
	return func(body string) iter.Seq2[string, func(stretch) stretch] {
		return func(yield func(string, func(stretch) stretch) bool) {
			read := leaf.Read(leaf.Message{Header: m.Header, Headless: true, Body: body})
			for i := range read.Leaves {
				l := &read.Leaves[i]
				place := func(at stretch) stretch {
					from, to := read.Span(l, at.from, at.to)
					return stretch{from, to}
				}
				if l.Packed() == nil && !yield(l.Value, place) {
					return
				}
			}
		}
	}
}

// markMisread puts markers in the place of surrogates that are misread in s, of which found are the
// finds. Digits behind a marker may belong together anew, so this goes on until every surrogate stays.
func (c *cleaning) markMisread(s string, found []span, read textReader) {
	if !slices.ContainsFunc(found, func(sp span) bool { return sp.digits }) {
		return
	}
	for misread := true; misread; {
		misread = false
		places := placesOf(found)
		for text, place := range read(splice(s, found)) {
			for at := range c.cardsIn(text) {
				misread = mark(found, places, place(at)) || misread
			}
		}
	}
}

// cardsIn yields where in a text that was cleaned some layer of escapes has what passes for a card
// number, or is one.
func (c *cleaning) cardsIn(text string) iter.Seq[stretch] {
	now := *c
	now.trust = verified // what was given out is known
	back := scan.NewOrigins(text)
	return func(yield func(stretch) bool) {
		for depth, layer := range scan.Unescaped(text) {
			numbers, _ := now.search(layer, asText, scan.LookAt(layer))
			for _, n := range numbers {
				if n.Verdict != scan.Card {
					continue
				}
				if from, to := back.Of(depth, n.From, n.To); !yield(stretch{from, to}) {
					return
				}
			}
		}
	}
}

// placesOf returns where the texts of spans are once they are spliced into a text.
func placesOf(spans []span) []stretch {
	places := make([]stretch, len(spans))
	longer := 0
	for i, sp := range spans {
		from := sp.from + longer
		places[i] = stretch{from, from + len(sp.Text)}
		longer += len(sp.Text) - (sp.to - sp.from)
	}
	return places
}

// mark has the surrogates at which a stretch of the text lies be markers, and reports whether there is
// any.
func mark(found []span, places []stretch, at stretch) bool {
	marked := false
	i := sort.Search(len(places), func(i int) bool { return places[i].to > at.from })
	for ; i < len(found) && places[i].from < at.to; i++ {
		if found[i].digits {
			found[i].Value, found[i].digits, marked = found[i].Marked(), false, true
		}
	}
	return marked
}
