package http1

import (
	"errors"
	"os"
	"time"
)

// quickAnswer is how long a handler may take before the connection is read behind its request.
const quickAnswer = 5 * time.Millisecond

// readDeadline is what a connection knows of deadlines. net/http sets six of them for each request,
// and each of them costs a timer of the poller. So a deadline goes to the connection below only if
// a read there is under way, or with the next read that begins.
type readDeadline struct {
	set     time.Time // by net/http; zero for none
	applied time.Time // that of the connection below
	reading bool      // a read of the connection below is under way
	// partial is until when a head must be whole that has begun to come; zero for none.
	partial time.Time
	// changed is told of each new deadline by a token, while somebody waits for one.
	changed chan struct{}
	waiting bool
	long    *time.Timer // of whoever waits
}

// wanted returns the deadline that is in force. While a request is being handled net/http sets
// none, and there is none for the head behind it.
func (d *readDeadline) wanted() time.Time {
	if !d.partial.IsZero() && d.set.After(d.partial) {
		return d.partial
	}
	return d.set
}

// cancels reports whether net/http has ended its reading ahead. It does that by a deadline long past.
func (d *readDeadline) cancels() bool { return !d.set.IsZero() && d.set.Unix() <= 1 }

// receive reads from the connection below.
func (c *Conn) receive(p []byte) (int, error) {
	if err := c.begin(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline.reading = false
	return n, err
}

func (c *Conn) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.applyDeadlineLocked(); err != nil {
		return err
	}
	c.deadline.reading = true
	return nil
}

// receiveHead is receive for a head, of which something may be there. From its first byte on a head
// has ten seconds, even on a connection that may be idle for longer.
func (c *Conn) receiveHead(p []byte, partial bool) (int, error) {
	c.setPartial(partial)
	n, err := c.receive(p)
	if n == 0 && err != nil {
		c.tellSlow(err)
	}
	return n, err
}

// setPartial notes whether a head has begun to come.
func (c *Conn) setPartial(partial bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch d := &c.deadline; {
	case !partial:
		d.partial = time.Time{}
	case d.partial.IsZero():
		d.partial = time.Now().Add(HeadTimeout)
	}
}

// tellSlow tells of a head that did not come to its end in time.
func (c *Conn) tellSlow(err error) {
	c.mu.Lock()
	slow := !c.deadline.partial.IsZero() && !c.deadline.cancels()
	c.mu.Unlock()
	if slow && errors.Is(err, os.ErrDeadlineExceeded) {
		c.refused.tell(problemSlow)
	}
}

// handledSoon waits until the request under way has been answered, and returns false if that takes
// long. net/http reads one byte behind each request while the request is handled, to learn whether the
// client has left. Most answers are there before such a read would have begun in earnest: then it
// has cost two calls of the system and two timers for nothing.
func (c *Conn) handledSoon() bool {
	c.mu.Lock()
	d := &c.deadline
	if d.cancels() {
		c.mu.Unlock()
		return true
	}
	d.waitLocked()
	c.mu.Unlock()
	select {
	case <-d.changed:
	case <-d.long.C:
	}
	d.long.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	d.waiting = false
	return d.cancels()
}

// waitLocked begins to wait for a deadline. One goroutine at a time waits.
func (d *readDeadline) waitLocked() {
	d.waiting = true
	if d.changed == nil {
		d.changed, d.long = make(chan struct{}, 1), time.NewTimer(quickAnswer)
		return
	}
	select {
	case <-d.changed: // a token that came when nobody waited any more
	default:
	}
	d.long.Reset(quickAnswer)
}

func (c *Conn) applyDeadlineLocked() error {
	d := &c.deadline
	at := d.wanted()
	if at.Equal(d.applied) {
		return nil
	}
	d.applied = at
	return c.Conn.SetReadDeadline(at)
}

// SetReadDeadline sets the deadline of reading. A head that has begun to come shortens it.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := &c.deadline
	d.set = t
	if d.waiting {
		select {
		case d.changed <- struct{}{}:
		default: // a token waits
		}
	}
	if !d.reading {
		return nil
	}
	return c.applyDeadlineLocked()
}

// SetDeadline sets the deadlines of reading and writing.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}
