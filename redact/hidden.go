package redact

import (
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/taint"
)

// A text is searched by the rules of all escapes at once. A message writes a value by the rules of its
// own format, and then the value may be in no layer of the text:
//
//	format                    in the message     the value     the layers of the text
//	XML                       pa&amp;ss          pa&ss         "&amp;" stays
//	JSON                      \u0070a%41ss       pa%41ss       paAss
//	a form in windows-1251    %EF%E0             па            two bytes that are no text
//
// The values of a message are searched when it is cleaned. Whoever searches it for what is learned later,
// as a text, searches its hidden values as well.

// hidesValue reports whether no layer of the bytes of a leaf is its value.
func hidesValue(m *leaf.Message, l *leaf.Leaf) bool {
	if len(l.Value) < taint.MinLength {
		return false
	}
	for _, text := range scan.Unescaped(m.Raw(l)) {
		if text == l.Value {
			return false
		}
	}
	return true
}

// hiddenIn returns the hidden values of a message.
func hiddenIn(m *leaf.Message) (values []string) {
	for i := range m.Leaves {
		if l := &m.Leaves[i]; hidesValue(m, l) {
			values = append(values, l.Value)
		}
	}
	return values
}

// noteHidden notes what is hidden in a message that is written, as the plan of a leaf says.
func (c *cleaning) noteHidden(m *message, p *plan) {
	if !p.done && hidesValue(m.Message, p.leaf) {
		c.hidden = append(c.hidden, splice(p.text(), p.spans()))
	}
}

// StaleValues is Stale for those values of an exchange from a file of which Stale sees nothing in the
// text of the exchange, because the message writes them by rules of its own: "&amp;" in XML.
func (r *Redactor) StaleValues(x *leaf.Exchange) bool {
	c := cleaning{state: r.s, trust: verified, searchWords: true}
	trailer := leaf.Read(leaf.Message{Header: x.Meta.Trailers})
	for _, m := range []*leaf.Message{x.RequestMessage(), x.ResponseMessage(), trailer} {
		if slices.ContainsFunc(hiddenIn(m), c.holdsText) {
			return true
		}
	}
	return false
}

// holdsText is holdsSecret of a text.
func (c *cleaning) holdsText(s string) bool { return c.holdsSecret(s, asText) }
