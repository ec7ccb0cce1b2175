package proxy

import (
	"errors"
	"os"
	"time"
)

// begun notes whether a head has begun to come. From then on it has ten seconds, even on a
// connection that may be idle for longer. While a request is being handled net/http sets no
// deadline, and there is none for the head behind it.
func (c *wire) begun(partial bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if partial == c.partial {
		return
	}
	if c.partial = partial; partial && !c.deadline.IsZero() {
		_ = c.hurryLocked() // a connection that cannot tells so when it is read
	}
}

// gaveUp tells of a head that did not come to its end in time. While a request is being handled
// net/http ends its own waiting for the next one in the same way, by a deadline long past.
func (c *wire) gaveUp(err error) {
	c.mu.Lock()
	slow := c.partial && c.deadline.Unix() > 1
	c.mu.Unlock()
	if slow && errors.Is(err, os.ErrDeadlineExceeded) {
		tell(c.observe, refusal(problemSlow))
	}
}

func (c *wire) hurryLocked() error {
	if !c.partial {
		return c.Conn.SetReadDeadline(c.deadline)
	}
	limit := c.deadline
	if soon := time.Now().Add(headTimeout); limit.After(soon) {
		limit = soon
	}
	return c.Conn.SetReadDeadline(limit)
}

// SetReadDeadline sets the deadline of reading. A head that has begun shortens it.
func (c *wire) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.hurryLocked()
}

// SetDeadline sets the deadlines of reading and writing.
func (c *wire) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}
