package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Origin returns what all decks have in common.
func (n *Node) Origin() Origin {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.origin
}

// firstOrigin returns what this deck would decide if it were the first.
func (n *Node) firstOrigin() Origin {
	now := time.Now()
	o := Origin{Seed: n.options.Seed, Began: now, Clock: n.options.Clock}
	if o.Seed == 0 {
		o.Seed = rand.Uint64() | 1
	}
	if o.Clock.IsZero() {
		o.Clock = now
	}
	return o
}

// originKey is that of the origin of decks with these facts.
func (n *Node) originKey() string { return "origin." + n.factsToken() }

// decide returns what the first deck has decided, which is o if it is this deck.
func (n *Node) decide(ctx context.Context, o Origin) (Origin, error) {
	key := n.originKey()
	data, err := n.bus.close(key, o)
	if err != nil {
		return o, err
	}
	_, err = n.bus.origins.Create(ctx, key, data)
	if err == nil {
		return o, nil
	}
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return o, fmt.Errorf("deciding on a seed: %w", err)
	}
	found, err := n.bus.origins.Get(ctx, key)
	if err != nil {
		return o, fmt.Errorf("reading the seed: %w", err)
	}
	decided := Origin{}
	return decided, n.bus.open(key, found.Value(), &decided)
}

// same reports whether two decks go by one origin.
func (o Origin) same(p Origin) bool {
	return o.Seed == p.Seed && o.Began.Equal(p.Began) && o.Lost == p.Lost
}

// generation returns that of a session that begins now. Entries last for an age, so a session whose log
// has lost its beginning has another generation than before, even if nothing is left of the log. So has
// a session that NATS has lost.
func (n *Node) generation() uint64 {
	const ages = 1 << 32 // more than there will be
	o := n.Origin()
	return uint64(max(0, time.Since(o.Began))/logAge) + ages*o.Lost
}

// lostStorage is what is wrong if NATS has lost its disk: sessions and commands of the decks are gone.
const lostStorage = "NATS has lost what it kept for these decks, which begin anew"

// forgotten reports whether NATS has lost what the decks have in common.
func (n *Node) forgotten(ctx context.Context) bool {
	lost := false
	bucket, err := n.bus.js.KeyValue(ctx, n.bus.origins.Bucket()) // a Get without a bucket has no answer
	if err == nil {
		var o Origin
		var found jetstream.KeyValueEntry
		if found, err = bucket.Get(ctx, n.originKey()); err == nil {
			lost = n.bus.open(n.originKey(), found.Value(), &o) != nil || !o.same(n.Origin())
		}
	}
	lost = lost || errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrBucketNotFound)
	n.mu.Lock()
	told := n.trouble != ""
	n.trouble = ""
	if lost {
		n.trouble = lostStorage
	}
	n.mu.Unlock()
	if lost && !told {
		n.options.Warn(lostStorage)
	}
	return lost
}

// regain makes again what NATS has lost, if it has, and reports whether the deck can go on. This deck has
// no lease and no session meanwhile. All decks come to the same origin, whoever is the first: that of
// before, with one more loss, so that sessions begin in a generation of their own; or that of a deck
// which was started since and knows of no loss.
func (n *Node) regain(ctx context.Context) bool {
	if !n.forgotten(ctx) {
		return true
	}
	if n.bus.makeAgain(ctx, &n.options, (*bus).prepareLeases, (*bus).prepareSessions) != nil {
		return false // it is tried again
	}
	o := n.Origin()
	o.Lost++
	decided, err := n.decide(ctx, o)
	if err != nil {
		return false
	}
	n.commands.forget(n.deck.Forget)
	n.mu.Lock()
	n.origin, n.trouble = decided, ""
	clear(n.elsewhere)
	n.mu.Unlock()
	const all = ^uint64(0)
	if n.readCommands(ctx, all) == nil {
		n.options.Warn("the decks have begun anew: sessions, and rules that no file has, are forgotten")
	}
	return true
}
