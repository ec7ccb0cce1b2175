package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
)

// errAgain is returned for a request that net/http wanted to send once more.
var errAgain = errors.New("the request would have been sent again")

// once is a request that HTTP/2 must not send again. Without a body net/http would do so up to
// seven times, for more than a minute, when the sandbox resets it or goes away. A body which may
// not be read twice would prevent that, but then the request goes out without its length.
type once struct {
	sent  atomic.Bool // its head is on the wire
	again atomic.Bool // it was kept from being sent a second time
}

// sentOnce sends a request that writes.
func sentOnce(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
	if req.Body != nil && req.Body != http.NoBody {
		return rt.RoundTrip(req)
	}
	o := &once{}
	ctx, stop := context.WithCancel(req.Context()) // the request's ends when it is answered
	trace := &httptrace.ClientTrace{
		WroteHeaders: func() { o.sent.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			if o.sent.Load() && overHTTP2(got) {
				o.again.Store(true)
				stop()
			}
		},
	}
	res, err := rt.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		stop()
	}
	if err != nil && o.again.Load() {
		return nil, errAgain
	}
	return res, err
}

// overHTTP2 reports whether a connection speaks HTTP/2. In HTTP/1 a request that writes is
// sent again only if nothing of it was.
func overHTTP2(got httptrace.GotConnInfo) bool {
	c, ok := got.Conn.(interface{ ConnectionState() tls.ConnectionState })
	return ok && c.ConnectionState().NegotiatedProtocol == "h2"
}

// untaken reports whether an error says that the sandbox has not looked at a request: it came
// when the sandbox was about to end the connection, or was refused at once (RFC 9113, section
// 8.7). net/http has no types for that, only words.
func untaken(err error) bool {
	text := err.Error()
	return strings.Contains(text, "REFUSED_STREAM") || strings.Contains(text, "received GOAWAY") ||
		strings.Contains(text, "graceful shutdown GOAWAY")
}
