package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/internal/http1"
)

// Node is one of the decks. It is safe for concurrent use, and must be closed.
type Node struct {
	leaf.Unprinted
	options Options
	bus     *bus
	deck    Deck             // nil before Start
	now     func() time.Time // as well

	ctx  context.Context // over when the Node is closed
	stop context.CancelFunc
	runs sync.WaitGroup

	commands commands
	room     *room

	mu        sync.Mutex // guards the rest
	origin    Origin
	id        string    // of the lease
	revision  uint64    // of the lease
	until     time.Time // the lease lasts at least until then
	inbox     []*nats.Subscription
	owned     map[string]*claim    // by the name of the session; some are on their way
	elsewhere map[string]string    // sessions of other decks, as far as is known: name -> deck
	warned    map[string]string    // why sessions could not be opened, as it was told
	sent      map[*http1.Conn]sent // the last answers of connections
	trouble   string               // why this deck cannot get a lease again; empty: it can
	closed    bool
}

// member is a deck that has a lease.
type member struct {
	Facts []Fact `json:"facts"`
	At    string `json:"at,omitempty"` // where clients reach it
}

// claimed says who has a session.
type claimed struct {
	Deck    string `json:"deck"`
	Session []byte `json:"session"` // its name, sealed
}

// Join makes a deck one of those that share the servers and the key. It refuses if the others differ in
// a fact. Nothing is served before Start.
func Join(ctx context.Context, o Options) (*Node, error) {
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	if o.Limit <= 0 {
		o.Limit = proxy.DefaultLimit
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if err := CheckLease(o.Lease); err != nil {
		return nil, err
	}
	b, err := dial(ctx, &o)
	if err != nil {
		return nil, err
	}
	n := &Node{
		options: o, bus: b, room: newRoom(o.Limit),
		owned: map[string]*claim{}, elsewhere: map[string]string{}, warned: map[string]string{},
		sent: map[*http1.Conn]sent{},
	}
	n.ctx, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := n.join(ctx); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// join takes a lease, and looks at the other decks: of two that join at once, each sees the other.
func (n *Node) join(ctx context.Context) error {
	if err := n.takeLease(ctx, ""); err != nil {
		return fmt.Errorf("taking a lease: %w", err)
	}
	keys, err := n.bus.keys(ctx, n.bus.leases)
	if err != nil {
		return fmt.Errorf("looking for the other decks: %w", err)
	}
	for _, key := range keys {
		if key == n.id {
			continue
		}
		other, err := n.member(ctx, key)
		if err != nil || other == nil {
			continue // it has gone meanwhile
		}
		if err := differ(n.options.Facts, other.Facts); err != nil {
			return err
		}
	}
	n.origin, err = n.decide(ctx, n.firstOrigin())
	return err
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

// Start has a deck serve.
func (n *Node) Start(ctx context.Context, s Start) error {
	n.deck, n.now = s.Deck, s.Now
	if err := n.obeyOthers(ctx); err != nil {
		return fmt.Errorf("reading what was said to the other decks: %w", err)
	}
	if err := n.takeLease(ctx, s.At); err != nil {
		return fmt.Errorf("taking a lease: %w", err)
	}
	n.runs.Go(func() { n.renew(s.At) })
	n.runs.Go(n.inherit)
	return nil
}

// takeLease takes a lease under a new name, and listens under that name.
func (n *Node) takeLease(ctx context.Context, at string) error {
	id := "deck." + nuid.Next()
	value, err := n.bus.close(id, member{Facts: n.options.Facts, At: at})
	if err != nil {
		return err
	}
	subscribed, err := n.listen(id)
	if err != nil {
		return err
	}
	begun := time.Now()
	revision, err := n.bus.leases.Create(ctx, id, value)
	if err != nil {
		return errors.Join(err, unsubscribe(subscribed))
	}
	n.mu.Lock()
	before, old := n.inbox, n.id
	n.id, n.revision, n.inbox, n.until = id, revision, subscribed, begun.Add(n.trusted())
	n.mu.Unlock()
	if old != "" {
		_ = n.bus.leases.Delete(ctx, old) // it expires
	}
	return unsubscribe(before)
}

// trusted is how long a lease is trusted from when it was asked for: a part of its length is left for
// clocks that run apart.
func (n *Node) trusted() time.Duration { return n.options.Lease * 9 / 10 }

// listen listens to the other decks.
func (n *Node) listen(id string) ([]*nats.Subscription, error) {
	asked, err := n.bus.conn.Subscribe(n.bus.prefix+".ask."+id, func(m *nats.Msg) { go n.answerDeck(m) })
	if err != nil {
		return nil, err
	}
	got, err := n.bus.conn.Subscribe(n.bus.prefix+".got."+id, n.receive)
	if err != nil {
		return nil, errors.Join(err, asked.Unsubscribe())
	}
	inquired, err := n.bus.conn.Subscribe(n.inquirySubject(id), func(m *nats.Msg) { go n.answerInquiry(m) })
	if err != nil {
		return nil, errors.Join(err, unsubscribe([]*nats.Subscription{asked, got}))
	}
	return []*nats.Subscription{asked, got, inquired}, nil
}

func unsubscribe(all []*nats.Subscription) error {
	for _, s := range all {
		_ = s.Unsubscribe() // a connection that is gone has none
	}
	return nil
}

// renew renews the lease until the Node is closed.
func (n *Node) renew(at string) {
	every := time.NewTicker(n.options.Lease / 5)
	defer every.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-every.C:
		}
		ctx, cancel := context.WithTimeout(n.ctx, n.options.Lease/3)
		held := n.renewOnce(ctx, at)
		cancel()
		ctx, cancel = context.WithTimeout(n.ctx, n.options.Lease/3) // the other may be used up
		if !held && n.ctx.Err() == nil {
			n.lapse()
			if n.bus.connected() && n.regain(ctx) && n.takeLease(ctx, at) == nil {
				n.options.Warn("the lease of this deck was lost: its sessions go on at other decks")
			}
		}
		n.renewClaims(ctx)
		cancel()
	}
}

// Trouble tells why this deck cannot answer until people do something; empty if it can.
func (n *Node) Trouble() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.trouble
}

