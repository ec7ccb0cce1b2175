package redact

import (
	"iter"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Value is a value of an exchange, and what its field says of it.
type Value struct {
	leaf.Unprinted
	Half    string        // "request", "response" or "trailer"
	Message *leaf.Message // that holds the leaf
	Leaf    *leaf.Leaf    // that has the value
	// Kind is the kind of secret that the field holds, NotSecret if it holds none.
	Kind profile.Sensitivity
	// Secrets are the stretches of the value that must be surrogates in a file. Empty for a field
	// that is not secret.
	Secrets []string
}

// Values yields the values of an exchange of a file. It changes nothing and learns nothing. A body
// is read without its content coding, where that can be undone.
func (r *Redactor) Values(x *leaf.Exchange) iter.Seq[Value] {
	c := &cleaning{state: r.s, trust: ours}
	y := *x
	y.Request.Body = identity(half{header: x.Request.Headers, body: x.Request.Body})
	y.Response.Body = identity(half{header: x.Response.Headers, body: x.Response.Body})
	return func(yield func(Value) bool) {
		for _, m := range c.messages(&y, nil, [2]int{}) {
			for l := range c.leaves(m) {
				v := Value{Half: m.name, Message: m.Message, Leaf: l}
				if !ofNoField(l) {
					v.Kind, v.Secrets = c.secrets(m, l)
				}
				if !yield(v) {
					return
				}
			}
		}
	}
}

// secrets returns what of a leaf must be surrogates.
func (c *cleaning) secrets(m *message, l *leaf.Leaf) (profile.Sensitivity, []string) {
	f := c.reading(m, l)
	switch {
	case f.Secret == profile.NotSecret:
		return f.Secret, nil
	case f.parts == nil:
		return f.Secret, []string{l.Value}
	}
	var list []string
	for _, p := range f.parts {
		list = append(list, p.text)
	}
	return f.Secret, list
}

// identity returns a body without its content coding, or as it is if that cannot be undone.
func identity(h half) string {
	_, values := header(h.header, "Content-Encoding")
	names := leaf.CodingOf(strings.Join(values, ", "), h.body)
	if names == "" {
		return h.body
	}
	plain, err := leaf.Decode(names, []byte(h.body), maxDecoded)
	if err != nil {
		return h.body
	}
	return string(plain)
}
