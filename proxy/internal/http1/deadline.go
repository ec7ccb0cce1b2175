package http1

import (
	"errors"
	"os"
	"time"
)

// setPartial notes whether a head has begun to come. From then on it has ten seconds, even on a
// connection that may be idle for longer. While a request is being handled net/http sets no
// deadline, and there is none for the head behind it.
func (c *Conn) setPartial(partial bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if partial == c.partial {
		return
	}
	if c.partial = partial; partial && !c.deadline.IsZero() {
		_ = c.applyDeadlineLocked() // a connection that cannot tells so when it is read
	}
}

// tellSlow tells of a head that did not come to its end in time. While a request is being handled
// net/http ends its own waiting for the next one in the same way, by a deadline long past.
func (c *Conn) tellSlow(err error) {
	c.mu.Lock()
	slow := c.partial && c.deadline.Unix() > 1
	c.mu.Unlock()
	if slow && errors.Is(err, os.ErrDeadlineExceeded) {
		c.refused.tell(problemSlow)
	}
}

func (c *Conn) applyDeadlineLocked() error {
	if !c.partial {
		return c.Conn.SetReadDeadline(c.deadline)
	}
	limit := c.deadline
	if soon := time.Now().Add(HeadTimeout); limit.After(soon) {
		limit = soon
	}
	return c.Conn.SetReadDeadline(limit)
}

// SetReadDeadline sets the deadline of reading. A head that has begun to come shortens it.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.applyDeadlineLocked()
}

// SetDeadline sets the deadlines of reading and writing.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}
