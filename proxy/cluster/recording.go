package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nuid"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/cluster/natsconn"
)

// RecordingOptions say which decks record a cassette together.
type RecordingOptions struct {
	Options
	// Name is that of the cassette.
	Name string
	// At is where clients reach this deck; others show that to people.
	At string
	// Open has this deck record: it takes the lock of the cassette. ErrLocked says that somebody else
	// has it still: Open is called again.
	Open func(ctx context.Context, r *Recording) (Opened, error)
	// Locked reports whether somebody has the lock of the cassette in the folder of this deck.
	Locked func() (bool, error)
}

// Opened is a recording that this deck has.
type Opened interface {
	// Take takes a connection that has come in at an address of this deck, or of another. It returns false
	// if the recording takes none any more.
	Take(address string, conn net.Conn) bool
	// Done is closed when the recording has ended by itself.
	Done() <-chan struct{}
	// Close lets requests end, folds what was recorded and lets go of the lock.
	Close()
}

// Why a connection does not get to the owner, or a deck does not belong to the others.
var (
	// ErrLocked is returned by RecordingOptions.Open.
	ErrLocked = errors.New("the cassette is being recorded by another process")
	// ErrUnreachable says that NATS cannot be reached.
	ErrUnreachable = errors.New("NATS, which leads to the deck that records, cannot be reached")
	// ErrNoOwner says that no deck records in time.
	ErrNoOwner = errors.New("no deck has opened the recording in time")
	// ErrOtherFolder says that the owner records in another folder.
	ErrOtherFolder = errors.New("the deck that records has another folder: nobody has the lock of the " +
		"cassette in this one. Decks that record together need one folder, on a shared volume with flock")
)

// Recording is a cassette that several decks record together, as one of them sees it. One of the decks is
// the owner: it has the lock of the cassette and the journal, and it asks the sandbox. A Recording is
// safe for concurrent use, and must be closed.
type Recording struct {
	leaf.Unprinted
	*lease
	options  RecordingOptions
	self     member
	endpoint *natsconn.Endpoint

	ctx    context.Context // over when no more is recorded here
	stop   context.CancelFunc
	owning sync.WaitGroup
	lives  context.Context // over when the lease is needed no more
	die    context.CancelFunc
	renews sync.WaitGroup
	once   sync.Once     // of Close
	look   chan struct{} // of one place: the owner may have changed
	ended  chan struct{} // closed when the recording has ended by itself

	mu      sync.Mutex // guards the rest
	changed chan struct{}
	here    Opened // nil: another deck is the owner, or none
	owner   string // the endpoint of another deck; empty: none is known
	open    error  // why this deck could not record when it was to; nil: it could, or was not
	folder  folderCheck
}

