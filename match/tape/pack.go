package tape

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// filler returns the filler of the text that holds a leaf.
func (a *answerReader) filler(l *leaf.Leaf) *filler {
	if h := l.Packed(); h != nil {
		return fillerOf(a.packed, h)
	}
	if l.Place == leaf.Header {
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
				h := &Hole{
					Source: &Source{What: Document},
					inner:  f.cut(text, 0, len(text)), packs: holder.Packer(),
				}
				a.hole(l, 0, len(l.Value), h)
				h.packed(l.Value, holder)
			}
		}
	}
}

// packed notes a packed value that packing anew would not give: what was compressed by another
// program. It is the same as long as what it holds is.
func (h *Hole) packed(value string, holder *leaf.Holder) {
	if h.packs.Pack(holder.Text()) == value {
		return
	}
	if h.odd == nil {
		h.odd = &spelling{text: strings.Clone(value), raw: h.encode(value)}
	}
	h.odd.inner = strings.Clone(holder.Text())
}
