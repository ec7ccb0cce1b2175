package http1

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"sync/atomic"
	"time"
)

// servedConn is a connection that is served by its Listener.
type servedConn struct {
	*Conn
	conn     net.Conn // the Conn, inside TLS or not
	listener *Listener
	ctx      context.Context
	remote   string
	tls      *tls.ConnectionState
	busy     atomic.Bool // an exchange is under way, or the connection is closed

	// Of the exchange that is under way. A handler must not touch them when it has returned: they are
	// used again. Whoever keeps the header of the request for longer has it of KeepHeader, or copies it.
	request http.Request
	url     url.URL
	fields  fields
	header  http.Header // of the answer
}

// serve serves plain exchanges, until the connection ends or something else comes.
func (c *servedConn) serve() {
	wait := c.listener.srv.ReadHeaderTimeout
	for {
		c.waitFor(wait)
		if c.fetchHead() != nil || !c.busy.CompareAndSwap(false, true) {
			break
		}
		c.state(http.StateActive)
		if !c.plain() {
			c.listener.hand(c.conn)
			c.listener.left(c)
			return
		}
		if !c.exchange() {
			return
		}
		if c.busy.Store(false); c.stopping() {
			break
		}
		c.state(http.StateIdle)
		// Other connections have their turn first. Meanwhile the next request comes, and reading it
		// is one call of the system: without, the read fails and the goroutine waits to be woken.
		runtime.Gosched()
		wait = c.listener.srv.IdleTimeout
	}
	c.end()
}

// waitFor bounds the time until the next request begins, as a server does; 0: it may take for ever.
func (c *servedConn) waitFor(d time.Duration) {
	by := time.Time{}
	if d > 0 {
		by = time.Now().Add(d)
	}
	_ = c.SetReadDeadline(by) // a connection that is gone cannot be read
}

// exchange serves the request that has come. It returns false if the connection is not served here any
// more.
func (c *servedConn) exchange() bool {
	x := newExchange(c)
	if x.serve(c.listener.srv.Handler) {
		c.forget(x)
		return true
	}
	if x.to == nil {
		c.end()
	}
	return false
}

// forget lets go of an exchange: a connection that waits holds nothing of its last one.
func (c *servedConn) forget(x *exchange) {
	c.request, c.url = http.Request{}, url.URL{}
	c.fields.forget()
	clear(c.header)
	clear(c.buf[:x.length])
	c.drop(x.length)
	c.ready, c.left = 0, 0
}

// end closes the connection.
func (c *servedConn) end() {
	_ = c.conn.Close()
	c.state(http.StateClosed)
	c.listener.left(c)
}

// stopping reports whether no more exchanges are taken.
func (c *servedConn) stopping() bool { return c.listener.stops.Load() }

// state tells the hook of the server what becomes of the connection.
func (c *servedConn) state(s http.ConnState) {
	if hook := c.listener.srv.ConnState; hook != nil {
		hook(c.conn, s)
	}
}
