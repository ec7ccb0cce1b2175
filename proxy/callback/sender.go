package callback

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// Bounds of a Sender.
const (
	maxSending = 256      // attempts under way at once: shops that hang hold up no others
	maxWaiting = 10_000   // callbacks that have not come to an end; others are dropped
	maxHeld    = 64 << 20 // bytes that these have together
	maxShown   = 1000     // callbacks of which List tells, the latest
)

// SenderOptions are what a Sender is made of.
type SenderOptions struct {
	leaf.Unprinted
	// Recorded has callbacks wait as long as on tape, and Hold has each attempt wait until Next is
	// called. Without either they go out at once. SetMode says otherwise later.
	Recorded, Hold bool
	// Unsigned has callbacks go out without the signatures that they had on tape.
	Unsigned bool
	// To is the URL for callbacks without an address of their own. Empty: those are dropped.
	To   string
	Keys Keys
	// Allow are hosts beyond this machine that may be called, as HOST or HOST:PORT, and Own the
	// addresses of the deck, which are never called.
	Allow []string
	Own   []net.Addr
	// Retry is the longest pause between two attempts. 0: one second. Negative: no bound.
	Retry time.Duration
	// Observe is told what becomes of callbacks, by many goroutines. Nil: nobody is told.
	Observe func(proxy.Event)
	// Profiles and Redactor clean what List shows. The Redactor is one of its own: what it learns
	// must not depend on who looks.
	Profiles *profile.Set
	Redactor *redact.Redactor
	// Now is the clock that signatures tell, and by which something comes by itself. Nil: that of
	// this machine.
	Now func() time.Time
	// Advance lets come what comes by itself until a time, and says when something will next; zero if
	// nothing will. Nil: nothing comes by itself.
	Advance func(now time.Time) (callbacks []match.Callback, next time.Time)
	// Begin is asked before the first attempt of a callback with an ID whether it may go out. Nil: it
	// may.
	Begin func(*match.Callback) bool
	// Rules are those of the run. Nil: there are none.
	Rules Rules
	// Transport is the way to the shops. Nil: one that goes no further than the options allow.
	Transport http.RoundTripper
}

// Sender calls shops back. It is safe for concurrent use, and must be closed.
//
// Callbacks of one flow are in a lane, and go out one after another; a callback that the shop
// refuses holds up its lane until the shop takes it or no attempt is left. A lane is a goroutine
// that lives while there is something in it.
type Sender struct {
	leaf.Unprinted
	options SenderOptions
	slots   chan struct{} // one for each attempt under way

	ctx  context.Context // of all attempts; over when the Sender is closed
	stop context.CancelFunc
	runs sync.WaitGroup // the lanes

	mu      sync.Mutex // guards the rest
	mode    Mode
	closed  bool
	last    int               // the number of the latest event
	batches int               // handed over so far
	lanes   map[lane][]*event // what has not begun; an entry is a running lane
	busy    map[lane]int      // how many attempts are under way, or asked for; see idleLocked
	held    []*event          // in the order of their numbers
	waits   []*event          // those that wait for a call of the shop
	open    map[int]*event    // those that are not over, by number
	bytes   int64             // of these
	shown   []*event          // the oldest first
	counts  Counts
	told    map[string]bool // problems of which the operator knows
	reset   chan struct{}   // closed by Reset
	telling int             // attempts that have ended, of which the observer is being told
	changed chan struct{}   // closed when an event is held or over; nil while nobody waits
	tap     func(*Sent)     // nil: nobody listens
	dueAt   time.Time       // when something comes by itself; zero if nothing does
	timing  bool            // there is a goroutine that waits for it
	sooner  chan struct{}   // of one place: dueAt has changed

	waiting atomic.Int32 // how many are in waits, for those who need not look
}

