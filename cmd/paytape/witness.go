package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/paytape/paytape/internal/leaf"
)

// witness is a transport that remembers what a client sent and received, in memory alone, so
// that it can be laid beside the tape. It is for one client that makes one request after
// another: then its n-th exchange is number n on a new tape.
type witness struct {
	next *http.Transport

	mu   sync.Mutex // guards seen
	seen []*leaf.Exchange
}

func newWitness() *witness { return &witness{next: plainTransport()} }

// plainTransport returns a transport that takes no proxy from the environment.
func plainTransport() *http.Transport { return &http.Transport{} }

// RoundTrip passes a request on and remembers the exchange.
func (w *witness) RoundTrip(req *http.Request) (*http.Response, error) {
	x := &leaf.Exchange{Interaction: cassette.Interaction{Request: cassette.Request{
		Method: req.Method, URL: req.URL.String(), Headers: req.Header.Clone(),
	}}}
	var sent strings.Builder
	out := req.Clone(req.Context())
	if req.Body != nil {
		out.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(req.Body, &sent), req.Body}
	}
	res, err := w.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close() // it has been read
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	x.Request.Body = sent.String()
	x.Response = cassette.Response{
		Code: res.StatusCode, Status: res.Status, Headers: res.Header.Clone(), Body: string(body),
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	x.Meta.Number = len(w.seen) + 1
	w.seen = append(w.seen, x)
	return res, nil
}

// CloseIdleConnections lets the client end what it holds open.
func (w *witness) CloseIdleConnections() { w.next.CloseIdleConnections() }

// exchanges returns what was seen, in order.
func (w *witness) exchanges() []*leaf.Exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}