// JoinRecording makes a deck one of those that record a cassette together. It returns when the recording is
// open at one of them, and refuses a deck that differs from the others or has another folder.
func JoinRecording(ctx context.Context, o RecordingOptions) (*Recording, error) {
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if err := CheckLease(o.Lease); err != nil {
		return nil, err
	}
	b, err := dial(ctx, &o.Options, (*bus).prepareLeases, (*bus).prepareRecordings)
	if err != nil {
		return nil, err
	}
	r := &Recording{
		lease: newLease(b, &o.Options), options: o, self: member{At: o.At, Endpoint: nuid.Next()},
		look: make(chan struct{}, 1), ended: make(chan struct{}), changed: make(chan struct{}),
	}
	r.ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.lives, r.die = context.WithCancel(context.WithoutCancel(ctx))
	if err := r.join(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// join takes a lease, looks at the other decks, and waits until one of them records.
func (r *Recording) join(ctx context.Context) error {
	var err error
	r.endpoint, err = natsconn.Open(natsconn.Options{
		Messages: natsconn.OverNATS(r.bus.conn), Prefix: r.bus.prefix + ".connection",
		Name: r.self.Endpoint, Key: r.bus.connections, Silence: r.length, Take: r.takeFrom,
	})
	if err != nil {
		return fmt.Errorf("listening to the other decks: %w", err)
	}
	if err := r.take(ctx, r.self, nil); err != nil {
		return fmt.Errorf("taking a lease: %w", err)
	}
	if err := r.compare(ctx); err != nil {
		return err
	}
	r.renews.Go(r.renew)
	r.owning.Go(r.run)
	limit := time.NewTimer(r.patience())
	defer limit.Stop()
	for {
		r.mu.Lock()
		changed, err := r.changed, cmp.Or(r.folder.err, r.open)
		ready := r.here != nil || r.owner != "" && r.folder.same
		r.mu.Unlock()
		switch {
		case ready:
			return nil
		case err != nil && !errors.Is(err, ErrLocked):
			return err
		}
		select {
		case <-changed:
		case <-limit.C:
			return r.Why()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// patience is how long a connection waits for an owner: the lease of an owner that has died, and that of
// one which has taken over and has died too.
func (r *Recording) patience() time.Duration { return patience(r.length) }

// Done returns a channel that is closed when the recording has ended by itself, at this deck.
func (r *Recording) Done() <-chan struct{} { return r.ended }

// takeFrom takes a connection that has come in at another deck.
func (r *Recording) takeFrom(c *natsconn.Conn) bool {
	r.mu.Lock()
	here := r.here
	r.mu.Unlock()
	return here != nil && here.Take(c.Address(), c)
}

// dialAgain is the pause before an owner is looked for again.
const dialAgain = 20 * time.Millisecond

// Lead leads a connection that has come in at an address of this deck to the owner, and returns when the
// owner has it, here, or when it has ended, at another deck. An error says why it has no owner; the
// connection is open then, and nothing was read of it.
func (r *Recording) Lead(address string, conn net.Conn) error {
	ctx, cancel := context.WithTimeout(r.ctx, r.patience())
	defer cancel()
	head := natsconn.Head{
		Address: address, Remote: conn.RemoteAddr().String(), Local: conn.LocalAddr().String(),
	}
	for {
		r.mu.Lock()
		here, owner, changed := r.here, r.owner, r.changed
		r.mu.Unlock()
		switch {
		case here != nil:
			if here.Take(address, conn) {
				return nil
			}
		case owner != "":
			if far := r.dial(ctx, owner, head); far != nil {
				natsconn.Splice(conn, far)
				return nil
			}
			r.lookAgain()
		}
		select {
		case <-ctx.Done():
			return r.Why()
		case <-changed:
		case <-time.After(dialAgain):
		}
	}
}

// dial connects to the owner; nil if it cannot be reached, or is the owner no longer.
func (r *Recording) dial(ctx context.Context, owner string, head natsconn.Head) *natsconn.Conn {
	ctx, cancel := context.WithTimeout(ctx, r.length)
	defer cancel()
	far, err := r.endpoint.Dial(ctx, owner, head)
	if err != nil {
		return nil
	}
	return far
}

// lookAgain has run see who the owner is.
func (r *Recording) lookAgain() {
	select {
	case r.look <- struct{}{}:
	default:
	}
}

// Why says why there is no owner, or none can be reached.
func (r *Recording) Why() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.bus.connected():
		return ErrUnreachable
	case r.open != nil:
		return fmt.Errorf("%w: %w", ErrNoOwner, r.open)
	}
	return ErrNoOwner
}

// set changes what is known of the owner, and has those who wait for it look.
func (r *Recording) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	close(r.changed)
	r.changed = make(chan struct{})
}

// renew renews the lease until the deck has stopped.
func (r *Recording) renew() {
	every := time.NewTicker(r.length / 5)
	defer every.Stop()
	for {
		select {
		case <-r.lives.Done():
			return
		case <-every.C:
		}
		ctx, cancel := context.WithTimeout(r.lives, r.length/3)
		held := r.renewOnce(ctx, r.self)
		cancel()
		if held || r.lives.Err() != nil {
			continue
		}
		r.expire()
		if !r.bus.connected() {
			continue
		}
		ctx, cancel = context.WithTimeout(r.lives, r.length/3)
		// NATS may have come back without its disk. It had nothing of the recording; taking a lease tells.
		_ = r.bus.makeAgain(ctx, &r.options.Options, (*bus).prepareLeases, (*bus).prepareRecordings)
		if r.take(ctx, r.self, nil) == nil {
			r.options.Warn("the lease of this deck was lost: if it has recorded, another deck goes on")
		}
		cancel()
	}
}

// drainTime is how long connections of clients have, when a deck stops that is not the owner, until they
// are cut.
const drainTime = 10 * time.Second

// Close has another deck go on: what this one has recorded is folded first. Requests under way get ten
// seconds.
func (r *Recording) Close() {
	r.once.Do(r.close)
}

func (r *Recording) close() {
	r.stop()
	r.owning.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if r.endpoint != nil {
		r.endpoint.Drain(ctx)
		_ = r.endpoint.Close()
	}
	r.die()
	r.renews.Wait()
	ctx, cancel = context.WithTimeout(context.Background(), r.length)
	defer cancel()
	r.end(ctx)
	r.bus.conn.Close()
}

// Status tells which decks there are, and which of them records. Without NATS it tells what this deck
// knows.
func (r *Recording) Status(ctx context.Context) Status {
	s := Status{Deck: r.name(), Connected: r.bus.connected()}
	ctx, cancel := context.WithTimeout(ctx, r.length)
	defer cancel()
	r.mu.Lock()
	here := r.here != nil
	r.mu.Unlock()
	decks, err := r.members(ctx)
	if !s.Connected || err != nil {
		decks = map[string]*member{}
	}
	decks[s.Deck] = &r.self
	owner := s.Deck
	if c, err := r.findClaim(ctx); err == nil && c.deck != nil && c.Open {
		here, owner, decks[c.Deck] = true, c.Deck, c.deck
	}
	s.addDecks(decks)
	if here {
		s.Sessions = []SessionStatus{{r.options.Name, owner, decks[owner].At, owner == s.Deck}}
	}
	s.sort()
	return s
}
