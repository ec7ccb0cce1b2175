package transport

import (
	"bytes"
	"io"

	"github.com/paytape/paytape/internal/leaf"
)

// Whole is the body of a request of which all is in memory. It leaves with the head in one write:
// net/http writes the head apart for a body that it may have to wait for.
type Whole struct {
	leaf.Unprinted
	io.ReadCloser // for whoever is no Transport
	body          []byte
}

// NewWhole returns a body, which nobody may change.
func NewWhole(body []byte) *Whole {
	w := &Whole{body: body}
	w.ReadCloser = w.again()
	return w
}

// again returns the body from its beginning, for an attempt, in a form that net/http knows to be in
// memory.
func (w *Whole) again() io.ReadCloser { return io.NopCloser(bytes.NewReader(w.body)) }
