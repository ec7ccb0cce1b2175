package curl

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/paytape/paytape/internal/leaf"
)

// Request is what a command of curl would send, for another program that sends requests: with variables
// in the notation of that program, and without the headers that a program sets by itself.
type Request struct {
	Target string // behind the origin: path and query, as on the wire
	Header http.Header
	Body   string
}

// Fill returns the request of an exchange that was cleaned. write returns what stands for a variable.
// Other text goes through plain, which is told what it is a part of, so that nothing in it is taken for
// a variable.
func Fill(x *leaf.Exchange, o Options, write func(variable string) string,
	plain func(in leaf.Place, text string) string) Request {
	c := newCommand(x, o)
	fill := func(p part, in leaf.Place, s string, from int) string {
		var b strings.Builder
		for _, h := range c.places[p] {
			if h.from >= from {
				b.WriteString(plain(in, s[from:h.from]) + write(h.variable))
				from = h.to
			}
		}
		return b.String() + plain(in, s[from:])
	}
	url := x.URL
	r := Request{
		Target: fill(part{place: leaf.Path}, leaf.Path, url, len(url)-len(x.Target())),
		Header: http.Header{},
		Body:   fill(part{place: bodyPlace}, bodyPlace, x.Request.Body, 0),
	}
	for name, values := range x.Request.Headers {
		if slices.Contains(ofConnection, http.CanonicalHeaderKey(name)) ||
			!httpguts.ValidHeaderFieldName(name) {
			continue
		}
		for i, value := range values {
			r.Header[name] = append(r.Header[name], fill(part{leaf.Header, name, i}, leaf.Header, value, 0))
		}
	}
	return r
}
