package redact

import (
	"iter"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/taint"
)

// A text is searched by the rules of all escapes at once. A message writes a value by the rules of its
// own format, and then a search of the text may not see the value:
//
//	format                    in the message     the value     the layers of the text
//	XML                       pa&amp;ss          pa&ss         "&amp;" stays
//	JSON                      \u0070a%41ss       pa%41ss       paAss
//	a form in windows-1251    %EF%E0             па            two bytes that are no text
//	a number of JSON          123400e-2          1234          the digits of the exponent
//
// Such a value is hidden. When a message is cleaned, its values are searched. Whoever searches it as a
// text for what is learned later, searches its hidden values as well.

// hiding tells which values of a message are hidden. It is made for one message, and used by one
// goroutine.
type hiding struct {
	of     *leaf.Message
	packed map[*leaf.Holder]bool // whether a search sees nothing of what a value packs; nil for none
}

// hides reports whether a search of the text of the message does not see the value of a leaf. A layer below
// the value is searched as deep as the value itself is.
func (h *hiding) hides(l *leaf.Leaf) bool {
	if len(l.Value) < taint.MinLength {
		return false
	}
	if p := l.Packed(); p != nil && h.hidesPacked(p) {
		return true
	}
	value := searched(l)
	for depth, text := range scan.Unescaped(h.of.Raw(l)) {
		if text == value {
			return depth > 0 && scan.Unescape(text) != ""
		}
	}
	return true
}

// hidesPacked reports whether a search sees nothing of a packed document: it is in a charset of its own, or
// the value that packs it is hidden.
func (h *hiding) hidesPacked(p *leaf.Holder) bool {
	hides, known := h.packed[p]
	if !known {
		if h.packed == nil {
			h.packed = map[*leaf.Holder]bool{}
		}
		hides = p.Recoded() || h.hides(&p.Leaf)
		h.packed[p] = hides
	}
	return hides
}

// searched returns what is searched of the value of a leaf.
func searched(l *leaf.Leaf) string {
	if l.Kind == leaf.Number {
		return plainNumber(l.Value)
	}
	return l.Value
}

// hiddenIn yields the hidden values of a message, its keys among them.
func hiddenIn(m leaf.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		m.Keys = true
		h := hiding{of: leaf.Read(m)}
		for i := range h.of.Leaves {
			if l := &h.of.Leaves[i]; h.hides(l) && !yield(searched(l)) {
				return
			}
		}
	}
}

// noteHidden notes the value of a leaf as it is written, if it will be hidden. Where a value is written anew,
// so are its escapes.
func (c *cleaning) noteHidden(h *hiding, p *plan) {
	if p.done || p.text() == p.leaf.Value && len(p.spans()) <= manySpans && !h.hides(p.leaf) {
		return
	}
	text := p.outside()
	if p.as == asNumber {
		text = plainNumber(p.text())
	}
	c.hidden = append(c.hidden, splice(text, p.spans()))
}

// noteHiddenKeys notes what is hidden in a message that packs something, of which keys are searched too: see
// gate. Without escapes no key is hidden.
func (c *cleaning) noteHiddenKeys(m leaf.Message) {
	if scan.LookAt(m.Target).MayEscape() || scan.LookAt(m.Body).MayEscape() {
		c.hidden = slices.AppendSeq(c.hidden, hiddenIn(m))
	}
}

// holds reports whether an exchange holds what is known to be secret. hidden are its hidden values.
func (c *cleaning) holds(x *leaf.Exchange, hidden iter.Seq[string]) bool {
	for text := range textsOf(x) {
		if c.holdsSecret(text, asText) {
			return true
		}
	}
	if c.holdsSecret(x.Request.Body, asText) || c.holdsSecret(x.Response.Body, asText) {
		return true
	}
	for value := range hidden {
		if c.holdsSecret(value, asText) {
			return true
		}
	}
	return false
}

// Stale reports whether an exchange that was clean when it was written may hold a value that has become
// known as a secret since: a password that stood in a note before a client logged in with it. It
// errs on the side of doubt; what is stale is cleaned again with Reclean.
func (r *Redactor) Stale(x *leaf.Exchange) bool {
	c := cleaning{state: r.s, trust: verified, searchWords: true}
	return c.holds(x, func(yield func(string) bool) {
		trailer := leaf.Message{Header: x.Meta.Trailers}
		for _, m := range []leaf.Message{x.Asked(), x.Answered(), trailer} {
			for value := range hiddenIn(m) {
				if !yield(value) {
					return
				}
			}
		}
	})
}
