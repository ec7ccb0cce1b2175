package cluster

import (
	"context"
	"errors"
	"sync"
	"time"
)

// claim is a session that this deck has, or is about to have.
type claim struct {
	node    *Node
	name    string
	subject string // of its log
	// ready is closed when the session can serve, or err says why it cannot; nobody reads err or deck
	// before.
	ready chan struct{}
	err   error
	deck  string // the deck that has the session; empty: this one

	holding  sync.Mutex // guards revision and renewed once the claim is ready
	revision uint64     // of the claim in NATS
	renewed  time.Time  // when that was made

	gone chan struct{} // closed when the session is this deck's no longer
	once sync.Once     // of gone
	kick chan struct{} // of one place: something is in queue

	mu      sync.Mutex // guards the rest, and the order of what the session does
	session Session
	// generation is that of the session, which a reset does not change.
	generation uint64
	count      uint64    // of entries
	last       time.Time // of the clock
	commands   int       // how many of those that this deck has heard the session obeys
	sequence   uint64    // of the last message of the log, as far as it was appended; of write alone
	objects    []string  // the large messages of the log; of write alone
	queue      []*pending
	writes     int      // changes in queue, or on their way to the log, that clients may see
	answers    answers  // of those requests whose receipt the log does not have
	delivered  []string // receipts that the log does not have
	broken     []string // as well, of answers that their clients do not have whole
	finished   finished // requests that have no answer any more
	used       time.Time
}

// served is an answer of the session and what became of it.
type served struct {
	*Served
	logged chan struct{} // closed when the log has it
	once   sync.Once     // of ended
	ended  func()        // nil: nobody needs to know
	told   bool          // its receipt has come
	// The rest is of an answer that this deck has served itself.
	got    chan struct{} // closed with told
	served time.Time     // by the clock of the machine
	print  uint64        // of the request
}

// pending is an entry on its way to the log.
type pending struct {
	entry  entry
	logged chan struct{}
	write  bool
}

// errLost says that a session is this deck's no longer.
var errLost = errors.New("the session is another deck's")

// errUnlogged says so of a write that was served, and that the log may have or not.
var errUnlogged = errors.New("the session is another deck's, which may know the request")

// patient is how long a receipt is waited for before callbacks go out: the deck may have died.
const patient = 2 * time.Second

func (n *Node) newClaim(name string) *claim {
	return &claim{
		node: n, name: name, subject: n.bus.prefix + ".log." + n.logOf(name),
		ready: make(chan struct{}), gone: make(chan struct{}), kick: make(chan struct{}, 1),
	}
}

// logOf returns the token of the log of a session. Decks with other facts have other logs.
func (n *Node) logOf(name string) string {
	return n.bus.token(n.factsToken() + "/~" + name)
}

// finished are the last requests that came to their end. One that comes once more has been on its way
// for long, and nobody waits for an answer. The zero finished are none.
type finished struct{ young, old map[string]bool }

// mostFinished is how many are remembered at least, once there were so many.
const mostFinished = 2000

func (f *finished) add(id string) {
	if f.young == nil || len(f.young) >= mostFinished {
		f.young, f.old = map[string]bool{}, f.young
	}
	f.young[id] = true
}

func (f *finished) has(id string) bool { return f.young[id] || f.old[id] }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// command has the session obey commands up to one of them, which this deck knows, and reports whether
// one of them has reset it. The lock is held.
func (c *claim) command(last uint64) (reset bool) {
	for upTo := c.node.commands.count(last); c.commands < upTo; c.commands++ {
		reset = c.session.Obey(c.commands) || reset
	}
	return reset
}

// obey has the session obey what was said to all sessions.
func (c *claim) obey() {
	last := c.node.commands.last()
	upTo := c.node.commands.count(last)
	c.mu.Lock()
	defer c.mu.Unlock()
	if upTo <= c.commands || c.isLost() {
		return
	}
	e := entry{Commands: last}
	if c.command(last) {
		// A request that somebody asks for again was served in what is forgotten: it is served anew.
		c.answers = answers{}
		e.Anew, e.Generation, e.Remains = true, c.generation, c.session.Remains()
	}
	c.enqueue(e, false)
}

func (c *claim) isLost() bool { return isClosed(c.gone) }

// enqueue puts an entry behind all others, with the receipts that have come, and returns it. The lock
// is held.
func (c *claim) enqueue(e entry, write bool) *pending {
	c.count++
	e.N, e.Delivered, e.Broken, c.delivered, c.broken = c.count, c.delivered, c.broken, nil, nil
	if e.At.IsZero() {
		e.At = c.clock()
	}
	c.last = e.At
	c.deliver(&e)
	a := &pending{entry: e, logged: make(chan struct{}), write: write}
	c.queue = append(c.queue, a)
	if write {
		c.writes++
	}
	select {
	case c.kick <- struct{}{}:
	default:
	}
	return a
}

