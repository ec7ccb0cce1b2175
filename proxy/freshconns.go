package proxy

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// freshTime is how long a deck that stops waits for the first requests of connections that it has
// accepted: net/http closes them without an answer.
const freshTime = 200 * time.Millisecond

// freshConns are the connections of a server of which no request is handled yet.
type freshConns struct {
	mu    sync.Mutex // guards the rest
	conns map[net.Conn]bool
	none  chan struct{} // closed when there are none; nil: nobody waits
}

func newFreshConns() *freshConns { return &freshConns{conns: map[net.Conn]bool{}} }

type freshKey struct{}

// withConn is http.Server.ConnContext.
func (f *freshConns) withConn(ctx context.Context, conn net.Conn) context.Context {
	first := sync.OnceFunc(func() { f.remove(conn) })
	return context.WithValue(http1.WithConn(ctx, conn), freshKey{}, first)
}

// begun notes that a request is handled. Before that net/http may drop it, if the server is about to stop.
func begun(req *http.Request) {
	if first, ok := req.Context().Value(freshKey{}).(func()); ok {
		first()
	}
}

// see is http.Server.ConnState. It tells a connection that asks for it whether a request is under way:
// one that comes from another deck, which stops, is closed when none is.
func (f *freshConns) see(conn net.Conn, state http.ConnState) {
	http1.NoteState(conn, state)
	if c, ok := http1.Innermost(conn).(interface{ Idle(idle bool) }); ok {
		c.Idle(state == http.StateIdle)
	}
	switch state {
	case http.StateNew:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.conns[conn] = true
	case http.StateClosed:
		f.remove(conn)
	}
}

func (f *freshConns) remove(conn net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.conns, conn)
	if f.none != nil && len(f.conns) == 0 {
		close(f.none)
		f.none = nil
	}
}

// wait waits until there are none, or for some time.
func (f *freshConns) wait(most time.Duration) {
	f.mu.Lock()
	if len(f.conns) == 0 {
		f.mu.Unlock()
		return
	}
	none := make(chan struct{})
	f.none = none
	f.mu.Unlock()
	limit := time.NewTimer(most)
	defer limit.Stop()
	select {
	case <-none:
	case <-limit.C:
	}
}
