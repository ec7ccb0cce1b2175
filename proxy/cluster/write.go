package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

// write appends to the log what is in the queue, until the session is lost.
func (c *claim) write() {
	for {
		select {
		case <-c.gone:
			return
		case <-c.kick:
		}
		for batch := c.next(); len(batch) > 0; batch = c.next() {
			if !c.appendAll(batch) {
				c.lose()
				return
			}
		}
	}
}

// next takes entries from the queue for one message.
func (c *claim) next() []*pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, size := 0, 0
	for n < len(c.queue) && size < batchSize {
		if r := c.queue[n].entry.Request; r != nil {
			size += len(r.Body)
		}
		n++
	}
	batch := c.queue[:n:n]
	c.queue = c.queue[n:]
	return batch
}

// longestAppend bounds how long an append is waited for before it is tried again: large bodies take long.
const longestAppend = 30 * time.Second

// appendAll appends entries as one message, and returns false if that is another deck's log now.
func (c *claim) appendAll(batch []*pending) bool {
	entries := make([]entry, len(batch))
	for i, a := range batch {
		entries[i] = a.entry
	}
	id := nuid.Next()
	var m *nats.Msg
	told, begun := false, time.Now()
	for wait := c.node.options.Lease; ; wait = min(2*wait, longestAppend) {
		ctx, cancel := context.WithTimeout(c.node.ctx, wait)
		var err error
		if m == nil {
			err = c.node.room.inTurn(ctx, sizeOf(entries), func() (err error) {
				m, err = c.node.bus.message(ctx, c.subject, c.subject, entries)
				return err
			})
		}
		sequence := uint64(0)
		if err == nil {
			sequence, err = c.node.bus.append(ctx, m, id, c.sequence)
		}
		cancel()
		switch {
		case err == nil:
			c.sequence = sequence
			c.settle(batch)
			c.noteAppended(m, batch)
			return true
		case errors.Is(err, errFenced), c.isLost(), c.node.ctx.Err() != nil:
			return false
		}
		if !told && c.node.bus.connected() && time.Since(begun) > c.node.options.Lease/2 {
			told = true // the disk of NATS is full, say
			c.node.options.Warn(fmt.Sprintf("the log of session %q cannot be written: %v", c.name, err))
		}
		if !sleep(c.node.ctx, 20*time.Millisecond) {
			return false
		}
	}
}

// sizeOf returns how many bytes the bodies of entries have.
func sizeOf(entries []entry) (n int) {
	for i := range entries {
		if r := entries[i].Request; r != nil {
			n += len(r.Body)
		}
	}
	return n
}

// noteAppended notes the object of a message that the log has, and shortens the log if the session has
// begun anew in it.
func (c *claim) noteAppended(m *nats.Msg, batch []*pending) {
	if slices.ContainsFunc(batch, func(a *pending) bool { return a.entry.Anew }) {
		c.shorten(c.sequence, c.objects)
		c.objects = nil
	}
	if name := m.Header.Get(objectHeader); name != "" {
		c.objects = append(c.objects, name)
	}
}

// settle lets those go on who wait for entries.
func (c *claim) settle(batch []*pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range batch {
		if a.write {
			c.writes--
		}
		close(a.logged)
	}
}
