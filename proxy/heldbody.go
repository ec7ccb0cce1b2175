package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// heldBody is the body of an answer that rules hold: in memory as a whole, or as far as there is
// room for it. It takes room of a budget until it is closed, and tells the mode if its reader has
// left before the end.
type heldBody struct {
	leaf.Unprinted
	text  string // of a whole one all of it, else its beginning
	whole bool
	rest  io.Reader // what was not read yet
	ended bool      // it was read to its end
	done  bool
	src   *budgetedBody // nil: it takes no room
	of    *ruledRequest
}

// held returns a body of an answer to the request.
func (r *ruledRequest) held(src *budgetedBody) *heldBody { return &heldBody{of: r, src: src} }

// put makes the body another text, which is whole.
func (b *heldBody) put(text string) {
	b.text, b.whole, b.rest, b.ended = text, true, strings.NewReader(text), false
}

// hold reads the body of an answer ahead, and reports whether that is all of it. It stays where it
// is, so that it can be held again.
func (m *Ruled) hold(r *ruledRequest, res *http.Response) (body string, whole bool) {
	if b, ok := res.Body.(*heldBody); ok {
		return b.text, b.whole
	}
	src := &budgetedBody{ReadCloser: res.Body, budget: m.requests.budget}
	ahead, whole, rest := readAhead(src, m.requests.limit)
	src.passing = true
	b := r.held(src)
	switch {
	case whole:
		_ = src.Close() // the mode has seen its end
		b.put(string(ahead))
	case src.starved:
		b.text, b.rest = string(ahead), io.MultiReader(bytes.NewReader(ahead), src)
	default:
		b.text, b.rest = string(ahead), rest
	}
	res.Body = b
	return b.text, b.whole
}

// Len returns how many bytes of a whole body are left to be read.
func (b *heldBody) Len() int {
	if text, ok := b.rest.(*strings.Reader); ok {
		return text.Len()
	}
	return 0
}

func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.rest.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

// Close gives the room back.
func (b *heldBody) Close() error {
	if b.done {
		return nil
	}
	b.done = true
	if !b.ended {
		b.of.takeBack()
	}
	b.text, b.rest = "", strings.NewReader("")
	if b.src == nil {
		return nil
	}
	b.src.free()
	if b.whole {
		return nil
	}
	return b.src.Close()
}
