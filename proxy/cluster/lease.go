package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// lease is how a deck shows that it lives: a key in NATS that expires unless the deck renews it. A deck
// that has lost its lease takes another, under another name.
type lease struct {
	bus    *bus
	length time.Duration
	facts  []Fact

	mu       sync.Mutex // guards the rest
	id       string
	revision uint64
	until    time.Time // it lasts at least until then
	unlisten func()    // ends what was begun under the name; nil: nothing was
}

// member is a deck that has a lease.
type member struct {
	Facts []Fact `json:"facts"`
	At    string `json:"at,omitempty"` // where clients reach it; empty: it does not serve yet
	// Endpoint is how connections of its clients reach a deck that records.
	Endpoint string `json:"endpoint,omitempty"`
}

func newLease(b *bus, o *Options) *lease {
	return &lease{bus: b, length: o.Lease, facts: o.Facts}
}

// take takes a lease under a new name, for a deck that says of itself what is in m. listen begins to
// listen under that name before anybody can know it; nil: nobody does.
func (l *lease) take(ctx context.Context, m member, listen func(id string) (stop func(), err error)) error {
	id := deckPrefix + nuid.Next()
	m.Facts = l.facts
	value, err := l.bus.close(id, m)
	if err != nil {
		return err
	}
	stop := func() {}
	if listen != nil {
		if stop, err = listen(id); err != nil {
			return err
		}
	}
	begun := time.Now()
	revision, err := l.bus.leases.Create(ctx, id, value)
	if err != nil {
		stop()
		return err
	}
	l.mu.Lock()
	before, old := l.unlisten, l.id
	l.id, l.revision, l.unlisten, l.until = id, revision, stop, begun.Add(l.trusted())
	l.mu.Unlock()
	if old != "" {
		_ = l.bus.leases.Delete(ctx, old) // it expires
		before()
	}
	return nil
}

// trusted is how long a lease is trusted from when it was asked for: a part of its length is left for
// clocks that run apart.
func (l *lease) trusted() time.Duration { return l.length * 9 / 10 }

// renewOnce renews the lease once, and reports whether the deck has one.
func (l *lease) renewOnce(ctx context.Context, m member) bool {
	l.mu.Lock()
	id, revision := l.id, l.revision
	l.mu.Unlock()
	begun := time.Now()
	m.Facts = l.facts
	value, err := l.bus.close(id, m)
	if err != nil {
		return l.leased()
	}
	revision, err = l.bus.leases.Update(ctx, id, value, revision)
	if wrongSequence(err) {
		// A renewal before, of which nobody has heard, may have come to NATS.
		found, got := l.bus.leases.Get(ctx, id)
		if errors.Is(got, jetstream.ErrKeyNotFound) {
			return false
		}
		if got == nil {
			l.mu.Lock()
			l.revision = found.Revision()
			l.mu.Unlock()
		}
		return l.leased()
	}
	if err != nil {
		return l.leased()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revision, l.until = revision, begun.Add(l.trusted())
	return true
}

// leased reports whether the deck has a lease for certain.
func (l *lease) leased() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.until)
}

// name returns the id of the lease.
func (l *lease) name() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.id
}

// expire has the deck trust its lease no longer.
func (l *lease) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Time{}
}

// end gives the lease back, so that nobody waits for its end.
func (l *lease) end(ctx context.Context) {
	l.mu.Lock()
	id, unlisten := l.id, l.unlisten
	l.mu.Unlock()
	if unlisten != nil {
		unlisten()
	}
	if id != "" && l.bus.connected() {
		_ = l.bus.leases.Delete(ctx, id) // it expires
	}
}

// member returns a deck by its id; nil if it has no lease any more.
func (l *lease) member(ctx context.Context, id string) (*member, error) {
	m, _, err := l.memberAt(ctx, id)
	return m, err
}

// memberAt is member with the revision of the lease, which grows when it is renewed.
func (l *lease) memberAt(ctx context.Context, id string) (*member, uint64, error) {
	found, err := l.bus.leases.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	m := &member{}
	return m, found.Revision(), l.bus.open(id, found.Value(), m)
}

// members returns all decks that have a lease, by their ids. What others than decks have put there is none.
func (l *lease) members(ctx context.Context) (map[string]*member, error) {
	decks, err := l.bus.decks(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]*member{}
	for _, id := range decks {
		found, err := l.bus.leases.Get(ctx, id)
		if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrInvalidKey) {
			continue // it has gone, or is none
		}
		if err != nil {
			return nil, err
		}
		if m := new(member); l.bus.open(id, found.Value(), m) == nil {
			all[id] = m
		}
	}
	return all, nil
}

// compare refuses decks that differ in a fact. Of two that take leases at once, each sees the other.
func (l *lease) compare(ctx context.Context) error {
	others, err := l.members(ctx)
	if err != nil {
		return fmt.Errorf("looking for the other decks: %w", err)
	}
	for id, other := range others {
		if id == l.name() {
			continue
		}
		if err := differ(l.facts, other.Facts); err != nil {
			return err
		}
	}
	return nil
}

// differ tells in which facts two decks differ.
func differ(ours, theirs []Fact) error {
	digests, apart := map[string]string{}, []string{}
	for _, f := range theirs {
		digests[f.Name] = f.Digest
	}
	for _, f := range ours {
		if digests[f.Name] != f.Digest {
			apart = append(apart, f.Name)
		}
	}
	if len(apart) == 0 {
		return nil
	}
	return fmt.Errorf("the decks that run with this key have others: %s. All decks of one key must "+
		"answer alike: stop those, or give this one a key of its own", strings.Join(apart, ", "))
}
