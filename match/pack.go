package match

import "github.com/paytape/paytape/internal/leaf"

// filler returns the filler of the text that holds a leaf.
func (a *answerCompiler) filler(l *leaf.Leaf) *filler {
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
func (a *answerCompiler) pack() {
	for depth := leaf.MaxNesting; depth > 0; depth-- {
		for holder, f := range a.packed {
			if l := &holder.Leaf; holder.Depth() == depth {
				a.add(l, 0, len(l.Value), &hole{inner: f.cut(holder.Text()), packs: holder.Packer()})
			}
		}
	}
}
