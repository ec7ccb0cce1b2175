package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// open makes the session what the log says, and begins to write the log.
// progress is called while the log is served again.
func (c *claim) open(ctx context.Context, progress func()) error {
	for {
		if err := c.read(ctx, progress); err != nil {
			return err
		}
		e := entry{N: c.count + 1, At: c.clock(), Opened: c.node.name()}
		if c.session == nil {
			e.Anew, e.Generation, e.Commands = true, c.node.generation(), c.node.commands.last()
		}
		m, err := c.node.bus.message(ctx, c.subject, c.subject, []entry{e})
		if err != nil {
			return err
		}
		sequence, err := c.node.bus.append(ctx, m, nuid.Next(), c.sequence)
		if errors.Is(err, errFenced) {
			continue // the deck that had the session has appended something meanwhile
		}
		if err != nil {
			return err
		}
		if e.Anew && c.count > 0 {
			c.node.options.Warn(fmt.Sprintf("the log of session %q has lost its beginning: the session "+
				"begins anew", c.name))
		}
		c.sequence = sequence
		c.apply(&e)
		break
	}
	c.used = time.Now()
	c.node.runs.Go(c.write)
	c.obey() // what was said meanwhile
	c.session.Resume()
	return nil
}

// read serves again what the log has behind what was read before. Entries whose beginning has expired
// are not served: they may mean something else in a session that lacks what was before them.
func (c *claim) read(ctx context.Context, progress func()) error {
	var err error
	bus, began, stale := c.node.bus, uint64(0), []string(nil)
	c.sequence, err = bus.each(ctx, bus.log, c.subject, c.sequence, func(m *nats.Msg, at uint64) error {
		progress()
		var entries []entry
		err := bus.read(ctx, m, c.subject, false, &entries)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			c.drop() // objects expire a moment before what names them
			return nil
		}
		if err != nil {
			return err
		}
		for i := range entries {
			if err := c.node.know(ctx, entries[i].Commands); err != nil {
				return err
			}
			if entries[i].N != c.count+1 {
				c.drop()
			}
			c.apply(&entries[i])
			if entries[i].Anew && entries[i].N > 1 {
				began, stale, c.objects = at, append(stale, c.objects...), nil
			}
		}
		if name := m.Header.Get(objectHeader); name != "" {
			c.objects = append(c.objects, name)
		}
		return ctx.Err()
	})
	if began > 0 {
		c.shorten(began, stale)
	}
	return err
}

// shorten drops what the log has before a message in which the session begins anew, and the objects of
// that. What is left of it by a deck that has died meanwhile, the next owner drops.
func (c *claim) shorten(began uint64, objects []string) {
	bus := c.node.bus
	c.node.runs.Go(func() {
		ctx, cancel := context.WithTimeout(c.node.ctx, longestAppend)
		defer cancel()
		// What cannot be dropped now expires.
		_ = bus.log.Purge(ctx, jetstream.WithPurgeSubject(c.subject), jetstream.WithPurgeSequence(began))
		for _, name := range objects {
			_ = bus.large.Delete(ctx, name)
		}
	})
}

// drop forgets the session up to here: it goes on where an entry begins it anew.
func (c *claim) drop() {
	if c.session != nil {
		c.session.Close()
	}
	c.session, c.commands = nil, 0
	c.answers, c.delivered, c.broken = answers{}, nil, nil
}

// clock returns what the clock shows. It never runs backwards: another deck's may have been ahead.
func (c *claim) clock() time.Time {
	if now := c.node.now(); now.After(c.last) {
		return now
	}
	return c.last
}

// apply does again what an entry tells. The lock is held, or nobody else has the claim yet.
func (c *claim) apply(e *entry) {
	c.count, c.last = e.N, e.At
	if e.Anew {
		c.drop()
		c.session, c.generation = c.node.deck.Open(c.name, e.Generation), e.Generation
	}
	if c.session == nil {
		return
	}
	c.deliver(e)
	switch {
	case e.Request != nil:
		r := &Request{requestFields: *e.Request}
		c.keep(r.ID, &served{Served: c.play(r, e.At, true), logged: closed})
	case e.Begun != "":
		c.session.Begun(e.Begun)
	case e.Advance:
		c.contain(func() { c.session.Advance(e.At, true) })
	}
	c.command(e.Commands)
	if len(e.Remains) > 0 && c.session.Recall(e.Remains) != nil {
		c.node.options.Warn("what a reset has left of a session cannot be read: its ids may be given again")
	}
}

// play has the session serve. A request that ends in a defect of ours has its connection closed, as a
// deck alone has it, now and whenever the log is served again.
func (c *claim) play(r *Request, at time.Time, again bool) *Served {
	made := &Served{Answer: &Answer{answerFields: answerFields{End: EndCut}}}
	c.contain(func() { made = c.session.Serve(r, at, again) })
	return made
}

// contain keeps a defect from the other sessions. What panicked is not repeated: it may hold traffic.
func (c *claim) contain(f func()) {
	defer func() {
		if recover() != nil {
			c.node.options.Warn("a request was not served because of a defect of paytape")
		}
	}()
	f()
}

// closed is a channel that was closed.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// deliver tells the session which answers have got to their clients. Those that came to another end are
// asked for no more either.
func (c *claim) deliver(e *entry) {
	for _, id := range e.Delivered {
		if s := c.answers.take(id); s != nil {
			if s.Delivered != nil {
				s.Delivered()
			}
			c.finished.add(id)
		}
	}
	for _, id := range e.Broken {
		if c.answers.take(id) != nil {
			c.finished.add(id)
		}
	}
}

// keep keeps an answer until its receipt is in the log. The oldest are dropped if there are too many:
// that depends on the log alone, so a new owner has dropped the same, and neither serves them again.
func (c *claim) keep(id string, s *served) {
	for _, old := range c.answers.add(id, s) {
		c.finished.add(old)
	}
}
