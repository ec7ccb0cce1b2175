package tape

import (
	"encoding/binary"
	"sync"
)

// Template is text with holes. What thousands of recorded answers have alike is all but the values in
// their holes, so a template is a layout, which it shares with others, and the values of its own:
//
//	{"orderId":"<a>","errorCode":0}    the layout: literals, and how each hole is filled and written
//	0190-aa, born at 13:18:00          the values, of one hole behind the other, as one text
//
// So the collector has little to look at, and the values of an answer lie together. The zero Template is
// empty. While a tape is compiled its templates are open (see Pieces).
type Template struct {
	*layout        // nil for literal text, which values is then
	values  string // see appendValue
}

// layout is what templates have in common that differ in the values of their holes alone.
type layout struct {
	parts []part
	of    *Tape  // whose entities the owners of values are; nil while it is compiled
	open  Pieces // what an open template is; else nil
}

// part is literal text and how the hole after it is filled and written. A part without a hole ends a
// layout.
type part struct {
	literal string
	filling *Filling
	writing *Writing
}

// Append appends the template to b; value gives the text that fills a hole, not yet encoded. The hole
// is good until value returns.
func (t Template) Append(b []byte, value func(*Hole) string) []byte {
	if t.layout == nil {
		return append(b, t.values...)
	}
	if t.open != nil {
		return t.open.append(b, value)
	}
	r := valueReaders.Get().(*valueReader)
	r.start(t)
	for i := range t.parts {
		p := &t.parts[i]
		b = append(b, p.literal...)
		if p.filling != nil {
			h := r.next(p)
			b = append(b, h.encode(h.text(value))...)
		}
	}
	valueReaders.Put(r)
	return b
}

// Text returns the template with its holes filled; see Append.
func (t Template) Text(value func(*Hole) string) string {
	if literal, ok := t.Literal(); ok {
		return literal
	}
	return string(t.Append(nil, value))
}

// Literal returns the text of a template without holes; false for any other template.
func (t Template) Literal() (string, bool) {
	if t.layout != nil {
		return "", false
	}
	return t.values, true
}

// Holes calls f for every hole, those of packed documents included. The hole is good until f returns.
func (t Template) Holes(f func(*Hole)) {
	t.walk(func(_ string, h *Hole) {
		if h != nil {
			h.each(f)
		}
	})
}

// walk calls f for every literal with the hole after it, which is good until f returns; nil for none.
func (t Template) walk(f func(literal string, h *Hole)) {
	switch {
	case t.layout == nil:
		f(t.values, nil)
	case t.open != nil:
		for _, p := range t.open {
			f(p.Literal, p.Hole)
		}
	default:
		var r valueReader
		r.start(t)
		for i := range t.parts {
			var h *Hole
			if p := &t.parts[i]; p.filling != nil {
				h = r.next(p)
			}
			f(t.parts[i].literal, h)
		}
	}
}

// valueReader reads the values of a template into a hole, one behind the other.
type valueReader struct {
	rest    packed // the values that are not read yet
	of      *Tape
	at      int64 // the time that was read last, as nanoseconds has it; 0 before the first
	hole    Hole
	source  Source
	writing Writing // of the hole, where its Like is a value
}

var valueReaders = sync.Pool{New: func() any { return &valueReader{} }}

func (r *valueReader) start(t Template) { r.rest, r.of, r.at = packed(t.values), t.of, 0 }

// The bits of a value beside its owner.
const (
	valueTimed = 1 << iota // it tells when it was born
	valueLike              // the hole has a Like of its own
	valueOwner = iota      // how many bits these are
)

// appendValue appends what a hole has for itself: its owner, text, and if there are Like and time.
// at is the time of the value before, and becomes that of the hole: most are the same.
func appendValue(b []byte, h *Hole, at *int64) []byte {
	owner, like := uint64(0), h.Like
	if h.owner != nil {
		owner = uint64(h.owner.ID) + 1
	}
	bits := owner << valueOwner
	if h.at != never {
		bits |= valueTimed
	}
	if like != "" {
		bits |= valueLike
	}
	b = appendText(binary.AppendUvarint(b, bits), h.Source.Text)
	if like != "" {
		b = appendText(b, like)
	}
	if h.at != never {
		b = binary.AppendVarint(b, h.at-*at) // which may go round, and comes back
		*at = h.at
	}
	return b
}

// next returns the next hole. It is good until next is called again.
func (r *valueReader) next(p *part) *Hole {
	bits := r.rest.number()
	s := &r.source
	*s = Source{Filling: p.filling, Text: r.rest.text(), at: never}
	r.hole = Hole{s, p.writing}
	if bits&valueLike != 0 {
		r.writing = *p.writing
		r.writing.Like = r.rest.text()
		r.hole.Writing = &r.writing
	}
	if bits&valueTimed != 0 {
		delta := r.rest.number() // as binary.AppendVarint writes it
		r.at += int64(delta>>1) ^ -int64(delta&1)
		s.at = r.at
	}
	if owner := bits >> valueOwner; owner > 0 && owner <= uint64(len(r.of.Entities)) {
		s.owner = r.of.Entities[owner-1]
	}
	return &r.hole
}
