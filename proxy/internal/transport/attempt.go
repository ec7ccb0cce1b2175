package transport

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// attempt is one try to send a request. Only a try of which nothing can have reached a sandbox is
// followed by another one. That is so when the sandbox had closed an idle connection before the
// request was written to it:
//
//	deck                          sandbox
//	GET /a --------------------->
//	       <--------------------- 200
//	                       <----- closes the connection, 50 ms later
//	GET /b: the end is seen before anything is written; a new connection is used
//
// Where the end comes after the first byte was written, the sandbox may have read the request: the
// client gets a 502 that says so.
type attempt struct {
	reused atomic.Bool // the connection had an exchange before this one
	closed atomic.Bool // the attempt closed the connection before anything was written to it
	begun  atomic.Bool // net/http may have written something
}

// send sends a request once.
func send(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
	for {
		a, body := &attempt{}, &reusableBody{body: req.Body}
		out := req.WithContext(httptrace.WithClientTrace(req.Context(), a.trace()))
		out.Body, out.GetBody = body, nil // with GetBody net/http may send it again
		if whole, ok := req.Body.(*Whole); ok {
			out.Body = whole.again() // each attempt has one of its own
		}
		res, err := rt.RoundTrip(out)
		if err == nil || !a.unsent() || req.Context().Err() != nil || !body.unread() {
			body.settle()
			return res, err
		}
	}
}

// trace returns what net/http tells of an attempt.
func (a *attempt) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			a.reused.Store(got.Reused)
			if conn, ok := overHTTP1(got.Conn); ok && got.Reused && !a.begun.Load() && ended(conn) {
				a.closed.Store(true)
				_ = conn.Close() // so that nothing is written to it
			}
		},
		WroteHeaders: func() { a.begun.Store(true) },
	}
}

// unsent reports whether nothing of a request that failed was sent.
func (a *attempt) unsent() bool { return a.reused.Load() && (a.closed.Load() || !a.begun.Load()) }

// overHTTP1 returns the socket of a connection that speaks HTTP/1, where nothing comes from a
// sandbox between two exchanges but the end.
func overHTTP1(conn net.Conn) (net.Conn, bool) {
	c, ok := conn.(*tls.Conn)
	switch {
	case !ok:
		return conn, true
	case c.ConnectionState().NegotiatedProtocol == "h2":
		return nil, false
	}
	return c.NetConn(), true
}

// reusableBody is the body of a request for one attempt. It stays open for the next attempt if
// net/http closes it without having read it.
type reusableBody struct {
	body io.ReadCloser

	mu      sync.Mutex // guards the rest
	read    bool       // net/http has begun to read it
	closed  bool       // net/http has closed it
	settled bool       // there is no next attempt
}

func (b *reusableBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	b.read = true
	b.mu.Unlock()
	return b.body.Read(p)
}

// Close closes the body if there is no next attempt.
func (b *reusableBody) Close() error {
	b.mu.Lock()
	b.closed = true
	last := b.read || b.settled
	b.mu.Unlock()
	if last {
		return b.body.Close()
	}
	return nil
}

func (b *reusableBody) unread() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.read
}

// settle says that there is no next attempt.
func (b *reusableBody) settle() {
	b.mu.Lock()
	b.settled = true
	owed := b.closed && !b.read
	b.mu.Unlock()
	if owed {
		_ = b.body.Close() // as net/http would, which has no use for its error either
	}
}
