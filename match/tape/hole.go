package tape

import (
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

// filled returns a hole that a source fills.
func (c *compiler) filled(s *Source, r Rendering) *Hole {
	return c.written(s, Writing{Rendering: r})
}

// written returns a hole that a source fills.
func (c *compiler) written(s *Source, w Writing) *Hole {
	return c.tape.slabs.holes.Put(Hole{s, c.tape.words.writing(w)})
}

// clone returns a copy that stays good.
func (h *Hole) clone() *Hole {
	source, writing := *h.Source, *h.Writing
	return &Hole{&source, &writing}
}

// each calls f for the hole, or for those of the document that it packs.
func (h *Hole) each(f func(*Hole)) {
	if h.packing != nil {
		h.inner.Holes(f)
		return
	}
	f(h)
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
