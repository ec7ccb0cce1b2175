package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
)

// wires is a listener whose connections are wires, except those that speak HTTP/2, where
// nothing of the kind can be ambiguous. A connection inside TLS must have agreed on its
// protocol before it gets here.
type wires struct {
	net.Listener
	observe func(Event)
}

// Accept waits for a connection.
func (l wires) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	inside, ok := conn.(*tls.Conn)
	switch {
	case !ok:
		return &wire{Conn: conn, observe: l.observe}, nil
	case inside.ConnectionState().NegotiatedProtocol == "h2":
		return conn, nil
	}
	return &secureWire{&wire{Conn: conn, observe: l.observe}, inside}, nil
}

type wireKey struct{}

// knowWire lets handlers find the wire of a request in its context. The wire of a connection in
// a tunnel must not be taken for the wire of the tunnel.
func knowWire(ctx context.Context, conn net.Conn) context.Context {
	var own *wire
	switch c := conn.(type) {
	case *wire:
		own = c
	case *secureWire:
		own = c.wire
	}
	return context.WithValue(ctx, wireKey{}, own)
}

// wireOf returns the wire that a request came over; nil if it came in HTTP/2.
func wireOf(req *http.Request) *wire {
	c, _ := req.Context().Value(wireKey{}).(*wire)
	return c
}

// restored is a handler whose requests are as they came, and not as net/http took them.
type restored struct {
	next    http.Handler
	observe func(Event)
}

// ServeHTTP refuses what the wire has found ambiguous, and hands on the rest.
func (s restored) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c := wireOf(req)
	if c == nil {
		if p := unsayable(req); p != nil {
			refuse(s.observe, w, req, p)
			return
		}
		s.next.ServeHTTP(w, req)
		return
	}
	c.line.Store(nil)
	h, ok := c.pop()
	switch {
	case !ok:
		panic(http.ErrAbortHandler)
	case h.problem != nil:
		w.Header().Set("Connection", "close")
		tell(s.observe, refusal(h.problem))
		h.problem.write(w, h.method)
		return
	}
	if h.minor == '0' {
		defer severOnAbort(c)
	}
	h.restore(req)
	s.next.ServeHTTP(&overWire{w, c}, req)
}

// unsayable returns why a request of HTTP/2 is refused, of which HTTP/1 has no way to say a part:
// there it would be read as another request, or as none. nil: it can be said.
func unsayable(req *http.Request) *problem {
	switch {
	case !isToken([]byte(req.Method)):
		return problemLine
	case strings.ContainsFunc(req.RequestURI, notInTarget):
		return problemTarget
	case strings.ContainsFunc(req.Host, notInHost):
		return problemHost
	}
	for _, host := range req.Header["Host"] { // beside the one that counts
		if !strings.EqualFold(host, req.Host) {
			return problemHost
		}
	}
	return nil
}

// restore undoes what net/http did to a request.
func (h *head) restore(req *http.Request) {
	if h.target != "" {
		req.RequestURI = h.target
	}
	if h.bare {
		delete(req.Header, "Cache-Control")
	}
	if h.length < 0 && req.Trailer == nil {
		req.Trailer = http.Header{} // one map for all copies: trailers need not be announced
	}
}

// severOnAbort lets a panic go on.
func severOnAbort(c *wire) {
	if cause := recover(); cause != nil {
		c.sever()
		panic(cause)
	}
}

// overWire is a response writer whose connection, when it is taken over, passes bytes.
type overWire struct {
	http.ResponseWriter
	wire *wire
}

// Hijack takes the connection over.
func (w *overWire) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.wire.through.Store(true)
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// WriteString writes text without a copy of it.
func (w *overWire) WriteString(s string) (int, error) {
	return io.WriteString(w.ResponseWriter, s)
}

// Unwrap lets http.ResponseController find what lies below.
func (w *overWire) Unwrap() http.ResponseWriter { return w.ResponseWriter }
