package natsconn

import (
	"io"
	"net"
)

// Splice leads the connection of a client to the other side, until both directions have ended, and closes
// both. A direction that ends in order does so at the other end too, and a reset is a reset there.
func Splice(client net.Conn, far *Conn) {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, err := io.Copy(far, client)
		switch {
		case err == nil:
			_ = far.CloseWrite() // if it is over the other direction knows
		case !far.isOver():
			far.abort()
		}
	}()
	_, err := io.Copy(client, far)
	switch {
	case err != nil:
		reset(client)
		far.abort()
	case far.isOver():
		_ = client.Close()
	default:
		endWriting(client)
	}
	<-sent
	_, _ = far.Close(), client.Close()
}

// isOver reports whether the other side takes nothing any more.
func (c *Conn) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone || c.closed || c.err != nil
}

// reset closes a connection so that its client sees that something is wrong.
func reset(conn net.Conn) {
	if c, ok := conn.(interface{ SetLinger(sec int) error }); ok {
		_ = c.SetLinger(0) // a connection that is gone needs no reset
	}
	_ = conn.Close()
}

// endWriting tells a client that no more comes.
func endWriting(conn net.Conn) {
	if c, ok := conn.(interface{ CloseWrite() error }); ok && c.CloseWrite() == nil {
		return
	}
	_ = conn.Close()
}
