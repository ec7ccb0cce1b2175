package tape

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// Hole is a place of a template, and what fills it.
type Hole struct {
	*Source
	*Writing
}

// Writing is how a text is written in a hole. Most holes of a tape are written in a few ways, and share
// them.
type Writing struct {
	Rendering
	enc   *leaf.Encoder // leaves that are coded alike share it
	whole bool          // it is all of a leaf's value, and so of the leaf's JSON type
	odd   *spelling
	// To is where an address leads; nil in a hole that holds no address.
	To       *request.Destination
	*packing // nil in a hole whose value packs nothing
}

// own reports whether a writing is that of one hole, as nearly no other hole is written so.
func (w *Writing) own() bool {
	return w.Like != "" || w.date != nil || w.odd != nil || w.To != nil || w.packing != nil
}

// packing is a document that a value packs, with holes of its own, and how the value packs it.
type packing struct {
	inner Template
	packs *leaf.Packer
}

// Piece is literal text and the hole after it. A piece without a hole ends a template.
type Piece struct {
	Literal string
	Hole    *Hole
}

// Template is text with holes.
type Template []Piece

// span is a hole in a text that is not cut yet.
type span struct {
	from, to int
	hole     *Hole
}

// filler collects the holes of one text.
type filler struct{ spans []span }

func (f *filler) add(from, to int, h *Hole) { f.spans = append(f.spans, span{from, to, h}) }

// sort orders the spans and drops those that overlap: of overlapping holes the first that begins
// stays.
func (f *filler) sort() {
	slices.SortStableFunc(f.spans, func(a, b span) int { return a.from - b.from })
	last, kept := 0, f.spans[:0]
	for _, s := range f.spans {
		if s.from >= last {
			kept, last = append(kept, s), s.to
		}
	}
	f.spans = kept
}

// cut makes a template of the text [from, to), with the holes in it.
func (f *filler) cut(w *words, text string, from, to int) Template {
	t := Template(w.slabs.pieces.Make(len(f.spans) + 1))[:0]
	last := from
	for _, s := range f.spans {
		if s.from < from || s.to > to {
			continue
		}
		t = append(t, Piece{w.word(text[last:s.from]), s.hole})
		last = s.to
	}
	return append(t, Piece{Literal: w.word(text[last:to])})
}

// filled returns a hole that a source fills.
func (c *compiler) filled(s *Source, r Rendering) *Hole {
	return c.written(s, Writing{Rendering: r})
}

// written returns a hole that a source fills.
func (c *compiler) written(s *Source, w Writing) *Hole {
	return c.tape.slabs.holes.Put(Hole{s, c.tape.words.writing(w)})
}

// Append appends the template to b; value gives the text that fills a hole, not yet encoded.
func (t Template) Append(b []byte, value func(*Hole) string) []byte {
	for i := range t {
		b = append(b, t[i].Literal...)
		if h := t[i].Hole; h != nil {
			b = append(b, h.encode(h.text(value))...)
		}
	}
	return b
}

// Text returns the template with its holes filled.
func (t Template) Text(value func(*Hole) string) string {
	if literal, ok := t.Literal(); ok {
		return literal
	}
	return string(t.Append(nil, value))
}

// Literal returns the text of a template without holes; false for any other template.
func (t Template) Literal() (string, bool) {
	if len(t) != 1 || t[0].Hole != nil {
		return "", false
	}
	return t[0].Literal, true
}

// Holes calls f for every hole, those of packed documents included.
func (t Template) Holes(f func(*Hole)) {
	for _, p := range t {
		switch {
		case p.Hole == nil:
		case p.Hole.packing != nil:
			p.Hole.inner.Holes(f)
		default:
			f(p.Hole)
		}
	}
}

// text returns what fills the hole, not yet encoded.
func (h *Hole) text(value func(*Hole) string) string {
	if h.packing == nil {
		return value(h)
	}
	text := h.inner.Text(value)
	if h.odd != nil && h.odd.inner != "" && h.odd.inner == text {
		return h.odd.text
	}
	return h.packs.Pack(text)
}

// spelling is how the recorded text of a hole stands on tape. Of a document that is packed as
// nobody here would pack it, inner is what it holds.
type spelling struct{ text, raw, inner string }

// spelled notes how a text stands on tape, if that is not as it would be written: with a slash
// escaped, in small hex, compressed by another program. The same text is then written so again.
func (w *Writing) spelled(text, raw string) {
	if w.encode(text) != raw {
		w.odd = &spelling{text: strings.Clone(text), raw: strings.Clone(raw)}
	}
}

func (w *Writing) encode(text string) string {
	if w.odd != nil && w.odd.text == text {
		return w.odd.raw
	}
	if w.whole {
		return w.enc.EncodeWhole(text)
	}
	return w.enc.Encode(text)
}

// Whole reports whether the hole is all of a value.
func (w *Writing) Whole() bool { return w.whole }

// filler returns the filler of the text that holds a leaf.
func (a *answerReader) filler(l *leaf.Leaf) *filler {
	if h := l.Packed(); h != nil {
		return fillerOf(a.packed, h)
	}
	switch l.Place {
	case leaf.Path, leaf.Query:
		return &a.target
	case leaf.Header:
		return fillerOf(a.headers, a.m.HeaderValue(l))
	}
	return &a.body
}

func fillerOf[K comparable](m map[K]*filler, key K) *filler {
	f := m[key]
	if f == nil {
		f = &filler{}
		m[key] = f
	}
	return f
}

// pack makes holes of the values that pack documents with holes, the innermost first.
func (a *answerReader) pack() {
	for depth := leaf.MaxNesting; depth > 0; depth-- {
		for holder, f := range a.packed {
			if l := &holder.Leaf; holder.Depth() == depth {
				f.sort()
				text := holder.Text()
				h := a.written(a.source(Filling{What: Document}, "", time.Time{}), Writing{
					packing: &packing{f.cut(a.tape.words, text, 0, len(text)), holder.Packer()},
				})
				a.hole(l, 0, len(l.Value), h)
				h.packed(l.Value, holder)
			}
		}
	}
}

// packed notes a packed value that packing anew would not give: what was compressed by another
// program. It is the same as long as what it holds is.
func (w *Writing) packed(value string, holder *leaf.Holder) {
	if w.packs.Pack(holder.Text()) == value {
		return
	}
	if w.odd == nil {
		w.odd = &spelling{text: strings.Clone(value), raw: w.encode(value)}
	}
	w.odd.inner = strings.Clone(holder.Text())
}
