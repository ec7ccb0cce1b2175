package redact

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// Safe is text that has been cleaned. Only this package can make a Safe that is not empty, so
// a writer that takes a Safe cannot be handed anything else.
type Safe struct{ text string }

// String returns the text, for the moment of writing it.
func (s Safe) String() string { return s.text }

// Join returns the texts in a row. Each was cleaned whole, and between two of them stands nothing.
func Join(texts ...Safe) Safe {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString(t.text)
	}
	return Safe{b.String()}
}

// Clip is leaf.Clip. The text was cleaned whole, so no half of a secret is left.
func (s Safe) Clip(most int) Safe { return Safe{leaf.Clip(s.text, most)} }

// MarshalText writes the text into JSON and structured logs.
func (s Safe) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// Clean is an exchange that holds no secret: what a journal, a cassette and an inspector
// take. It is made by cleaning, or by reopening content whose checksum is ours.
type Clean struct {
	x       *leaf.Exchange
	learned int // how much was known when it was cleaned
	taught  taught
	// bodies are the textures of the bodies of the request and of the response, as the gate saw them.
	bodies [2]texture
	// hidden are values of the exchange that a search of its texts does not see: see hiding. Nil for an
	// exchange that was reopened.
	hidden []string
}

// taught says whether something was learned while an exchange was cleaned.
type taught uint8

const (
	maybe taught = iota // nobody knows
	nothing
)

// Teaches reports whether cleaning the exchange may have taught a secret. It errs on the side of
// doubt: another exchange may have taught meanwhile.
func (c Clean) Teaches() bool { return c.taught != nothing }

// Exchange returns the exchange, which is shared and must not be changed. It is nil for the
// zero Clean.
func (c Clean) Exchange() *leaf.Exchange { return c.x }

// Derive returns a text that is made of the exchange, such as a part of a body or an amount in words.
// What is made of cleaned values is clean: derive must take nothing but its argument and words of
// ours. The zero Clean derives nothing.
func (c Clean) Derive(derive func(x *leaf.Exchange) string) Safe {
	if c.x == nil {
		return Safe{}
	}
	return Safe{derive(c.x)}
}

// Reopen returns an exchange that was read from sealed content as clean. Without a seal it
// returns the zero Clean.
func (s Seal) Reopen(x *leaf.Exchange) Clean {
	if !s.checked {
		return Clean{}
	}
	return Clean{x: x}
}