// serve answers a request, once: for the same request again it has the same answer.
func (c *claim) serve(ctx context.Context, r *Request) (*served, error) {
	if r.Read != "" {
		c.received(r.Read, true)
	}
	c.awaitReceipt(ctx, r)
	s := c.take(r)
	if s == nil {
		return nil, errLost
	}
	if err := c.await(ctx, s); err != nil {
		return nil, err
	}
	if s.Announce != nil {
		s.once.Do(func() { s.ended = sync.OnceFunc(s.Announce()) })
		time.AfterFunc(patient, s.ended)
	}
	return s, nil
}

// take serves a request in its turn, or finds its answer. It returns nil if this deck has none to give.
func (c *claim) take(r *Request) *served {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isLost() || !c.node.leased() || c.finished.has(r.ID) {
		return nil
	}
	c.used = time.Now()
	if s := c.answers.of(r.ID); s != nil {
		return s
	}
	at := c.clock()
	a := c.enqueue(entry{At: at, Request: &r.requestFields}, false)
	s := &served{
		Served: c.play(r, at, false), logged: a.logged,
		got: make(chan struct{}), served: c.used, print: fingerprint(r),
	}
	if a.write = !s.Reads; a.write {
		c.writes++
	}
	c.keep(r.ID, s)
	return s
}

// await waits until the log has an answer. Without NATS a read need not wait for it, if the log lacks
// nothing that was changed.
func (c *claim) await(ctx context.Context, s *served) error {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-s.logged:
			return nil
		case <-c.gone:
			if s.Reads {
				return errLost
			}
			return errUnlogged
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
		if s.Reads && !c.node.bus.connected() && c.node.leased() {
			c.mu.Lock()
			free := c.writes == 0
			c.mu.Unlock()
			if free {
				return nil
			}
		}
	}
}

// received notes that an answer has come to its end at its client.
func (c *claim) received(id string, whole bool) {
	c.mu.Lock()
	s := c.answers.of(id)
	switch {
	case s == nil || s.told:
	case whole:
		c.delivered = append(c.delivered, id)
	default:
		c.broken = append(c.broken, id)
	}
	if s != nil && !s.told && s.got != nil {
		close(s.got)
	}
	if s != nil {
		s.told = true
	}
	c.mu.Unlock()
	if s != nil && s.Announce != nil && isClosed(s.logged) {
		s.once.Do(func() { s.ended = sync.OnceFunc(s.Announce()) })
		s.ended()
	}
}

// begin notes in the log that a callback goes out. It returns false if it must not: the session is
// another deck's, which sends the callback, or the callback has gone out. The latter happens to a deck
// that has lost the session and got it again.
func (c *claim) begin(ctx context.Context, callback string) bool {
	c.mu.Lock()
	if c.isLost() {
		c.mu.Unlock()
		return false
	}
	if !c.session.Begun(callback) {
		c.mu.Unlock()
		return false
	}
	a := c.enqueue(entry{Begun: callback}, false)
	c.mu.Unlock()
	return c.wait(ctx, a)
}

// wait waits until the log has an entry; false says that it will not.
func (c *claim) wait(ctx context.Context, a *pending) bool {
	select {
	case <-a.logged:
		return true
	case <-c.gone:
	case <-ctx.Done():
	}
	return false
}

// advance lets come what comes by itself until now.
func (c *claim) advance() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isLost() && c.node.leased() {
		e := c.enqueue(entry{Advance: true}, true).entry
		c.contain(func() { c.session.Advance(e.At, false) })
	}
}

// renew renews the claim in NATS, which expires with the log of a session that nobody has.
func (c *claim) renew(ctx context.Context) {
	c.holding.Lock()
	defer c.holding.Unlock()
	if time.Since(c.renewed) < logAge/7 || c.isLost() {
		return
	}
	value, err := c.value()
	if err != nil {
		return
	}
	if revision, err := c.node.bus.claims.Update(ctx, c.key(), value, c.revision); err == nil {
		c.revision, c.renewed = revision, time.Now()
	}
}

// key returns the key of the claim in NATS.
func (c *claim) key() string { return "session." + c.node.logOf(c.name) }

// value returns what the claim says there.
func (c *claim) value() ([]byte, error) {
	sealed, err := c.node.bus.close(c.key(), c.name)
	return encodeClaim(claimed{c.node.name(), sealed}), err
}

// lose forgets the session.
func (c *claim) lose() {
	c.once.Do(func() { close(c.gone) })
	c.node.mu.Lock()
	if c.node.owned[c.name] == c {
		delete(c.node.owned, c.name)
	}
	c.node.mu.Unlock()
	select {
	case <-c.ready:
	default:
		return // whoever opens it closes it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		c.session.Close()
		c.session = nil
	}
}

// giveBack writes what the log lacks, and lets any deck claim the session. A session in which something
// waits to go out keeps its claim: the other decks find that when this one has gone (inherit).
func (c *claim) giveBack(ctx context.Context) {
	select {
	case <-c.ready:
	default:
		return
	}
	if c.deck != "" || c.err != nil {
		return
	}
	c.mu.Lock()
	if c.isLost() {
		c.mu.Unlock()
		return
	}
	idle := c.session.Idle()
	a := c.enqueue(entry{}, false)
	c.mu.Unlock()
	if !c.wait(ctx, a) {
		return
	}
	c.lose()
	if idle {
		c.node.release(ctx, c)
	}
}