// renewClaims renews the claims that have not been renewed for a part of their age.
func (n *Node) renewClaims(ctx context.Context) {
	for _, c := range n.claims() {
		if ctx.Err() != nil || !n.leased() {
			return
		}
		c.renew(ctx)
	}
}

// renewOnce renews the lease once, and reports whether the deck has one.
func (n *Node) renewOnce(ctx context.Context, at string) bool {
	n.mu.Lock()
	id, revision := n.id, n.revision
	n.mu.Unlock()
	begun := time.Now()
	value, err := n.bus.close(id, member{Facts: n.options.Facts, At: at})
	if err != nil {
		return n.leased()
	}
	revision, err = n.bus.leases.Update(ctx, id, value, revision)
	if wrongSequence(err) {
		// A renewal before, of which nobody has heard, may have come to NATS.
		found, got := n.bus.leases.Get(ctx, id)
		if errors.Is(got, jetstream.ErrKeyNotFound) {
			return false
		}
		if got == nil {
			n.mu.Lock()
			n.revision = found.Revision()
			n.mu.Unlock()
		}
		return n.leased()
	}
	if err != nil {
		return n.leased()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.revision, n.until = revision, begun.Add(n.trusted())
	return true
}

// leased reports whether the deck has a lease for certain.
func (n *Node) leased() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Before(n.until)
}

// lapse forgets all sessions: they may be another deck's by now.
func (n *Node) lapse() {
	n.mu.Lock()
	n.until = time.Time{}
	lost := make([]*claim, 0, len(n.owned))
	for _, c := range n.owned {
		lost = append(lost, c)
	}
	n.mu.Unlock()
	for _, c := range lost {
		c.lose()
	}
}

// member returns a deck by its id; nil if it has no lease any more.
func (n *Node) member(ctx context.Context, id string) (*member, error) {
	found, err := n.bus.leases.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &member{}
	return m, n.bus.open(id, found.Value(), m)
}

// Close gives all sessions back, so that other decks need not wait for the end of the lease.
func (n *Node) Close() error {
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return nil
	}
	n.closed = true
	var all []*claim
	for _, c := range n.owned {
		all = append(all, c)
	}
	id, inbox := n.id, n.inbox
	n.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), n.options.Lease)
	defer cancel()
	if n.bus.connected() {
		for _, c := range all {
			c.giveBack(ctx)
		}
	}
	n.stop()
	for _, c := range all {
		c.lose()
	}
	n.runs.Wait()
	_ = unsubscribe(inbox)
	if id != "" && n.bus.connected() {
		_ = n.bus.leases.Delete(ctx, id) // it expires
	}
	n.bus.conn.Close()
	return nil
}
