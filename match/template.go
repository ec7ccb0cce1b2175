package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// hole is a place of a template that a variable fills. Where an exchange belongs to several
// threads, a shared value has one variable in each, and the hole names them all: the first
// fills it, all must agree with a request.
type hole struct {
	vars []*variable
	rendering
	enc   leaf.Encoder
	whole bool // it is all of a leaf's value, and so of the leaf's JSON type
	// header is that of the request whose value the hole repeats; empty in nearly all. Without one
	// it is filled by its variable or, having none, with what was recorded (like).
	header string

	odd *spelling // nil for nearly all

	// at is where an address leads, and nil in other holes. No variable fills such a hole.
	at *destination

	// inner is the document that a value packs, with holes of its own, and packs is how: no
	// variable fills such a hole. Both are nil in others.
	inner template
	packs *leaf.Packer
}

// piece is literal text and the hole after it. A piece without a hole ends a template.
type piece struct {
	literal string
	hole    *hole
}

// template is text with holes.
type template []piece

// filler collects the holes of one text, to be cut into pieces.
type filler struct {
	spans []filled
}

type filled struct {
	start, end int
	hole       *hole
}

func (f *filler) add(start, end int, h *hole) {
	f.spans = append(f.spans, filled{start, end, h})
}

// cut makes a template of text. Of overlapping holes the first that begins stays.
func (f *filler) cut(text string) template {
	slices.SortStableFunc(f.spans, func(a, b filled) int { return a.start - b.start })
	t := make(template, 0, len(f.spans)+1)
	last := 0
	for _, s := range f.spans {
		if s.start < last {
			continue
		}
		t = append(t, piece{text[last:s.start], s.hole})
		last = s.end
	}
	return append(t, piece{literal: text[last:]})
}

// write renders a template; value gives the text that fills a hole, not yet encoded.
func (t template) write(value func(*hole) string) string {
	if len(t) == 1 {
		return t[0].literal
	}
	const hole = 40 // bytes, more or less
	var b strings.Builder
	size := 0
	for _, p := range t {
		size += len(p.literal) + hole
	}
	b.Grow(size)
	for _, p := range t {
		b.WriteString(p.literal)
		if p.hole != nil {
			b.WriteString(p.hole.encode(p.hole.text(value)))
		}
	}
	return b.String()
}

// text returns what fills the hole, not yet encoded.
func (h *hole) text(value func(*hole) string) string {
	if h.packs != nil {
		text := h.inner.write(value)
		if h.odd != nil && h.odd.inner != "" && h.odd.inner == text {
			return h.odd.text
		}
		return h.packs.Pack(text)
	}
	return value(h)
}

// spelling is how the recorded text of a hole stands on tape. Of a document that is packed as
// nobody here would pack it, inner is what it holds.
type spelling struct{ text, raw, inner string }

// spelled notes how a text stands on tape, if that is not as it would be written: with a slash
// escaped, in small hex, compressed by another program. The same text is then written so again.
func (h *hole) spelled(text, raw string) {
	if h.encode(text) != raw {
		h.odd = &spelling{text: strings.Clone(text), raw: strings.Clone(raw)}
	}
}

func (h *hole) encode(text string) string {
	if h.odd != nil && h.odd.text == text {
		return h.odd.raw
	}
	if h.whole {
		return h.enc.EncodeWhole(text)
	}
	return h.enc.Encode(text)
}

// written notes how the template writes its variables: it is of the request of e.
func (t template) written(e *exchange) {
	for _, p := range t {
		if p.hole != nil && len(p.hole.vars) > 0 {
			p.hole.vars[0].written(p.hole.rendering)
			for _, v := range p.hole.vars {
				if e.writes {
					v.sent = e
				}
			}
		}
	}
}

// congruent reports whether two templates are the same but for their variables.
func (t template) congruent(o template) bool {
	if len(t) != len(o) {
		return false
	}
	for i := range t {
		a, b := t[i].hole, o[i].hole
		if t[i].literal != o[i].literal || (a == nil) != (b == nil) {
			return false
		}
		if a != nil && !a.congruent(b) {
			return false
		}
	}
	return true
}

// congruent reports whether two holes are filled alike. One that no variable fills is the
// sandbox's address, or a mask of a card that the tape never shows.
func (h *hole) congruent(o *hole) bool {
	if h.packs != nil || o.packs != nil {
		return h.packs != nil && o.packs != nil && h.inner.congruent(o.inner)
	}
	if h.header != o.header {
		return false
	}
	if len(h.vars) == 0 || len(o.vars) == 0 {
		if h.header != "" { // what was recorded there is the recorded client's own
			return len(h.vars) == len(o.vars)
		}
		return len(h.vars) == len(o.vars) && h.how == o.how && (h.how == origins || h.like == o.like)
	}
	return h.agrees(o.rendering) && h.vars[0].origin == o.vars[0].origin
}

// holes calls f for every hole that a variable or an address fills, of two congruent templates
// in pairs.
func (t template) holes(o template, f func(a, b *hole)) {
	for i := range t {
		switch a, b := t[i].hole, o[i].hole; {
		case a == nil:
		case a.packs != nil:
			a.inner.holes(b.inner, f)
		default:
			f(a, b)
		}
	}
}
