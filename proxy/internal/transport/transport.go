// Package transport sends requests to sandboxes, each of them once.
//
// An example. A shop asks for the status of an order, and half a second later for a refund. The
// refund goes over the connection that the status has come by, after a look whether the sandbox has
// closed it: then nothing is written, and a new connection is used. Where the sandbox closes the
// connection behind the first byte, the refund may have arrived, and it is for the shop to ask.
package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/paytape/paytape/proxy/internal/http1"
	"github.com/paytape/paytape/proxy/internal/socket"
)

// Bounds of a connection to an upstream.
const (
	dialTimeout = 10 * time.Second
	// answerTimeout is how long a sandbox may think before its head comes; issuers behind
	// it are given a minute or more.
	answerTimeout = 3 * time.Minute
	// maxIdle is how long a connection may be idle and still be used. It is less than servers
	// let a connection be idle.
	maxIdle       = time.Second
	idlePerHost   = 128 // Go's default of 2 costs 40 % at 8 connections
	continueAfter = time.Second
	maxHead       = 1 << 20 // bytes of an answer's header
)

// ErrLoop is returned by the dialer for an upstream that is the deck itself.
var ErrLoop = errors.New("upstream leads back to this deck")

// Transport sends requests to upstreams. Each request is sent once, whatever it asks for: a
// request that was sent to a connection which breaks may have arrived, and only its client knows
// whether it may be sent again. A connection that has been idle may be closing on the other side
// while a request is on its way to it. So connections are reused only for the client's connection
// that they were made for, as a client without a deck would, and only within a second of their
// last answer. A connection of which the end is known is not used at all.
type Transport struct {
	shared http1.Upstream // for clients without a wire, which speak HTTP/2
	dial   dial
	secure *tls.Config
}

// New returns the transport for upstreams. It takes no proxy from the environment,
// touches no content coding, and refuses to dial the addresses in own: those that the deck
// listens on.
func New(own ...net.Addr) *Transport {
	guard := Guard(own...)
	dialer := &net.Dialer{
		Timeout: dialTimeout, KeepAlive: 30 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error { return guard(address) },
	}
	return newWith(func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return socket.Of(conn), nil
	})
}

// dial makes a connection.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

func newWith(d dial) *Transport {
	t := &Transport{dial: d}
	t.SecureWith(&tls.Config{})
	return t
}

// pool is connections of its own: those of net/http, and those that direct has beside them.
type pool struct {
	http *http.Transport
	direct
}

// RoundTrip sends a request once.
func (p *pool) RoundTrip(req *http.Request) (*http.Response, error) {
	if isDirect(req) {
		return p.direct.send(req)
	}
	return send(p.http, req)
}

// CloseIdleConnections closes the connections that no exchange has.
func (p *pool) CloseIdleConnections() {
	p.http.CloseIdleConnections()
	p.closeIdle()
}

// pool returns a pool without connections.
func (t *Transport) pool() http1.Upstream {
	return &pool{direct: direct{dial: t.dial}, http: &http.Transport{
		DialContext:            t.dial,
		TLSClientConfig:        t.secure.Clone(), // each pool adds the protocols it speaks
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           4 * idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        maxIdle,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  answerTimeout,
		ExpectContinueTimeout:  continueAfter,
		MaxResponseHeaderBytes: maxHead,
	}}
}

// SecureWith sets what TLS to upstreams is agreed on with, such as authorities and a
// certificate of the client. It is called before the first request.
func (t *Transport) SecureWith(c *tls.Config) {
	t.secure = c.Clone()
	if t.secure.ClientSessionCache == nil {
		t.secure.ClientSessionCache = tls.NewLRUClientSessionCache(0) // one for all pools
	}
	t.shared = t.pool()
}

// RoundTrip sends a request.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil || req.Body == http.NoBody {
		req = withoutBody(req)
	}
	if c := http1.ConnOf(req); c != nil {
		return c.Upstream(t.pool).RoundTrip(req)
	}
	return t.shared.RoundTrip(req)
}

// withoutBody makes net/http send a request without a body as it came. Of a request without a body
// net/http believes that it may be sent again, and adds "Content-Length: 0" to a POST, a PUT or a
// PATCH. Of a request with a body that can be read once it believes neither; a body whose length is
// not known and which is in no chunks puts nothing on the wire, and no field either. A client that
// said "Content-Length: 0" has it sent under a spelling that net/http does not know: header names
// have no case. In HTTP/2 the field is left out.
func withoutBody(req *http.Request) *http.Request {
	out := *req
	out.Body, out.ContentLength, out.TransferEncoding = empty{}, 0, []string{"identity"}
	if said := req.Header["Content-Length"]; said != nil {
		out.Header = req.Header.Clone() // the tape keeps the one before
		out.Header[rawContentLength] = said
	}
	return &out
}

// rawContentLength is a spelling of Content-Length that net/http does not know.
var rawContentLength = strings.ToLower("Content-Length")

// CloseIdleConnections closes connections on which nothing is under way.
func (t *Transport) CloseIdleConnections() {
	t.shared.CloseIdleConnections()
}

// Guard returns a check of addresses after name resolution, so that no name and no spelling
// of an address leads the deck into itself: to one of its own addresses.
func Guard(own ...net.Addr) func(address string) error {
	var mine []netip.AddrPort
	for _, a := range own {
		if ap, err := netip.ParseAddrPort(a.String()); err == nil {
			mine = append(mine, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
		}
	}
	return func(address string) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return nil // not TCP: no listener of ours
		}
		ip := to.Addr().Unmap().WithZone("")
		for _, m := range mine {
			if m.Port() == to.Port() && reaches(ip, m.Addr()) {
				return ErrLoop
			}
		}
		return nil
	}
}

// reaches reports whether a connection to ip arrives at a listener on at.
func reaches(ip, at netip.Addr) bool {
	switch {
	case ip == at, ip.IsUnspecified() && at.IsLoopback():
		return true
	case !at.IsUnspecified():
		return false
	case ip.IsLoopback(), ip.IsUnspecified():
		return true
	}
	local, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(local, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().Unmap() == ip
	})
}

// NotProcessed reports whether an error says that the sandbox has not looked at a request: it came
// when the sandbox was about to end the connection, or was refused at once (RFC 9113, section
// 8.7). net/http has no types for that, only words.
func NotProcessed(err error) bool {
	text := err.Error()
	return strings.Contains(text, "REFUSED_STREAM") || strings.Contains(text, "received GOAWAY") ||
		strings.Contains(text, "graceful shutdown GOAWAY")
}

// empty is a body without bytes (see withoutBody).
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }
func (empty) Close() error             { return nil }
