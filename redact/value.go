package redact

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// fieldValue is the value of a field.
type fieldValue struct {
	text   string
	number bool // a JSON number, which should stay one
	common bool // such values are often words of no weight: not searched for where short
}

// replace returns what takes the place of a value that is secret of a kind, and remembers
// the value for this exchange. If nothing must, the note is empty and the text is the value.
func (c *cleaning) replace(kind profile.Sensitivity, v fieldValue) stand {
	got := c.stand(kind, v)
	if got.note != "" && !v.common {
		c.learnShort(kind, v.text, got)
	}
	return got
}

// stand returns what takes the place of a value that is secret of a kind.
func (c *cleaning) stand(kind profile.Sensitivity, v fieldValue) stand {
	same := stand{text: v.text}
	if strings.TrimSpace(v.text) == "" || c.trust == ours && ownValue(v.text) {
		return same
	}
	if f, ok := fakerOf(kind); ok {
		return c.fake(f, kind, v)
	}
	if kind != profile.PAN {
		c.learnInside(v.text)
	}
	switch kind {
	case profile.PAN:
		return c.pan(v)
	case profile.CVC:
		if len(v.text) != 3 && len(v.text) != 4 {
			return c.code(kind, v, cvcWrong)
		}
		return c.code(kind, v, cvcDigits)
	case profile.PIN:
		return c.code(kind, v, pinDigits)
	case profile.Token, profile.Blob:
		n := c.tape.number(kind, v.text)
		return c.taught(v, stand{numbered(kind, n), note(kind, n)})
	}
	return c.taught(v, stand{constant(kind), string(kind)})
}

// taught has the value searched for.
func (c *cleaning) taught(v fieldValue, s stand) stand {
	c.tape.learn(v.text, s)
	return s
}

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

// learnNumbers learns the card numbers inside a value that is replaced whole.
func (c *cleaning) learnNumbers(s string) {
	numbers, _ := c.search(s, asText)
	for _, n := range numbers {
		if n.verdict == card {
			c.tape.card(n.digits)
		}
	}
}
