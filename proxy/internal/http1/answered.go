package http1

import (
	"net"
	"net/http"
)

// WhenAnswered has f called, by a goroutine of its own, when the answer to the request at hand is with the
// system, or when its connection has ended before all of it was: then it is not sent. A handler cannot tell:
// what it writes is sent when it has returned. A handler calls WhenAnswered once, at its end, and not if it has
// taken the connection over.
func (c *Conn) WhenAnswered(f func(sent bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = f
}

// NoteState tells whoever waits for the end of an answer that a connection waits for its next request, or has
// ended: it is part of http.Server.ConnState, where WithConn is http.Server.ConnContext.
func NoteState(conn net.Conn, state http.ConnState) {
	c := ownOf(conn)
	if c == nil || state != http.StateIdle && state != http.StateClosed {
		return
	}
	c.mu.Lock()
	f := c.answered
	c.answered = nil
	c.mu.Unlock()
	if f != nil {
		go f(!c.unsent.Load())
	}
}

// send writes to the client. That some of it could not be written is noted: whatever is written later does not
// reach the client either.
func (c *Conn) send(text []byte) (int, error) {
	n, err := c.Conn.Write(text)
	if err != nil {
		c.unsent.Store(true)
	}
	return n, err
}
