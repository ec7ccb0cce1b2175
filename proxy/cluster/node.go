package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/internal/http1"
)

// Node is one of the decks. It is safe for concurrent use, and must be closed.
type Node struct {
	leaf.Unprinted
	*lease
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
	owned     map[string]*claim    // by the name of the session; some are on their way
	elsewhere map[string]string    // sessions of other decks, as far as is known: name -> deck
	warned    map[string]string    // why sessions could not be opened, as it was told
	sent      map[*http1.Conn]sent // the last answers of connections
	trouble   string               // why this deck cannot get a lease again; empty: it can
	closed    bool
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
	b, err := dial(ctx, &o, (*bus).prepareLeases, (*bus).prepareSessions)
	if err != nil {
		return nil, err
	}
	n := &Node{
		options: o, bus: b, lease: newLease(b, &o), room: newRoom(o.Limit),
		owned: map[string]*claim{}, elsewhere: map[string]string{}, warned: map[string]string{},
		sent: map[*http1.Conn]sent{},
	}
	n.ctx, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := n.join(ctx); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// join takes a lease, and looks at the other decks.
func (n *Node) join(ctx context.Context) error {
	if err := n.take(ctx, member{}, nil); err != nil { // before Start nobody could answer the others
		return fmt.Errorf("taking a lease: %w", err)
	}
	if err := n.compare(ctx); err != nil {
		return err
	}
	var err error
	n.origin, err = n.decide(ctx, n.firstOrigin())
	return err
}

// Start has a deck serve.
func (n *Node) Start(ctx context.Context, s Start) error {
	n.deck, n.now = s.Deck, s.Now
	if err := n.obeyOthers(ctx); err != nil {
		return fmt.Errorf("reading what was said to the other decks: %w", err)
	}
	if err := n.takeLease(ctx, s.At); err != nil { // one that says that this deck serves
		return fmt.Errorf("taking a lease: %w", err)
	}
	if err := n.compare(ctx); err != nil { // others have come if the lease before was over
		return err
	}
	n.runs.Go(func() { n.renew(s.At) })
	n.runs.Go(n.inherit)
	return nil
}

// takeLease takes a lease, and listens to the other decks under its name.
func (n *Node) takeLease(ctx context.Context, at string) error {
	return n.take(ctx, member{At: at}, n.listen)
}

// listen listens to the other decks.
func (n *Node) listen(id string) (stop func(), err error) {
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
		return nil, errors.Join(err, asked.Unsubscribe(), got.Unsubscribe())
	}
	return func() { // without a connection there are none
		_, _, _ = asked.Unsubscribe(), got.Unsubscribe(), inquired.Unsubscribe()
	}, nil
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
		held := n.renewOnce(ctx, member{At: at})
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

// lapse forgets all sessions: they may be another deck's by now.
func (n *Node) lapse() {
	n.expire()
	n.mu.Lock()
	lost := make([]*claim, 0, len(n.owned))
	for _, c := range n.owned {
		lost = append(lost, c)
	}
	n.mu.Unlock()
	for _, c := range lost {
		c.lose()
	}
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
	n.end(ctx)
	n.bus.conn.Close()
	return nil
}
