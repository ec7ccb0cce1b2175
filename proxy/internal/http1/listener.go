package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/proxy/internal/socket"
)

// Refused is told why a client was refused, by many goroutines. Nil: nobody is told.
type Refused func(*problem.Problem)

func (f Refused) tell(p *problem.Problem) {
	if f != nil {
		f(p)
	}
}

// Listener is a listener whose connections are Conns, except connections that speak HTTP/2, where
// nothing of the kind can be ambiguous. It serves plain exchanges by itself, and hands a connection out
// when something comes that is none.
type Listener struct {
	net.Listener
	srv     *http.Server
	refused Refused
	base    context.Context
	handed  chan net.Conn
	failed  chan error // why Accept of the listener below failed
	closed  chan struct{}
	once    sync.Once // of Close
	below   sync.Once // of closing the listener below
	err     error     // of that

	stops atomic.Bool // no more exchanges are taken

	mu    sync.Mutex // guards the rest
	conns map[*servedConn]bool
	ends  bool          // no more connections are served here
	none  chan struct{} // closed when there are none; nil: nobody waits
}

// Listen serves plain exchanges on the connections of ln, as srv is set to serve: by its Handler, with
// its contexts, its hook for states and its time for idle connections. What the Listener hands out is
// for srv. A connection inside TLS must have agreed on its protocol before ln hands it out.
func Listen(ln net.Listener, srv *http.Server, refused Refused) *Listener {
	l := &Listener{
		Listener: ln, srv: srv, refused: refused, base: context.Background(),
		handed: make(chan net.Conn), failed: make(chan error), closed: make(chan struct{}),
		conns: map[*servedConn]bool{},
	}
	if srv.BaseContext != nil {
		l.base = srv.BaseContext(ln)
	}
	l.base = context.WithValue(l.base, http.ServerContextKey, srv)
	go l.accept()
	return l
}

// accept takes connections until the Listener is stopped or closed. net/http waits for a while when
// Accept has failed for want of something, and then accepts again.
func (l *Listener) accept() {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err == nil:
			l.take(conn)
			continue
		case l.stops.Load():
			return
		}
		select {
		case l.failed <- err:
		case <-l.closed:
			return
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// take serves a connection, or hands it out.
func (l *Listener) take(conn net.Conn) {
	c := &servedConn{listener: l, ctx: l.base, header: http.Header{}, Conn: &Conn{
		Conn: socket.Of(conn), refused: l.refused, taken: make(chan *passed), gone: make(chan struct{}),
	}}
	c.conn = c.Conn
	if inside, ok := conn.(*tls.Conn); ok {
		state := inside.ConnectionState()
		if state.NegotiatedProtocol == "h2" {
			go l.hand(conn)
			return
		}
		c.conn, c.tls = &tlsConn{c.Conn, inside}, &state
	}
	if !l.enter(c) {
		_ = conn.Close()
		return
	}
	if addr := conn.RemoteAddr(); addr != nil {
		c.remote = addr.String()
	}
	if l.srv.ConnContext != nil {
		c.ctx = l.srv.ConnContext(c.ctx, c.conn)
	}
	c.ctx = context.WithValue(c.ctx, http.LocalAddrContextKey, conn.LocalAddr())
	c.state(http.StateNew)
	go c.serve()
}

// hand hands a connection out, unless the Listener is closed.
func (l *Listener) hand(conn net.Conn) {
	select {
	case l.handed <- conn:
	case <-l.closed:
		_ = conn.Close()
	}
}

// enter notes that a connection is served here. It returns false if no more are.
func (l *Listener) enter(c *servedConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ends {
		l.conns[c] = true
	}
	return !l.ends
}

// left notes that a connection is not served here any more.
func (l *Listener) left(c *servedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
	if l.none != nil && len(l.conns) == 0 {
		close(l.none)
		l.none = nil
	}
}

// Accept waits for a connection that is not served here.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.handed:
		return conn, nil
	case err := <-l.failed:
		return nil, err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Stop closes the listener below. What was accepted is served.
func (l *Listener) Stop() error {
	l.stops.Store(true)
	l.below.Do(func() { l.err = l.Listener.Close() })
	return l.err
}

// Drain closes the connections on which no exchange is under way, and waits until none is served here
// any more, or ctx ends. It comes behind Stop.
func (l *Listener) Drain(ctx context.Context) {
	l.mu.Lock()
	l.ends = true
	for c := range l.conns {
		if c.busy.CompareAndSwap(false, true) {
			_ = c.conn.Close()
		}
	}
	if len(l.conns) == 0 {
		l.mu.Unlock()
		return
	}
	none := make(chan struct{})
	l.none = none
	l.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}

// Close closes the listener, and the connections that are served here or wait to be handed out.
func (l *Listener) Close() error {
	err := l.Stop()
	l.once.Do(func() { close(l.closed) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends = true
	for c := range l.conns {
		_ = c.conn.Close()
	}
	return err
}

type connKey struct{}

// WithConn lets handlers find the Conn of a request in its context: it is http.Server.ConnContext.
// The Conn inside a tunnel must not be taken for the Conn of the tunnel, so each has its own.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, ownOf(conn))
}

// ownOf returns the Conn that a server has as conn; nil for another connection.
func ownOf(conn net.Conn) *Conn {
	switch c := conn.(type) {
	case *Conn:
		return c
	case *tlsConn:
		return c.Conn
	}
	return nil
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
	if x := c.passing.Swap(nil); x != nil {
		x.resume(w, req)
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
