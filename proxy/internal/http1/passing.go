package http1

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// passed is net/http's side of an exchange that is not plain any more.
type passed struct {
	http.ResponseWriter
	ctx  context.Context
	done chan any // the handler has returned; what it panicked with, else nil
}

// pass makes the exchange net/http's, which reads the same request from the connection once more, and
// returns its side. The handler goes on where it is. It returns nil if the exchange has ended, or if
// the connection was closed before net/http had it.
//
//	the handler's goroutine        net/http's
//	pass: the connection  ------>  reads the head, calls Handler
//	takes the side        <------  resume: waits for the handler
//	serve: the end        ------>  goes on with the connection
func (x *exchange) pass() *passed {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.handed || x.ended {
		return x.to
	}
	c := x.conn
	x.handed = true
	c.room = nil // the body of the request lies there as long as the handler may read it
	c.passing.Store(x)
	c.listener.hand(c.conn)
	select {
	case x.to = <-c.taken:
		c.listener.left(c)
	case <-c.gone:
	}
	return x.to
}

// resume serves a request that net/http has read and that is being handled already: it gives its
// handler what it needs, and waits for it.
func (x *exchange) resume(w http.ResponseWriter, req *http.Request) {
	// Only behind the body net/http reads on, to learn whether the client has left.
	_, _ = io.Copy(io.Discard, req.Body) // it has come, and its handler has it
	to := &passed{w, req.Context(), make(chan any, 1)}
	select {
	case x.conn.taken <- to:
	case <-x.conn.gone:
		panic(http.ErrAbortHandler)
	}
	if cause := <-to.done; cause != nil {
		panic(cause)
	}
}

// exchangeContext is the context of a plain exchange. Whoever waits for its end has to learn when the
// client leaves, so the exchange is net/http's from then on. It is safe for concurrent use.
type exchangeContext struct {
	leaf.Unprinted
	x  *exchange
	by atomic.Pointer[passed]
}

// now returns the context that counts.
func (c *exchangeContext) now() context.Context {
	if to := c.by.Load(); to != nil {
		return to.ctx
	}
	return c.x.conn.ctx
}

// Done returns a channel that is closed when the client leaves, or the exchange has ended.
func (c *exchangeContext) Done() <-chan struct{} {
	if to := c.by.Load(); to != nil {
		return to.ctx.Done()
	}
	to := c.x.pass()
	if to == nil {
		return closed
	}
	c.by.Store(to)
	return to.ctx.Done()
}

// closed is the channel of what has ended.
var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Err returns why the exchange has ended; nil if it goes on.
func (c *exchangeContext) Err() error {
	if to := c.by.Load(); to != nil {
		return to.ctx.Err()
	}
	if err := c.x.conn.ctx.Err(); err != nil {
		return err
	}
	c.x.mu.Lock()
	defer c.x.mu.Unlock()
	if c.x.ended {
		return context.Canceled
	}
	return nil
}

// Deadline returns that of the connection: there is none.
func (c *exchangeContext) Deadline() (time.Time, bool) { return c.now().Deadline() }

// exchangeKey is where the context of a plain exchange has the exchange.
type exchangeKey struct{}

// Value returns what the connection has under a key.
func (c *exchangeContext) Value(key any) any {
	if key == (exchangeKey{}) {
		return c.x
	}
	return c.now().Value(key)
}
