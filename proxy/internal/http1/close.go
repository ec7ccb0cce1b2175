package http1

import (
	"io"
	"net"
	"time"
)

// CloseWrite tells the client that nothing more will come.
func (c *Conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// lingerTime is how long a client that was refused may take to read why.
const lingerTime = 500 * time.Millisecond

// Close closes the connection. Closing while bytes of the client lie unread would reset it,
// and the client might lose the answer that tells why it was refused.
func (c *Conn) Close() error {
	c.closeUpstream()
	if c.gone != nil {
		c.once.Do(func() { close(c.gone) })
	}
	if c.discards.Load() && c.CloseWrite() == nil &&
		c.Conn.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(c.Conn, 1<<20))
	}
	return c.Conn.Close()
}

// CloseRefused closes a connection whose client was refused by bytes that were written to it, as
// Close closes a Conn whose client was refused.
func CloseRefused(conn net.Conn) error {
	c := &Conn{Conn: conn}
	c.discards.Store(true)
	return c.Close()
}

// reset makes the client see a reset when the connection is closed: a client of HTTP/1.0
// would take a plain end for the end of the answer.
func (c *Conn) reset() { Reset(c) }

// Reset has a connection reset when it is closed, and not ended in order, whatever it lies in: TLS, a
// tunnel, a Conn. It returns the innermost connection: whoever closes that first resets it before TLS
// can tell the client of an end in order.
func Reset(conn net.Conn) net.Conn {
	inner := Innermost(conn)
	if c, ok := inner.(interface{ SetLinger(sec int) error }); ok { // of TCP, or one from another deck
		_ = c.SetLinger(0) // a connection that is gone needs no reset
	}
	return inner
}

// Innermost returns the connection in which others lie: TLS, a tunnel, a Conn.
func Innermost(conn net.Conn) net.Conn {
	for {
		switch c := conn.(type) {
		case *Conn:
			conn = c.Conn
		case *tlsConn:
			conn = c.Conn.Conn
		case interface{ NetConn() net.Conn }: // a connection inside TLS
			conn = c.NetConn()
		default:
			return conn
		}
	}
}