// NewSender returns a Sender that has nothing to send yet.
func NewSender(o SenderOptions) (*Sender, error) {
	if o.Profiles == nil || o.Redactor == nil {
		return nil, errors.New("sending callbacks needs profiles and a redactor")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Transport == nil {
		o.Transport = newTransport(newReach(o.Allow, o.To, o.Own))
	}
	s := &Sender{
		options: o, slots: make(chan struct{}, maxSending), lanes: map[lane][]*event{},
		busy: map[lane]int{}, open: map[int]*event{},
		told: map[string]bool{}, reset: make(chan struct{}), sooner: make(chan struct{}, 1),
		mode: Now,
	}
	switch {
	case o.Hold:
		s.mode = Hold
	case o.Recorded:
		s.mode = Recorded
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Tap has f called with each attempt, before its outcome is told to anybody. Whoever taps stands in
// for a shop that has no address: what it gets counts as accepted. It is set before there is
// anything to send.
func (s *Sender) Tap(f func(*Sent)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tap = f
}

// Deliver takes what an answer has brought that has gone out, or that was lost on its way, and
// returns at once.
func (s *Sender) Deliver(a *match.Answer) {
	s.Send(a.Callbacks)
	s.await(a.Due)
}

// Send takes callbacks, in their order, and returns at once.
func (s *Sender) Send(brought []match.Callback) {
	if len(brought) > 0 {
		s.take(s.events(brought))
	}
}

// events makes events of what an answer brings, as the rules have them. Under Hold the rules are
// asked when somebody asks for the callback.
func (s *Sender) events(brought []match.Callback) []*event {
	batch, mode := s.batch(), s.Mode()
	var all []*event
	for _, cb := range brought {
		e := &event{Callback: cb, batch: batch}
		if e.unasked = mode == Hold; !e.unasked && mode != Off {
			s.ask(e)
		}
		all = append(all, e)
	}
	return all
}

// batch returns a number for what is handed over together.
func (s *Sender) batch() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches++
	return s.batches
}

// take puts new events in their places.
func (s *Sender) take(events []*event) {
	var told []proxy.Event
	s.mu.Lock()
	now := time.Now()
	for _, e := range events {
		e.at, e.reset = now, s.reset
		gap := time.Duration(0)
		if s.mode == Recorded && !e.again {
			gap = max(0, e.Gap)
		}
		e.plan(now, gap)
		told = append(told, s.addLocked(e)...)
	}
	s.mu.Unlock()
	s.tell(told...)
}

// admitLocked takes an event in, or drops it and returns what there is to tell of that.
func (s *Sender) admitLocked(e *event) (told []proxy.Event, ok bool) {
	s.last++
	e.number, e.state = s.last, Pending
	s.counts.Events++
	s.showLocked(e)
	s.open[e.number] = e
	s.bytes += e.size()
	switch {
	case s.closed:
		return []proxy.Event{s.dropLocked(e, proxy.ProblemStopped)}, false
	case s.mode == Off && !e.again:
		return []proxy.Event{s.dropLocked(e, proxy.ProblemOff)}, false
	case len(s.open) > maxWaiting || s.bytes > maxHeld:
		return []proxy.Event{s.dropLocked(e, proxy.ProblemFull)}, false
	}
	return nil, true
}

// addLocked puts an event in its place, and returns what there is to tell of it.
func (s *Sender) addLocked(e *event) []proxy.Event {
	told, ok := s.admitLocked(e)
	switch {
	case !ok:
		return told
	case e.unasked && s.mode == Hold:
		return []proxy.Event{s.holdLocked(e)}
	case e.waits:
		s.waitLocked(e)
	case e.aside:
		s.runs.Go(func() { s.deliver(e) })
	default:
		s.enterLocked(e)
	}
	return nil
}

// enterLocked puts an event at the end of its lane.
func (s *Sender) enterLocked(e *event) {
	queue, running := s.lanes[e.lane()]
	s.lanes[e.lane()] = append(queue, e)
	if !running {
		s.runs.Go(func() { s.run(e.lane()) })
	}
}

// holdLocked has an event wait until somebody asks for it, and returns what there is to tell of it.
func (s *Sender) holdLocked(e *event) proxy.Event {
	e.state = Held
	s.held = append(s.held, e)
	s.wakeLocked()
	return s.tells(e, proxy.OutcomeHeld)
}

// showLocked keeps an event for List and Resend.
func (s *Sender) showLocked(e *event) {
	if s.shown = append(s.shown, e); len(s.shown) > maxShown {
		s.shown = append([]*event(nil), s.shown[len(s.shown)-maxShown*3/4:]...)
	}
}

// run sends what is in a lane until there is nothing left.
func (s *Sender) run(l lane) {
	for e := s.next(l); e != nil; e = s.next(l) {
		s.deliver(e)
	}
}

// next takes the first event of a lane; nil ends the lane.
func (s *Sender) next(l lane) *event {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.lanes[l]
	if len(queue) == 0 {
		delete(s.lanes, l)
		return nil
	}
	s.lanes[l] = queue[1:]
	return queue[0]
}

// wakeLocked lets those go on who wait for a change.
func (s *Sender) wakeLocked() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// changesLocked returns what is closed at the next change.
func (s *Sender) changesLocked() <-chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// tell tells the observer.
func (s *Sender) tell(events ...proxy.Event) {
	if s.options.Observe == nil {
		return
	}
	for _, e := range events {
		s.options.Observe(e)
	}
}

// Wait waits until nothing is on its way that goes out by itself, and the observer was told of all that
// has gone out, or until ctx ends. What is held goes out when somebody asks for it.
func (s *Sender) Wait(ctx context.Context) {
	for {
		s.mu.Lock()
		if len(s.open) == len(s.held)+len(s.waits) && s.telling == 0 {
			s.mu.Unlock()
			return
		}
		changed := s.changesLocked()
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Reset drops what waits. An attempt under way ends, and no other follows it.
func (s *Sender) Reset() { s.drop(proxy.ProblemReset) }

// Close drops what waits, breaks off what is under way, and returns how many callbacks it has
// dropped. To close a Sender again does nothing.
func (s *Sender) Close() int {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	dropped := s.drop(proxy.ProblemStopped)
	s.stop()
	s.runs.Wait()
	return dropped
}

// Leave drops the callbacks of a session, which another deck sends. An attempt under way goes on.
func (s *Sender) Leave(session string) {
	of := func(e *event) bool { return e.Session == session && e.ID != "" && e.state != Sending }
	s.mu.Lock()
	var told []proxy.Event
	for _, number := range slices.Sorted(maps.Keys(s.open)) {
		if e := s.open[number]; of(e) {
			told = append(told, s.dropLocked(e, proxy.ProblemMoved))
		}
	}
	over := func(e *event) bool { return e.state.over() }
	s.held, s.waits = slices.DeleteFunc(s.held, over), slices.DeleteFunc(s.waits, over)
	s.waiting.Store(int32(len(s.waits)))
	s.wakeLocked()
	s.mu.Unlock()
	s.tell(told...)
}

// mayBegin reports whether the first attempt of an event may go out, or ends the event.
func (s *Sender) mayBegin(e *event) bool {
	if e.ID == "" || s.options.Begin == nil || e.begun || s.options.Begin(&e.Callback) {
		e.begun = true
		return true
	}
	s.mu.Lock()
	if e.state.over() {
		s.mu.Unlock()
		return false
	}
	told := s.dropLocked(e, proxy.ProblemMoved)
	s.mu.Unlock()
	s.tell(told)
	return false
}

// drop ends all events that are not over, and returns how many there were.
func (s *Sender) drop(problem string) int {
	s.mu.Lock()
	var told []proxy.Event
	for _, number := range slices.Sorted(maps.Keys(s.open)) {
		told = append(told, s.dropLocked(s.open[number], problem))
	}
	s.held, s.waits, s.dueAt = nil, nil, time.Time{}
	s.waiting.Store(0)
	for l := range s.lanes {
		s.lanes[l] = nil // the lane ends by itself
	}
	close(s.reset)
	s.reset = make(chan struct{})
	s.wakeLocked()
	s.mu.Unlock()
	s.pokeTimer()
	s.tell(told...)
	return len(told)
}
