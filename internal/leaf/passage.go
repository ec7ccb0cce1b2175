package leaf

import "strings"

// A passage is a part of a value that packs a document, or is one under percent escapes: a
// parameter of an address or of a form inside a string, a word of a script. Addresses lie in
// addresses, so escapes are undone up to maxEscapes times on the way to one. The value is a
// leaf as ever; the leaves of its passages follow it, and are edited in their place.
type passage struct {
	*text
	value *Leaf
	s     string        // the value, or a stretch of it with its escapes undone
	out   func(int) int // offset in s to offset in the value
	depth int           // how many escapes were undone
}

// Bounds of passages. What is shorter is an id at best.
const (
	shortestPassage = 16
	maxEscapes      = 3
	longestKey      = 64
)

// mayPass turns away nearly every value that has no passage.
func mayPass(s string) bool {
	return len(s) > shortestPassage && (strings.IndexByte(s, '=') >= 0 ||
		strings.IndexByte(s, '%') >= 0 || strings.IndexByte(s, '"') >= 0)
}

// passages lists the leaves of the documents in parts of a value, which lies in t from an offset on and
// has offsets of its own there (see holding).
func (r *reader) passages(l *Leaf, t *text, from int, offs []int) {
	if !l.Closed && mayPass(l.Value) {
		r.readPassages(*l, holding{*t, from, offs})
	}
}

// readPassages is by itself so that values without passages cost no memory.
func (r *reader) readPassages(l Leaf, h holding) {
	value, inner := l, h.text // copies, so that values in which none is found are not kept
	inner.at, inner.codings = h.inValue, l.codings
	r.stretches(passage{&inner, &value, l.Value, shift(0), 0}, len(r.leaves)-1)
}

// stretches reads the stretches of a passage's text that separators leave. outer is the place
// of the value among the leaves.
func (r *reader) stretches(p passage, outer int) {
	for from := 0; from < len(p.s) && !r.full(); from++ {
		to := from
		for to < len(p.s) && !separates[p.s[to]] {
			to++
		}
		if end, ok := padded(p.s, to); ok && to-from >= shortestPassage {
			r.stretch(p, span{from, end}, outer)
		}
		from = to
	}
}

// separates has the characters that stand between values in an address, a form or a script, and never
// in what is packed or escaped, but for padding.
var separates = func() (all [256]bool) {
	for c := range all {
		all[c] = c <= ' ' || c >= 0x7f
	}
	for _, c := range "\"'`<>&=;,:#?(){}[]|\\^" {
		all[c] = true
	}
	return all
}()

// padded returns where a stretch ends, the padding of base64 included; false if something
// follows the padding, as in a token of dotted parts.
func padded(s string, to int) (int, bool) {
	for n := 0; n < 2 && to < len(s) && s[to] == '='; n++ {
		to++
	}
	return to, to == len(s) || separates[s[to]]
}

func (r *reader) stretch(p passage, in span, outer int) {
	raw, c := p.s[in.from:in.to], plain
	if strings.IndexByte(raw, '%') >= 0 {
		c = percent
	}
	value, offs := c.decode(raw)
	l := p.leaf(in)
	l.Value, l.part = value, &partOfLeaf{outer, span{p.out(in.from), p.out(in.to)}}
	if c != plain {
		l.codings = p.codings.under(c)
	}
	if mayHold(value) && r.held(&l, holding{*p.text, in.from, offs}) || offs == nil {
		return
	}
	if p.depth++; p.depth <= maxEscapes {
		p = p.within(value, in.from, offs)
		named := l // what begins it has no other name
		p.value = &named
		r.stretches(p, outer)
	}
}

// leaf returns the leaf that stands for a stretch, without its value.
func (p passage) leaf(in span) Leaf {
	l := *p.value
	l.start, l.end = offset(p.at(in.from)), offset(p.at(in.to))
	l.codings, l.Name = p.codings, ""
	if key := keyBefore(p.s[:in.from]); key != "" {
		l.Key, l.Path, l.Shape = key, l.Path+">"+key, l.Shape+">"+key
	}
	return l
}

// within returns the passage of a stretch whose escapes were undone.
func (p passage) within(value string, from int, offs []int) passage {
	inner, at, out := *p.text, p.at, p.out
	inner.at = func(i int) int { return at(from + offs[i]) }
	inner.codings = p.codings.under(percent)
	p.text, p.s = &inner, value
	p.out = func(i int) int { return out(from + offs[i]) }
	return p
}

// keyBefore returns the name that ends a text before its '=' or ':': that of a parameter, or of
// a member in a script. "" if there is none.
func keyBefore(s string) string {
	const quotes = `"' \`
	s = strings.TrimRight(s[max(0, len(s)-longestKey):], quotes)
	if !strings.HasSuffix(s, "=") && !strings.HasSuffix(s, ":") {
		return ""
	}
	s = strings.TrimRight(s[:len(s)-1], quotes)
	from := len(s)
	for from > 0 && (unreserved(s[from-1]) || s[from-1] == '$') {
		from--
	}
	return s[from:]
}

// Inner reports whether the leaf is a part of a value of the message.
func (l *Leaf) Inner() bool { return l.in != nil || l.part != nil }

// partOfLeaf says of which leaf of its message a passage is a part, and where in its value.
type partOfLeaf struct {
	outer int
	span
}

// Passage returns the holder of the passage that the leaf lies in, the innermost; nil if it lies
// in none.
func (l *Leaf) Passage() *Holder {
	h := l.in
	for h != nil && h.Leaf.part == nil {
		h = h.Leaf.in
	}
	return h
}

// Part returns the place in its message of the leaf whose value has h as a passage, and where
// in the value it lies. Only what Passage returns has one.
func (h *Holder) Part() (leaf, from, to int) {
	p := h.Leaf.part
	return p.outer, p.from, p.to
}

// listed returns the leaf of the message itself that a leaf is or lies in: a header knows its
// name and which of its values it is.
func (m *Message) listed(l *Leaf) *Leaf {
	for {
		p := l.part
		if h := l.Passage(); p == nil && h != nil {
			p = h.Leaf.part
		}
		if p == nil {
			return l
		}
		l = &m.Leaves[p.outer]
	}
}

// HeaderValue names the value of a header that a leaf is or lies in.
type HeaderValue struct {
	Name  string
	Index int
}

// HeaderValue returns the value of a header that a leaf at that place is or lies in.
func (m *Message) HeaderValue(l *Leaf) HeaderValue {
	v := m.listed(l)
	return HeaderValue{v.Key, int(v.index)}
}

// Passages are the values of a message that have passages, and where in them those lie.
type Passages map[*Leaf][]span

// Passages returns those of the message; nil for nearly all.
func (m *Message) Passages() Passages {
	var found Passages
	var last *Holder
	for i := range m.Leaves {
		h := m.Leaves[i].Passage()
		if h == nil || h == last {
			continue
		}
		if found == nil {
			found = Passages{}
		}
		last = h
		value := &m.Leaves[h.Leaf.part.outer]
		found[value] = append(found[value], h.Leaf.part.span)
	}
	return found
}

// Outside returns the value of a leaf with its passages starred out: their leaves tell what they
// hold, and their characters mean nothing as they stand.
func (ps Passages) Outside(l *Leaf) string {
	if len(ps[l]) == 0 {
		return l.Value
	}
	b := []byte(l.Value)
	for _, in := range ps[l] {
		for i := in.from; i < in.to; i++ {
			b[i] = '*'
		}
	}
	return string(b)
}
