package demo

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/paytape/paytape/internal/leaf"
)

// capture is a transport that remembers what a client sent and received, in memory alone, so
// that it can be laid beside the tape. It is for one client that makes one request after
// another: then its n-th exchange is number n on a new tape.
type capture struct {
	next *http.Transport

	mu   sync.Mutex // guards seen
	seen []*leaf.Exchange
}

// newCapture returns a transport that takes no proxy from the environment.
func newCapture() *capture { return &capture{next: &http.Transport{}} }

// RoundTrip passes a request on and remembers the exchange.
func (c *capture) RoundTrip(req *http.Request) (*http.Response, error) {
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
	res, err := c.next.RoundTrip(out)
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
	c.mu.Lock()
	defer c.mu.Unlock()
	x.Meta.Number = len(c.seen) + 1
	c.seen = append(c.seen, x)
	return res, nil
}

// CloseIdleConnections lets the client end what it holds open.
func (c *capture) CloseIdleConnections() { c.next.CloseIdleConnections() }

// exchanges returns what was seen, in order.
func (c *capture) exchanges() []*leaf.Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}
