package callback

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/proxy/internal/transport"
)

// shops is the way from a Relay to the shops. It says in words of its own why a shop may not be
// called.
type shops struct{ transport *http.Transport }

// dialTimeout is how long it may take to connect with a shop.
const dialTimeout = 10 * time.Second

// newShops returns the way to the shops. A shop has longer to answer than one that a Sender calls:
// the sandbox decides how long that may take.
func newShops(o RelayOptions) shops {
	r := newReach(o.Allow, o.To, o.Own)
	t := newTransport(r)
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		return r.dial(ctx, network, address)
	}
	t.TLSClientConfig, t.TLSHandshakeTimeout = o.TLS.Clone(), dialTimeout
	t.ResponseHeaderTimeout, t.ExpectContinueTimeout = o.Timeout, time.Second
	return shops{t}
}

// RoundTrip calls a shop once.
func (s shops) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := s.transport.RoundTrip(req)
	switch {
	case errors.Is(err, errForbidden):
		return nil, problemForbidden
	case errors.Is(err, transport.ErrLoop):
		return nil, problemLoop
	}
	return res, err
}

var (
	problemForbidden = &problem.Problem{
		Code: http.StatusBadGateway, Kind: proxy.ProblemForbidden,
		Message: "the shop was not called: its address is neither on this machine nor allowed",
		Hint:    "name its host with --callback-allow HOST", Fault: leaf.FaultNoAnswer,
	}
	problemLoop = &problem.Problem{
		Code: http.StatusBadGateway, Kind: proxy.ProblemForbidden,
		Message: "the shop was not called: its address leads back to this deck",
		Fault:   leaf.FaultNoAnswer, Cause: proxy.CauseLoop,
	}
)
