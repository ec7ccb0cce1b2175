package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// inherit takes over, until the Node is closed, the sessions of decks that have gone: a shop may wait for
// a callback of a session in which nobody asks for anything any more. Sessions that a deck has given back
// wait for nothing, and stay in their logs until somebody asks.
func (n *Node) inherit() {
	look := time.NewTicker(n.options.Lease)
	defer look.Stop()
	before := map[string]bool{"": true} // some deck may have gone before this one started
	for {
		ctx, cancel := context.WithTimeout(n.ctx, n.patience())
		if alive, err := n.decksAlive(ctx); err == nil {
			done := true
			for deck := range before {
				if !alive[deck] {
					done = n.takeOrphans(ctx, alive)
					break
				}
			}
			if done {
				before = alive
			}
		}
		cancel()
		select {
		case <-n.ctx.Done():
			return
		case <-look.C:
		}
	}
}

// decksAlive returns the decks that have a lease.
func (n *Node) decksAlive(ctx context.Context) (map[string]bool, error) {
	decks, err := n.members(ctx)
	alive := map[string]bool{}
	for id := range decks {
		alive[id] = true
	}
	return alive, err
}

// takeOrphans claims the sessions whose decks have no lease. It returns false if it has to be done again.
// All decks that are left do it, each in an order of its own, so that the sessions spread.
func (n *Node) takeOrphans(ctx context.Context, alive map[string]bool) bool {
	keys, err := n.bus.claimed(ctx)
	if err != nil {
		return false
	}
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys {
		found, err := n.bus.claims.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue // it was given back
		}
		if err != nil {
			return false
		}
		c, name := decodeClaim(found.Value()), ""
		if alive[c.Deck] || !strings.HasPrefix(key, "session.") || n.bus.open(key, c.Session, &name) != nil ||
			key != "session."+n.logOf(name) {
			continue
		}
		n.forget(name, c.Deck)
		_, _, _ = n.find(ctx, name) // what cannot be opened is told
	}
	return ctx.Err() == nil && n.bus.connected()
}
