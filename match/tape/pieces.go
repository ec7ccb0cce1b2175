package tape

import (
	"slices"

	"github.com/paytape/paytape/internal/leaf"
)

// Piece is literal text and the hole after it. A piece without a hole ends a text.
type Piece struct {
	Literal string
	Hole    *Hole
}

// Pieces are a text that is cut at its holes. What a hole is filled from may change until the tape is
// compiled, and only then a Template is made of them.
type Pieces []Piece

// Text returns the text with its holes filled; value gives what fills a hole, not yet encoded.
func (ps Pieces) Text(value func(*Hole) string) string { return string(ps.append(nil, value)) }

func (ps Pieces) append(b []byte, value func(*Hole) string) []byte {
	for _, p := range ps {
		b = append(b, p.Literal...)
		if h := p.Hole; h != nil {
			b = append(b, h.encode(h.text(value))...)
		}
	}
	return b
}

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

// within returns the spans that lie in [from, to), of spans as sort has left them.
func (f *filler) within(from, to int) []span {
	first, _ := slices.BinarySearchFunc(f.spans, from, func(s span, from int) int { return s.from - from })
	inside := f.spans[first:]
	end, _ := slices.BinarySearchFunc(inside, to+1, func(s span, after int) int { return s.to - after })
	return inside[:end]
}

// cut makes an open template of the text [from, to), with the holes in it.
func (f *filler) cut(w *words, text string, from, to int) Template {
	inside := f.within(from, to)
	if len(inside) == 0 {
		return Template{values: w.word(text[from:to])}
	}
	ps := Pieces(w.slabs.pieces.Make(len(inside) + 1))[:0]
	last := from
	for _, s := range inside {
		ps = append(ps, Piece{w.word(text[last:s.from]), s.hole})
		last = s.to
	}
	return Template{layout: w.slabs.open.Put(layout{open: append(ps, Piece{Literal: w.word(text[last:to])})})}
}

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
