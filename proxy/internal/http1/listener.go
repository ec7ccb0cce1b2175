package http1

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"

	"github.com/paytape/paytape/proxy/internal/problem"
)

// Refused is told why a client was refused, by many goroutines. Nil: nobody is told.
type Refused func(*problem.Problem)

func (f Refused) tell(p *problem.Problem) {
	if f != nil {
		f(p)
	}
}

// Listen returns a listener whose connections are Conns, except connections that speak HTTP/2,
// where nothing of the kind can be ambiguous. A connection inside TLS must have agreed on its
// protocol before ln hands it out.
func Listen(ln net.Listener, refused Refused) net.Listener { return listener{ln, refused} }

type listener struct {
	net.Listener
	refused Refused
}

// Accept waits for a connection.
func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	inside, ok := conn.(*tls.Conn)
	switch {
	case !ok:
		return &Conn{Conn: conn, refused: l.refused}, nil
	case inside.ConnectionState().NegotiatedProtocol == "h2":
		return conn, nil
	}
	return &tlsConn{&Conn{Conn: conn, refused: l.refused}, inside}, nil
}

type connKey struct{}

// WithConn lets handlers find the Conn of a request in its context: it is http.Server.ConnContext.
// The Conn inside a tunnel must not be taken for the Conn of the tunnel, so each has its own.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	var own *Conn
	switch c := conn.(type) {
	case *Conn:
		own = c
	case *tlsConn:
		own = c.Conn
	}
	return context.WithValue(ctx, connKey{}, own)
}

// ConnOf returns the Conn that a request came over; nil if it came in HTTP/2.
func ConnOf(req *http.Request) *Conn {
	c, _ := req.Context().Value(connKey{}).(*Conn)
	return c
}

// Arrived reports whether all of a request's body came with its head, so that whoever reads the body
// does not wait for the client. It says no of a request in HTTP/2, and of a body in chunks.
func Arrived(req *http.Request) bool {
	c := ConnOf(req)
	return c != nil && c.arrived.Load()
}

// Handler returns a handler that refuses what the connection has found ambiguous, and gives all
// other requests to next: as they came, and not as net/http took them.
func Handler(next http.Handler, refused Refused) http.Handler { return handler{next, refused} }

type handler struct {
	next    http.Handler
	refused Refused
}

func (s handler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c := ConnOf(req)
	if c == nil {
		if p := inexpressible(req); p != nil {
			s.refused.tell(p)
			p.Write(w, req.Method)
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
		s.refused.tell(h.problem)
		h.problem.Write(w, h.method)
		return
	}
	if h.minor == '0' {
		defer resetOnAbort(c)
	}
	h.restore(req)
	c.arrived.Store(h.arrived)
	answer := &responseWriter{ResponseWriter: w, conn: c, head: req.Method == http.MethodHead}
	s.next.ServeHTTP(answer, req)
	answer.finish()
}

// inexpressible returns why a request of HTTP/2 is refused: HTTP/1 has no way to express a part of
// it, so that the sandbox would read another request, or none. Nil: HTTP/1 can express it.
func inexpressible(req *http.Request) *problem.Problem {
	switch {
	case !IsToken([]byte(req.Method)):
		return problemLine
	case !all(req.RequestURI, inTarget):
		return problemTarget
	case !all(req.Host, inHost):
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

// resetOnAbort lets a panic go on.
func resetOnAbort(c *Conn) {
	if cause := recover(); cause != nil {
		c.reset()
		panic(cause)
	}
}
