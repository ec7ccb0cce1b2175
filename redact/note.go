package redact

import (
	"net/http"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// Note reserves the ordinals of the surrogates and the numbers of the markers in an exchange from a
// file, so that nothing that is cleaned later gets such an ordinal or number. A file that was
// edited may hold a live number before the surrogates: all its exchanges are noted first, and then
// cleaned.
func (r *Redactor) Note(x *leaf.Exchange) {
	for _, line := range x.Meta.Redactions {
		if kind, n := surrogate.ReadNote(line); n > 0 {
			r.s.tape.resume(kind, n)
		}
	}
	for _, s := range []string{
		x.Method, x.URL, x.Request.Body, x.Response.Body, x.Response.Status, x.Meta.Failure, x.Meta.Fault,
	} {
		r.s.reserve(s)
	}
	for _, m := range []*leaf.Message{x.RequestMessage(), x.ResponseMessage()} {
		var last *leaf.Holder
		for i := range m.Leaves {
			if h := m.Leaves[i].Packed(); h != nil && h != last {
				r.s.reserve(h.Text())
				last = h
			}
		}
	}
	for _, h := range []http.Header{x.Request.Headers, x.Response.Headers, x.Meta.Trailers} {
		for name, values := range h {
			r.s.reserve(name)
			for _, v := range values {
				r.s.reserve(v)
			}
		}
	}
}

// reserve does for one text what Note does. Digits that only look like a surrogate cost an
// ordinal, and no more.
func (s *state) reserve(text string) {
	j := scan.Judge{
		Shape: func(digits string) scan.Verdict {
			if surrogate.IsCardNumber(digits) {
				return scan.Surrogate
			}
			return scan.Nothing
		},
	}
	for _, text := range scan.Unescaped(text) {
		for _, n := range scan.Numbers(text, true, j) {
			s.tape.reserve(surrogate.Ordinal(n.Digits))
		}
		s.reserveMarks(text)
	}
}

// reserveMarks has numbers go on after the numbers of the markers in a text.
func (s *state) reserveMarks(text string) {
	for {
		at := strings.Index(text, surrogate.Prefix)
		if at < 0 {
			return
		}
		text = text[at:]
		n := surrogate.MarkerLength(text)
		if kind, number := surrogate.ReadMarker(text[:n]); number > 0 {
			s.tape.resume(kind, number)
		}
		text = text[n:]
	}
}
