package deck

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/redact"
)

// Deck is a running deck. It is safe for concurrent use, and must be closed.
type Deck struct {
	leaf.Unprinted
	// URL is the base URL at which clients find the APIs.
	URL string
	// Sandbox is the URL of the built-in sandbox; empty if no upstream is it.
	Sandbox string
	// Admin is all that it takes to ask for health, metrics and reset: it ends with the token,
	// unless Options gave one. Empty: there is no such address.
	Admin string
	// Inspector is the page at which people look at the deck: it ends with the token, unless Options
	// gave one. Empty: the page has no address of its own. It is below the admin address too.
	Inspector string
	// CallbackURL is where a sandbox calls the shop through the deck; empty if callbacks do not come
	// through it.
	CallbackURL string

	options      Options
	admin        *adminAddress // nil for none
	listener     net.Listener
	service      *Service      // nil until it serves
	callbackDoor *callbackDoor // nil for none

	inspector *inspector       // nil for none
	traffic   *traffic.Traffic // nil before start
	resent    atomic.Uint64    // requests that somebody has sent again
	door      http.Handler     // of the listener

	events      *hub.Hub // nil before start
	hubRedactor *redact.Redactor
	hosts       *proxy.Upstreams // that clients of the forward door may name
	cleaner     *redact.Redactor // of what is recorded, or of what is told of requests

	// Of a deck that has no sandbox, does not record or does not replay these are nil.
	sandboxes *sandboxes
	library   *cassettes.Library
	recorder  *cassettes.Recorder
	record    *proxy.Record
	tape      *Tape
	player    *match.Sessions
	sender    *callback.Sender
	replay    *proxy.Replay
	cluster   *clusterDeck
	owners    *owners

	rules     *rules.Engine
	now       func() time.Time // the clock of the rules: that of the tape, if there is one
	ruleFiles *ruleFiles       // nil for none
	stopRules func()           // nil: nobody watches

	keeping sync.WaitGroup // while the tape is written for the next load
	dropIt  func()         // ends that; nil if it was not begun

	once   sync.Once // guards closed
	closed error

	refused  atomic.Int64 // requests that ask for a proxy
	unserved atomic.Int64 // others that the deck refused

	mu       sync.Mutex // guards recorded
	recorded cassettes.Summary
}

