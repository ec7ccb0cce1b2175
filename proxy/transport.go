package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// Bounds of a connection to an upstream.
const (
	dialTimeout = 10 * time.Second
	// answerTimeout is how long a sandbox may think before its head comes; issuers behind
	// it are given a minute or more.
	answerTimeout = 3 * time.Minute
	// readIdle and writeIdle are how long a connection may be idle and still be used.
	readIdle      = 30 * time.Second
	writeIdle     = time.Second
	idlePerHost   = 128 // Go's default of 2 costs 40 % at 8 connections
	continueAfter = time.Second
	maxHead       = 1 << 20 // bytes of an answer's header
)

// errLoop is returned by the dialer for an upstream that is the deck itself.
var errLoop = errors.New("upstream leads back to this deck")

// Transport sends requests to upstreams. A request that writes must not be sent again when
// its connection turns out to be dead, and one that has been idle may be closing on the other
// side while the request is on its way. So writes reuse a connection only for the client's
// connection that it was made for, as a client without a deck would, and only within a second
// of its last answer, which is less than servers let one idle. Reads share connections and
// keep them for longer, because net/http sends them again.
type Transport struct {
	reads  *http.Transport
	writes *http.Transport // for clients without a wire, which speak HTTP/2
	dial   dial
	secure *tls.Config
}

// NewTransport returns the transport for upstreams. It takes no proxy from the environment,
// touches no content coding, and refuses to dial the addresses in own: those that the deck
// listens on.
func NewTransport(own ...net.Addr) *Transport {
	guard := guard(own)
	dialer := &net.Dialer{
		Timeout: dialTimeout, KeepAlive: 30 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error { return guard(address) },
	}
	return newTransport(dialer.DialContext)
}

// dial makes a connection.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

func newTransport(d dial) *Transport {
	t := &Transport{dial: d}
	t.SecureWith(&tls.Config{})
	return t
}

// pool returns a transport whose connections may be idle for a while.
func (t *Transport) pool(idle time.Duration) *http.Transport {
	return &http.Transport{
		DialContext:            t.dial,
		TLSClientConfig:        t.secure.Clone(), // each pool adds the protocols it speaks
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           4 * idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idle,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  answerTimeout,
		ExpectContinueTimeout:  continueAfter,
		MaxResponseHeaderBytes: maxHead,
	}
}

// SecureWith sets what TLS to upstreams is agreed on with, such as authorities and a
// certificate of the client. It is called before the first request.
func (t *Transport) SecureWith(c *tls.Config) {
	t.secure = c.Clone()
	if t.secure.ClientSessionCache == nil {
		t.secure.ClientSessionCache = tls.NewLRUClientSessionCache(0) // one for all pools
	}
	t.reads, t.writes = t.pool(readIdle), t.pool(writeIdle)
}

// RoundTrip sends a request. One that reads by its method but has a body writes: that is
// how a Route marks it.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		if req.Body == nil || req.Body == http.NoBody {
			return t.reads.RoundTrip(req)
		}
	}
	if c := http1.ConnOf(req); c != nil {
		own := c.Upstream(func() *http.Transport { return t.pool(writeIdle) })
		return roundTripOnce(own, req)
	}
	return roundTripOnce(t.writes, req)
}

// CloseIdleConnections closes connections on which nothing is under way.
func (t *Transport) CloseIdleConnections() {
	t.reads.CloseIdleConnections()
	t.writes.CloseIdleConnections()
}

// guard returns a check of addresses after name resolution, so that no name and no spelling
// of an address leads the deck into itself.
func guard(own []net.Addr) func(address string) error {
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
				return errLoop
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

// errAgain is returned for a request that net/http wanted to send once more.
var errAgain = errors.New("the request would have been sent again")

// once is a request that HTTP/2 must not send again. Without a body net/http would do so up to
// seven times, for more than a minute, when the sandbox resets it or goes away. A body which may
// not be read twice would prevent that, but then the request goes out without its length.
type once struct {
	sent  atomic.Bool // its head is on the wire
	again atomic.Bool // it was kept from being sent a second time
}

// roundTripOnce sends a request that writes.
func roundTripOnce(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
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

// notProcessed reports whether an error says that the sandbox has not looked at a request: it came
// when the sandbox was about to end the connection, or was refused at once (RFC 9113, section
// 8.7). net/http has no types for that, only words.
func notProcessed(err error) bool {
	text := err.Error()
	return strings.Contains(text, "REFUSED_STREAM") || strings.Contains(text, "received GOAWAY") ||
		strings.Contains(text, "graceful shutdown GOAWAY")
}
