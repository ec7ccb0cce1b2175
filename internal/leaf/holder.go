package leaf

// Holder is a value in whose text a document lies, and the document: JSON in a JSON string,
// a 3-D Secure message in a form field. The leaves of the document stand in the message in
// place of the value.
//
// A document that is the text itself lies in the bytes of the message, under the codings of
// the value and its own. One that is packed (base64, compressed) has no byte there that is
// one of its own: it is a part by itself, and is packed anew when an edit touches it.
type Holder struct {
	Unprinted
	// Leaf is the value as one leaf. It is not among the leaves of its message.
	Leaf Leaf

	text string
	how  packing
}

// Holder returns the value in whose text the leaf lies; nil if it lies in the message itself.
func (l *Leaf) Holder() *Holder { return l.in }

// Packed returns the innermost holder that packs its document and holds the leaf; nil if
// there is none. Spans of the leaf are then of its Text.
func (l *Leaf) Packed() *Holder {
	h := l.in
	for h != nil && !h.Packs() {
		h = h.Leaf.in
	}
	return h
}

// Packs reports whether the document is packed in the value.
func (h *Holder) Packs() bool { return h.how.chars != nothing }

// Recoded reports whether the document is packed in another charset than UTF-8.
func (h *Holder) Recoded() bool { return h.how.charset != plain }

// Text returns the document.
func (h *Holder) Text() string { return h.text }

// Pack returns the value that holds text as the holder holds its own document: in the same
// characters, with the same padding and line length, compressed in the same format.
func (h *Holder) Pack(text string) string { return h.how.pack(text) }

// Packer packs as a holder does. It outlives the message, as an Encoder does.
type Packer struct{ how packing }

// Packer returns the packer of the holder.
func (h *Holder) Packer() *Packer { return &Packer{h.how} }

// Pack does what Pack of the holder does.
func (p *Packer) Pack(text string) string { return p.how.pack(text) }

// Depth counts the packed documents around the leaves of h, its own included: from 1 to
// MaxNesting. What is cut in one is packed before the text around it is cut.
func (h *Holder) Depth() int {
	n := 0
	for ; h != nil; h = h.Leaf.Packed() {
		n++
	}
	return n
}
