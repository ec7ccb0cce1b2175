package redact

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// pan returns what stands for the value of a field for card numbers. Masks, and the template
// of createVirtualCard, are no card numbers and stay.
func (c *cleaning) pan(v fieldValue) stand {
	text := v.text
	if v.number {
		text = plainNumber(text)
	}
	n := readNumber(text)
	switch {
	case n.keep:
		return stand{text: v.text}
	case n.digits == "":
		c.learnInside(v.text)
		i := c.tape.number(profile.PAN, v.text)
		return c.taught(v, stand{numbered(profile.PAN, i), note(profile.PAN, i)})
	case c.trust == ours && surrogateShape(n.digits):
		c.tape.seen(n.digits)
		return stand{text: v.text}
	case c.trust == verified && c.tape.given(n.digits):
		return stand{text: v.text}
	}
	got := c.tape.card(n.digits)
	if !ownMark(got.text) {
		got.text = regroup(got.text, text)
	}
	return got
}

// plainNumber writes a JSON number that is whole without exponent or fraction: 4.1e15 is a
// card number like any other. Numbers of another size stay as they are.
func plainNumber(text string) string {
	if numeric(text) || len(text) > 40 {
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
func (c *cleaning) code(kind profile.Sensitivity, v fieldValue, digits string) stand {
	got := stand{constant(kind), string(kind)}
	switch {
	case v.number:
		got.text = jsonDigits
	case asciiDigits(v.text) == v.text:
		got.text = digits
	}
	c.tape.learn(v.text, stand{constant(kind), string(kind)})
	return got
}

// fake returns the fake of a personal value.
func (c *cleaning) fake(f faker, kind profile.Sensitivity, v fieldValue) stand {
	if c.trust == ours && f.own(v.text) {
		return stand{text: v.text}
	}
	c.learnNumbers(v.text)
	n := c.tape.number(kind, f.same(v.text))
	text := f.make(v.text, n)
	if kind == profile.Name {
		text = cmp.Or(c.tape.joined(v.text), text)
	}
	if text == "" {
		text = numbered(kind, n)
	}
	if v.number && strings.HasPrefix(text, "0") && len(text) > 1 {
		text = codeAsNumber[:1] + text[1:]
	}
	return stand{text, note(kind, n)}
}

// secret reports whether the values of a field are replaced.
func (s *state) secret(f profile.Field) bool {
	if f.Secret == profile.NotSecret {
		return false
	}
	_, personal := fakerOf(f.Secret)
	return !personal || !s.KeepPII
}
