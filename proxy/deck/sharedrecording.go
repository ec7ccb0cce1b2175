package deck

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/cluster"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// SharedRecording is a deck among several that record one cassette together. One of them is the owner: it
// has the cassette, asks the sandbox, and is a Deck. The addresses of all others lead to the owner, byte
// for byte: door, admin, inspector and callbacks. When the owner dies another opens the cassette, in the
// same folder, and goes on with what the journal holds.
//
// An example. Decks A and B are in front of a sandbox, and a load balancer before them:
//
//	shop                        A                               B
//	                            locks cassettes/checkout        .
//	register.do --------------> asks the sandbox, journals      .
//	paymentorder.do ------------------------------------------> A has the cassette
//	                            <---- the connection, over NATS '
//	                            asks the sandbox, journals
//	<-- approved ----------------------------------------------.
//	                            (A is killed)
//	getOrderStatus -------------------------------------------> A's lease is over
//	                                                            locks cassettes/checkout,
//	                                                            folds the journal of A
//	<-- paid -------------------------------------------------- asks the sandbox, journals
//
// A connection whose owner dies is cut, as at a deck that dies: no request goes to the sandbox twice. It
// is safe for concurrent use, and must be closed.
type SharedRecording struct {
	leaf.Unprinted
	// URL, Admin, Inspector and CallbackURL are as those of a Deck, whoever is the owner.
	URL, Admin, Inspector, CallbackURL string

	options   Options
	rules     string // the sum of the rules files
	owned     func(*Deck) (closed func())
	recording *cluster.Recording
	addresses []*sharedAddress
	tokens    map[string]string
	accepting sync.WaitGroup
	conns     sync.WaitGroup
	done      chan struct{} // closed when nothing is served any more
	closing   chan struct{} // closed by Close
	once      sync.Once     // guards closed
	closed    error

	mu   sync.Mutex // guards errs
	errs []error    // of decks that were closed
}

// JoinRecording makes a deck one of those that record together, with Options.Cluster, and returns when one
// of them has the recording. Errors are as those of Start.
//
// owned is told of each Deck that this process has while it is the owner, and returns what is called when
// that was closed. Nil: nobody is told.
func JoinRecording(ctx context.Context, o Options, owned func(*Deck) (closed func())) (*SharedRecording, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	if o.Mode != Record || o.Cluster == nil {
		return nil, wrong("Cluster", errors.New("expected options of decks that record together"))
	}
	if owned == nil {
		owned = func(*Deck) func() { return func() {} }
	}
	s := &SharedRecording{
		options: o, owned: owned, done: make(chan struct{}), closing: make(chan struct{}),
	}
	if err := s.start(ctx); err != nil {
		close(s.done)
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *SharedRecording) start(ctx context.Context) error {
	o := &s.options
	facts, err := o.facts()
	if err != nil {
		return err
	}
	if s.rules, err = o.rulesSum(); err != nil {
		return err
	}
	if err := s.listen(ctx); err != nil {
		return err
	}
	c := o.Cluster
	name := o.Cassettes[0]
	s.recording, err = cluster.JoinRecording(ctx, cluster.RecordingOptions{
		Options: cluster.Options{
			Servers: c.Servers, Credentials: c.Credentials, Key: c.Key, Lease: c.Lease, Replicas: c.Replicas,
			Facts: facts, Warn: o.warn,
		},
		Name: name, At: addressFor(s.addresses[0].ln), Open: s.open, Locked: s.locked,
	})
	if err != nil {
		if _, option := errors.AsType[*OptionError](err); option {
			return err
		}
		return wrong("Cluster", err)
	}
	for _, a := range s.addresses {
		s.accepting.Go(func() { a.accept(s.recording.Lead, &s.conns) })
	}
	go func() {
		defer close(s.done)
		select {
		case <-ctx.Done():
		case <-s.closing:
		case <-s.recording.Done():
		}
	}()
	return nil
}

// listen opens the addresses, which stay what they are whoever is the owner.
func (s *SharedRecording) listen(ctx context.Context) error {
	o := &s.options
	token := func(address string) string {
		return hex.EncodeToString(cluster.Derive(o.Cluster.Key, "token of "+address+" "+o.Cassettes[0], 16))
	}
	s.tokens = map[string]string{addressAdmin: token(addressAdmin), addressInspector: token(addressInspector)}
	open := func(option, name, address string) (string, error) {
		at := ServeOptions{Listen: address, Tell: o.Tell}
		ln, err := at.listen()
		if err != nil {
			return "", wrong(option, fmt.Errorf("listening: %w", err))
		}
		a := &sharedAddress{name: name, ln: ln, unserved: newQueue(ln.Addr())}
		none := ServeOptions{ln: a.unserved}
		if name == addressDoor {
			none.Certificate = o.Certificate
		}
		if ln, err = none.listen(); err != nil {
			return "", err
		}
		a.service = serve(context.WithoutCancel(ctx), ln, http.HandlerFunc(s.refuse), nil)
		s.addresses = append(s.addresses, a)
		return a.service.URL, nil
	}
	var err error
	if s.URL, err = open("Listen", addressDoor, o.Listen); err != nil {
		return err
	}
	if o.Admin != nil {
		if s.Admin, err = open("Admin.Listen", addressAdmin, o.Admin.Listen); err != nil {
			return err
		}
		if o.Admin.Token == "" {
			s.Admin += "/" + s.tokens[addressAdmin]
		}
		o.tell("admin at %s", s.Admin)
	}
	if o.Inspect != nil {
		if s.Inspector, err = open("Inspect.Listen", addressInspector, o.Inspect.Listen); err != nil {
			return err
		}
		if s.Inspector += "/"; o.Inspect.Token == "" {
			s.Inspector += s.tokens[addressInspector] + "/"
		}
	}
	if !o.Callbacks.relays() {
		return nil
	}
	if s.CallbackURL, err = open("Callbacks.Listen", addressCallbacks, o.Callbacks.Listen); err != nil {
		return err
	}
	if o.Callbacks.PublicURL != "" {
		s.CallbackURL = o.Callbacks.PublicURL
	}
	return nil
}

// The problems of a deck that records with others, and finds no owner.
var (
	problemNoOwner = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "cluster",
		Message: "this deck does not record now, and no other has opened the recording in time",
		Hint:    "send the request again, it has not reached the sandbox; see what the decks have written",
	}
	problemLocked = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "cluster",
		Message: "no deck records: another process has the lock of the cassette, and does not let go of it",
		Hint:    "send the request again, it has not reached the sandbox; end the process that hangs",
	}
	problemUnreachable = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "cluster",
		Message: "this deck does not record, and NATS, which leads to the deck that does, cannot be reached",
		Hint:    "send the request again, it has not reached the sandbox; see whether nats-server runs",
	}
)

