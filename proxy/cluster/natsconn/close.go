package natsconn

import (
	"net"
	"time"
)

// CloseWrite tells the other side that no more will come.
func (c *Conn) CloseWrite() error {
	c.mu.Lock()
	if c.closed || c.err != nil || c.gone || c.ended {
		c.mu.Unlock()
		return net.ErrClosed
	}
	c.ended = true
	c.changed.Broadcast()
	c.mu.Unlock()
	c.writing.Lock() // behind what is being written
	defer c.writing.Unlock()
	for c.send(frame{kind: frameEnd}) != nil {
		if !c.patient() {
			return errSilent
		}
	}
	return nil
}

// patient waits before a frame is sent again, and reports whether there is somebody to send it to.
func (c *Conn) patient() bool {
	time.Sleep(resend)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil && !c.closed && !c.gone
}

// SetLinger has Close reset the connection if sec is 0, as that of a net.TCPConn does.
func (c *Conn) SetLinger(sec int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resets = sec == 0
	return nil
}

// Close ends the connection in both directions. The other side gets what was written before.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return net.ErrClosed
	}
	kind := frameClose
	if c.resets {
		kind = frameAbort
	}
	c.end(kind)
	return nil
}

// abort resets the connection.
func (c *Conn) abort() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.end(frameAbort)
}

// end closes a connection and says so to the other side, once: without NATS that side comes to know it
// by silence. The lock is held, and given back.
func (c *Conn) end(kind byte) {
	c.closed = true
	tell := c.err == nil && !c.gone && c.out != nil
	c.readBy.stop()
	c.writeBy.stop()
	c.unread = nil
	c.changed.Broadcast()
	c.mu.Unlock()
	c.endpoint.remove(c)
	if tell {
		_ = c.send(frame{kind: kind})
	}
}

// askToDrain asks the other side to close the connection when no request is under way.
func (c *Conn) askToDrain() { _ = c.send(frame{kind: frameDrain}) }

// Idle is told by a server whether a request is under way: a connection without one is closed if the
// other side wants that.
func (c *Conn) Idle(idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = idle
	c.closeIfIdle()
}

// closeIfIdle closes a connection that nobody needs. The lock is held.
func (c *Conn) closeIfIdle() {
	if c.idle && c.drains && !c.closed && c.err == nil {
		go func() { _ = c.Close() }()
	}
}

// deadline is a time after which reading, or writing, fails.
type deadline struct {
	at    time.Time // zero: never
	timer *time.Timer
}

func (d *deadline) over() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// set changes a deadline, and has those who wait look again then.
func (d *deadline) set(t time.Time, wake func()) {
	d.stop()
	d.at = t
	if !t.IsZero() {
		d.timer = time.AfterFunc(time.Until(t), wake)
	}
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline has Read fail from a time on; the zero time is never.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(&c.readBy, t) }

// SetWriteDeadline has Write fail from a time on; the zero time is never.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(&c.writeBy, t) }

func (c *Conn) setDeadline(d *deadline, t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	d.set(t, c.wake)
	c.changed.Broadcast()
	return nil
}
