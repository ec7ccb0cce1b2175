package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// find returns the session at this deck, or the deck that has it.
func (n *Node) find(ctx context.Context, name string) (here *claim, owner string, err error) {
	n.mu.Lock()
	if n.trouble != "" {
		n.mu.Unlock()
		return nil, "", errForgotten
	}
	if owner := n.elsewhere[name]; owner != "" {
		n.mu.Unlock()
		return nil, owner, nil
	}
	c, found := n.owned[name]
	if !found {
		if n.closed || !n.bus.connected() || !n.leased() {
			n.mu.Unlock()
			return nil, "", errNATS
		}
		c = n.newClaim(name)
		n.owned[name] = c
		n.runs.Go(func() { n.acquire(c) })
	}
	n.mu.Unlock()
	select {
	case <-c.ready:
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	if c.err != nil || c.deck != "" {
		return nil, c.deck, c.err
	}
	return c, "", nil
}

// forget forgets where a session is.
func (n *Node) forget(name, owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.elsewhere[name] == owner {
		delete(n.elsewhere, name)
	}
}

// mostElsewhere bounds what is remembered of the sessions of other decks.
const mostElsewhere = 100_000

// acquire finds out who has a session, or makes it this deck's.
func (n *Node) acquire(c *claim) {
	ctx, cancel := context.WithCancel(n.ctx)
	defer cancel()
	// A long log takes longer than a client waits: it may as long as it goes on.
	watch := time.AfterFunc(n.patience(), cancel)
	defer watch.Stop()
	c.deck, c.err = n.claim(ctx, c)
	if c.err == nil && c.deck == "" {
		c.err = c.open(ctx, func() { watch.Reset(n.patience()) })
		if c.err != nil && !c.isLost() {
			n.release(n.ctx, c)
		}
	}
	n.tellCause(c)
	n.mu.Lock()
	if c.err != nil || c.deck != "" {
		if n.owned[c.name] == c {
			delete(n.owned, c.name)
		}
		if c.deck != "" {
			if len(n.elsewhere) >= mostElsewhere {
				clear(n.elsewhere)
			}
			n.elsewhere[c.name] = c.deck
		}
	}
	n.mu.Unlock()
	close(c.ready)
	if c.isLost() {
		c.lose() // while it was opened
	}
	n.shrink()
}

// tellCause warns of why a session cannot be opened, once for each cause.
func (n *Node) tellCause(c *claim) {
	n.mu.Lock()
	before := n.warned[c.name]
	switch {
	case c.err == nil || n.ctx.Err() != nil || !n.bus.connected():
		delete(n.warned, c.name)
		n.mu.Unlock()
		return
	case len(n.warned) >= mostElsewhere:
		clear(n.warned)
	}
	n.warned[c.name] = c.err.Error()
	n.mu.Unlock()
	if before != c.err.Error() {
		n.options.Warn(fmt.Sprintf("session %q cannot be opened: %v", c.name, c.err))
	}
}

// claim claims a session, unless a deck with a lease has it: then it returns that deck.
func (n *Node) claim(ctx context.Context, c *claim) (owner string, err error) {
	key := c.key()
	for ctx.Err() == nil {
		id := n.name()
		mine, err := c.value()
		if err != nil {
			return "", err
		}
		found, err := n.bus.claims.Get(ctx, key)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			c.revision, err = n.bus.claims.Create(ctx, key, mine)
		case err != nil:
			return "", err
		default:
			has := decodeClaim(found.Value()).Deck
			if has != id {
				m, err := n.member(ctx, has)
				if err != nil {
					return "", err
				}
				if m != nil {
					return has, nil
				}
			}
			c.revision, err = n.bus.claims.Update(ctx, key, mine, found.Revision())
		}
		if err == nil {
			c.renewed = time.Now()
			return "", nil
		}
		if !wrongSequence(err) {
			return "", err
		}
	}
	return "", ctx.Err()
}

// release lets any deck claim a session.
func (n *Node) release(ctx context.Context, c *claim) {
	c.holding.Lock()
	defer c.holding.Unlock()
	_ = n.bus.claims.Delete(ctx, c.key(), jetstream.LastRevision(c.revision)) // the lease ends some day
}

// maxOwned is how many sessions a deck keeps. Others stay in their logs, and are served again from
// there when somebody asks.
const maxOwned = 256

// shrink gives back the session that was used least recently, if there are too many.
func (n *Node) shrink() {
	n.mu.Lock()
	var all []*claim
	for _, c := range n.owned {
		all = append(all, c)
	}
	n.mu.Unlock()
	if len(all) <= maxOwned {
		return
	}
	var oldest *claim
	var since time.Time
	for _, c := range all {
		if !isClosed(c.ready) || c.err != nil || c.deck != "" {
			continue
		}
		c.mu.Lock()
		idle := !c.isLost() && len(c.queue) == 0 && c.session.Idle()
		used := c.used
		c.mu.Unlock()
		if idle && (oldest == nil || used.Before(since)) {
			oldest, since = c, used
		}
	}
	if oldest != nil {
		ctx, cancel := context.WithTimeout(n.ctx, n.options.Lease)
		defer cancel()
		oldest.giveBack(ctx)
	}
}