// refuse answers a request that finds no owner. The next request looks for one anew.
func (s *SharedRecording) refuse(w http.ResponseWriter, req *http.Request) {
	p := problemNoOwner
	switch err := s.recording.Why(); {
	case errors.Is(err, cluster.ErrUnreachable):
		p = problemUnreachable
	case errors.Is(err, cluster.ErrLocked):
		p = problemLocked
	}
	w.Header().Set("Connection", "close")
	p.Write(w, req.Method)
}

// locked reports whether somebody records on the cassette in the folder of this deck.
func (s *SharedRecording) locked() (bool, error) {
	library, err := cassettes.OpenExisting(s.options.Dir)
	if errors.Is(err, cassettes.ErrNoFolder) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	taken, err := library.Locked(s.options.Cassettes[0])
	return taken, errors.Join(err, library.Close())
}

// open has this deck record.
func (s *SharedRecording) open(ctx context.Context, r *cluster.Recording) (cluster.Opened, error) {
	if taken, err := s.locked(); err != nil || taken {
		return nil, errors.Join(err, cluster.ErrLocked)
	}
	o := s.options
	if now, err := o.rulesSum(); err != nil || now != s.rules {
		return nil, errors.Join(err, errors.New("the rules files are not what they were when this deck was "+
			"started: start it again"))
	}
	key := cluster.Derive(o.Cluster.Key, "addresses of callbacks", 32)
	o.Cluster, o.owner = nil, &ownerOptions{
		queues: map[string]*queue{}, tokens: s.tokens, callbackKey: key, status: r.Status,
	}
	for _, a := range s.addresses {
		o.owner.queues[a.name] = newQueue(a.ln.Addr())
	}
	d, err := Start(context.WithoutCancel(ctx), o)
	if errors.Is(err, cassettes.ErrTaken) {
		return nil, errors.Join(err, cluster.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	return &ownedDeck{shared: s, deck: d, queues: o.owner.queues, end: s.owned(d)}, nil
}

// ownedDeck is the deck that records while this process is the owner.
type ownedDeck struct {
	shared *SharedRecording
	deck   *Deck
	queues map[string]*queue
	end    func()
}

// Take gives the deck a connection.
func (d *ownedDeck) Take(address string, conn net.Conn) bool {
	q := d.queues[address]
	return q != nil && q.give(conn)
}

// Done is closed when the deck serves no more.
func (d *ownedDeck) Done() <-chan struct{} { return d.deck.Done() }

// Close closes the deck, and lets go of the cassette.
func (d *ownedDeck) Close() {
	err := d.deck.Close()
	d.end()
	s := d.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, err)
}

// Done returns a channel that is closed when this deck shall serve no more: the context of JoinRecording
// has ended, it was closed, or whoever looks after the decks has stopped the recording.
func (s *SharedRecording) Done() <-chan struct{} { return s.done }

// Close stops serving. An owner lets requests end, folds what was recorded and lets another deck go on;
// any other deck lets the requests end that have come in at its addresses. Its error tells too what
// Close of the decks did that this process had.
func (s *SharedRecording) Close() error {
	s.once.Do(func() { s.closed = s.close() })
	return s.closed
}

func (s *SharedRecording) close() error {
	close(s.closing)
	var err error
	for _, a := range s.addresses {
		err = errors.Join(err, a.ln.Close())
	}
	s.accepting.Wait()
	if s.recording != nil {
		s.recording.Close()
	}
	for _, a := range s.addresses {
		err = errors.Join(err, a.close())
	}
	s.conns.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(err, errors.Join(s.errs...))
}
