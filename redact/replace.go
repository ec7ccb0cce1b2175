package redact

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// fieldValue is the value of a field.
type fieldValue struct {
	leaf.Unprinted
	text   string
	number bool // a JSON number, which should stay a number
	common bool // such values are often words of no weight: not searched for where short
}

// replace returns what takes the place of a value that is secret of a kind, and remembers
// the value for this exchange. If nothing must, the note is empty and the text is the value.
func (c *cleaning) replace(kind profile.Sensitivity, v fieldValue) surrogate.Value {
	got := c.surrogate(kind, v)
	if got.Note != "" && !v.common {
		c.learnShort(kind, v.text, got)
	}
	return got
}

// surrogate returns what takes the place of a value that is secret of a kind.
func (c *cleaning) surrogate(kind profile.Sensitivity, v fieldValue) surrogate.Value {
	same := surrogate.Value{Text: v.text}
	if strings.TrimSpace(v.text) == "" || c.trust == ours && surrogate.Is(v.text) {
		return same
	}
	if f, ok := surrogate.FakeOf(kind); ok {
		return c.fake(f, kind, v)
	}
	if kind == profile.Token || kind == profile.Blob {
		return c.learnOpened(kind, v)
	}
	if kind != profile.PAN {
		c.learnInside(v.text)
	}
	switch kind {
	case profile.PAN:
		return c.pan(v)
	case profile.CVC:
		if len(v.text) != 3 && len(v.text) != 4 {
			return c.code(kind, v, surrogate.WrongCVC)
		}
		return c.code(kind, v, surrogate.CVC)
	case profile.PIN:
		return c.code(kind, v, surrogate.PIN)
	}
	return c.learned(v, surrogate.Constant(kind))
}

// learnOpened returns the marker of a token or a blob, and learns what is in it. A client says one token
// with every request: what is in it was learned with the first.
func (c *cleaning) learnOpened(kind profile.Sensitivity, v fieldValue) surrogate.Value {
	got, opened := c.tape.opened(kind, v.text, c.trust)
	if !opened {
		c.learnInside(v.text)
		got = c.learned(v, c.tape.marker(kind, v.text))
		// Short secrets that are in it belong to this exchange, and the next must learn them again.
		if !c.inside && len(c.shortSecrets) == 0 && (c.budget == nil || *c.budget > 0) {
			c.tape.noteOpened(kind, v.text, c.trust)
		}
	}
	return got
}

// learned has the value searched for.
func (c *cleaning) learned(v fieldValue, s surrogate.Value) surrogate.Value {
	c.tape.learn(v.text, s)
	return s
}

// pan returns what stands for the value of a field for card numbers. Masks, and the template
// of createVirtualCard, are no card numbers and stay.
func (c *cleaning) pan(v fieldValue) surrogate.Value {
	text := v.text
	if v.number {
		text = plainNumber(text)
	}
	n := scan.ReadNumber(text)
	switch {
	case n.Harmless:
		return surrogate.Value{Text: v.text}
	case n.Digits == "":
		c.learnInside(v.text)
		return c.learned(v, c.tape.marker(profile.PAN, v.text))
	case c.trust == ours && surrogate.IsCardNumber(n.Digits):
		c.tape.noteIssued(n.Digits)
		return surrogate.Value{Text: v.text}
	case c.trust == verified && c.tape.isIssued(n.Digits):
		return surrogate.Value{Text: v.text}
	}
	got := c.tape.card(n.Digits)
	if !surrogate.IsMarker(got.Text) {
		got.Text = scan.Regroup(got.Text, text)
	}
	return got
}

// plainNumber writes a JSON number that is whole without exponent or fraction: 4.1e15 is a
// card number like any other. Numbers of another size stay as they are.
func plainNumber(text string) string {
	if scan.IsNumeric(text) || len(text) > 40 {
		return text
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(text)-at > 4 {
		return text // an exponent of three digits
	}
	f, ok := new(big.Rat).SetString(text)
	if !ok || !f.IsInt() {
		return text
	}
	if whole := f.Num().String(); len(whole) <= pan.MaxLength {
		return whole
	}
	return text
}

// code returns what stands for a CVC or PIN, of which digits is the constant. A longer value
// is a block or a ciphertext, and is searched for.
func (c *cleaning) code(kind profile.Sensitivity, v fieldValue, digits string) surrogate.Value {
	got := surrogate.Constant(kind)
	switch {
	case v.number:
		got.Text = surrogate.JSONNumber
	case scan.IsNumeric(v.text):
		got.Text = digits
	}
	c.tape.learn(v.text, surrogate.Constant(kind))
	return got
}

// fake returns the fake of a personal value.
func (c *cleaning) fake(f surrogate.Fake, kind profile.Sensitivity, v fieldValue) surrogate.Value {
	if c.trust == ours && f.Own(v.text) {
		return surrogate.Value{Text: v.text}
	}
	c.learnNumbers(v.text)
	n := c.tape.number(kind, f.Same(v.text))
	text := f.Make(v.text, n)
	if kind == profile.Name {
		text = cmp.Or(c.tape.composedName(v.text), text)
	}
	if text == "" {
		text = surrogate.Numbered(kind, n).Text
	}
	if v.number {
		text = surrogate.AsJSONNumber(text)
	}
	return surrogate.Value{Text: text, Note: surrogate.Note(kind, n)}
}

// secret reports whether values of a kind are replaced.
func (s *state) secret(kind profile.Sensitivity) bool {
	return kind != profile.NotSecret && !(s.KeepPII && kind.Personal())
}

// learnNumbers learns the card numbers inside a value that is replaced whole.
func (c *cleaning) learnNumbers(s string) {
	look := scan.LookAt(s)
	if !look.MayNumber() {
		return
	}
	numbers, _ := c.search(s, asText, look)
	for _, n := range numbers {
		if n.Verdict == scan.Card {
			c.tape.card(n.Digits)
		}
	}
}