// Start checks options, starts the deck that they describe, and returns when it serves. The deck
// serves until ctx ends or it is closed, and must be closed in any case. If it cannot start,
// nothing is left running and nothing locked; an option that is wrong is an OptionError, and so
// is an address that cannot be had.
func Start(ctx context.Context, o Options) (*Deck, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	if o.Mode == Record && o.Cluster != nil {
		return nil, wrong("Cluster", errors.New("decks record together by JoinRecording"))
	}
	d := &Deck{options: o, now: time.Now}
	if err := d.start(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Deck) start(ctx context.Context) error {
	o := &d.options
	var err error
	if d.admin, err = openAdmin(ctx, o); err != nil {
		return err
	}
	if err := d.openInspector(); err != nil {
		return err
	}
	d.hubRedactor = o.redactor(nil)
	d.events = hub.New(hub.Options{
		Redactor: d.hubRedactor, Events: o.Keep, Bytes: o.kept(),
		Observers: []func(proxy.Event){d.admin.counter(), d.inspector.observer(), d.count, o.Observe},
	})
	d.traffic = traffic.New(traffic.Options{
		Hub: d.events, Profiles: o.Knowledge.profiles, Redactor: d.hubRedactor,
	})
	o.Observe, o.Withheld = d.events.Publish, d.admin.withheld(o.Withheld)
	if err := d.joinCluster(ctx); err != nil {
		return err
	}
	if o.owner != nil {
		d.shareOwners(o.owner.status)
	}
	if err := d.startRules(ctx); err != nil {
		return err
	}
	mode, err := d.makeMode(ctx)
	if err != nil {
		return err
	}
	if d.door, err = d.open(mode); err != nil {
		return err
	}
	if d.cluster != nil {
		if d.door, err = d.cluster.share(ctx, d.door); err != nil {
			return err
		}
	}
	o.tuneThreads()
	d.service = serve(ctx, d.listener, d.door, o.Observe)
	d.URL, d.Sandbox, d.Admin = d.service.URL, d.sandboxes.address(), d.admin.address()
	d.CallbackURL, d.Inspector = d.callbackDoor.static(), d.inspector.address()
	d.keepTape()
	return d.tend(ctx)
}

// makeMode makes the mode of the deck, and all that it needs.
func (d *Deck) makeMode(ctx context.Context) (http.RoundTripper, error) {
	switch d.options.Mode {
	case Record:
		return d.startRecord(ctx)
	case Spy:
		return d.startSpy(ctx)
	case Pass:
		return d.startPass(ctx)
	}
	return d.startReplay()
}

// listen begins to listen, for a server that starts when the mode is there.
func (d *Deck) listen() error {
	o := &d.options
	at := ServeOptions{
		Listen: o.Listen, Certificate: o.Certificate, Observe: o.Observe, Tell: o.Tell,
		ln: o.owner.listener(addressDoor),
	}
	var err error
	if d.listener, err = at.listen(); err != nil {
		return wrong("Listen", fmt.Errorf("listening: %w", err))
	}
	return nil
}

// reach makes the way to the sandboxes of a deck that listens.
func (d *Deck) reach(ctx context.Context) error {
	var err error
	if err = d.openCallbacks(); err != nil {
		return err
	}
	d.sandboxes, err = reach(ctx, &d.options, d.callbackDoor.static(), d.own())
	if err != nil {
		return err
	}
	d.hosts = d.sandboxes.route.Upstreams
	d.sandboxes.route.Callbacks = d.callbackDoor.route(&d.options.Callbacks)
	return nil
}

// own returns all addresses on which the deck listens, of which no upstream and no shop may be one.
func (d *Deck) own() []net.Addr {
	return slices.Concat(d.admin.own(), d.inspector.own(), d.callbackDoor.own(),
		[]net.Addr{d.listener.Addr()})
}

// open returns the handler of the listener: the door of a mode, and before it what the options
// ask for.
func (d *Deck) open(mode http.RoundTripper) (http.Handler, error) {
	o := &d.options
	door, err := d.ruledDoor(mode, o.Observe)
	if err != nil {
		return nil, err
	}
	if o.Authority == nil {
		return door, nil
	}
	f := proxy.ForwardOptions{
		Door: door, Hosts: d.hosts, Authority: o.Authority, Cleaner: d.cleaner, Observe: o.Observe,
	}
	if d.tape != nil {
		f.Now = d.tape.now
		if at := f.Now(); !o.Authority.Covers(at) {
			o.warn(fmt.Sprintf("by the clock of the deck it is %s, and the certificate authority is not "+
				"valid then: clients with that clock refuse it", at.Format(time.DateOnly)))
		}
	}
	return proxy.NewForward(f)
}

// ruledDoor returns the door of a mode under the rules. observe is told of requests.
func (d *Deck) ruledDoor(mode http.RoundTripper, observe func(proxy.Event)) (http.Handler, error) {
	o := &d.options
	mode, err := proxy.NewRuled(proxy.RuledOptions{
		Mode: mode, Rules: d.rules, Profiles: o.Knowledge.profiles, Cleaner: d.cleaner,
		Observe: observe, Quiet: o.Play.Quiet, Limit: o.MaxBody, Turns: d.cluster != nil,
	})
	if err != nil {
		return nil, err
	}
	door := d.admin.counts(proxy.NewDoor(mode, observe))
	if d.hosts.Named() {
		door = proxy.NewHosts(door, d.hosts, observe)
	}
	return door, nil
}

// count counts what Summary tells.
func (d *Deck) count(e proxy.Event) {
	if e.OfProxy() {
		d.refused.Add(1)
	}
	if e.Unserved() {
		d.unserved.Add(1)
	}
}

// tend tells the addresses at which the deck is looked after that it serves.
func (d *Deck) tend(ctx context.Context) error {
	a := admin.Deck{
		Stopping: d.service.stopping, Stop: d.service.stop, Rules: d.rules, Doubts: d.tellDoubts,
		Callbacks: d.sender,
	}
	if d.player != nil {
		a.Reset, a.Live = d.Reset, d.player.Live
	}
	if d.cluster != nil {
		a.Live, a.Share, a.Trouble = d.cluster.liveCount, d.share, d.cluster.node.Trouble
		a.AllCallbacks = d.cluster.allCallbacks
	}
	if d.owners != nil {
		a.Owners = d.owners.tell
	}
	if d.recorder != nil {
		a.Learned = d.cleaner.Learned
	}
	if err := d.serveInspector(ctx, &a); err != nil {
		return err
	}
	d.admin.tend(a)
	return nil
}

// Done returns a channel that is closed when the deck serves no more: ctx has ended, it was
// closed, or serving failed, which Close tells.
func (d *Deck) Done() <-chan struct{} { return d.service.Done() }

// Close stops serving, gives requests under way ten seconds, folds what was recorded into its
// cassette, and lets go of everything. Its error tells too if a tape could not be written while
// recording. To close a deck again does nothing and returns the same.
func (d *Deck) Close() error {
	d.once.Do(func() { d.closed = d.close() })
	return d.closed
}

// Whoever stops a process kills it ten seconds later. A deck leaves a second of that for what comes
// after folding, and folds for two seconds at least, however long its requests took to end.
const stopTime, leastFold = 9 * time.Second, 2 * time.Second

// foldBy returns until when a deck folds that began to stop some time ago. What is not folded by
// then stays in the journal, which is no loss: the next recording folds it.
func foldBy(begun, now time.Time) time.Time {
	if by := begun.Add(stopTime); by.After(now.Add(leastFold)) {
		return by
	}
	return now.Add(leastFold)
}

// close closes what there is: clients before what answers them.
func (d *Deck) close() error {
	begun := time.Now()
	defer d.endKeeping()()
	waited, stop := context.WithTimeout(context.Background(), d.options.Callbacks.Wait)
	defer stop()
	d.waitForCallbacks(waited) // while the deck serves: a shop that is called may ask it something
	err := d.service.Close()
	if d.service == nil && d.listener != nil {
		err = errors.Join(err, d.listener.Close())
	}
	d.waitForCallbacks(waited) // those of the last answers
	err = errors.Join(err, d.cluster.close())
	if d.sender != nil {
		d.sender.Close() // events tell what was dropped
	}
	err = errors.Join(err, d.callbackDoor.close(&d.options, d.sandboxes.standIn()))
	if d.stopRules != nil {
		d.stopRules()
	}
	if d.record != nil {
		err = errors.Join(err, d.record.Err())
	}
	if d.recorder != nil {
		recorded, folded := d.recorder.CloseBy(foldBy(begun, time.Now()))
		err = errors.Join(err, folded)
		d.mu.Lock()
		d.recorded = recorded
		d.mu.Unlock()
	}
	if d.library != nil {
		err = errors.Join(err, d.library.Close())
	}
	if d.events != nil {
		d.events.Close()
	}
	if d.traffic != nil {
		d.traffic.Close()
	}
	return errors.Join(err, d.sandboxes.close(), d.inspector.close(), d.admin.close())
}

// Events returns the events of the deck: the last of them, and those to come, with the requests
// and answers that they tell of. After Close the last events can still be looked at.
func (d *Deck) Events() *hub.Hub { return d.events }

// Reset forgets what clients have done in a replay: no order is open, and no callback waits. Rules
// count from the beginning, in any deck. Decks that share their sessions do so all.
func (d *Deck) Reset() {
	if d.cluster != nil {
		if err := d.share(admin.Change{Do: admin.Reset}); err != nil {
			d.options.warn(err.Error())
		}
		return
	}
	d.rules.Reset()
	if d.player != nil {
		d.player.Reset()
	}
	if d.sender != nil {
		d.sender.Reset()
	}
}

// Exchanges returns how many exchanges on tape can be asked for.
func (d *Deck) Exchanges() int {
	if d.tape == nil {
		return 0
	}
	return d.tape.Exchanges()
}

// Text returns a text as it may be printed: without what looks secret, and without what the deck
// has learned to be secret while it recorded.
func (d *Deck) Text(s string) redact.Safe { return d.cleaner.Text(s) }

// Hosts returns what clients of the forward door may ask for: the origins of sandboxes, such as
// "https://pay.example", and the names of hosts.
func (d *Deck) Hosts() []string {
	var names []string
	for _, up := range d.hosts.All() {
		for _, name := range []string{up.Origin, up.Name} {
			if name != "" && name != nowhere && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
