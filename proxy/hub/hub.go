package hub

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// The bounds of a ring where Options say none.
const (
	DefaultEvents = 1000
	DefaultBytes  = 16 << 20
)

// Event is an event of a deck, with its place among all events of the deck.
type Event struct {
	// ID numbers the events of a hub from 1, in the order in which they were published, and leaves
	// no number out.
	ID uint64
	// Time is when the event was published: at the end of an exchange, mostly. Times never
	// decrease from one ID to the next, unless the clock of the hub is set back.
	Time time.Time
	proxy.Event
}

// slot is a place in the ring.
type slot struct {
	Event
	size int64 // of its exchange, which has left the caches of the processor when it is dropped
}

// Options are what a Hub is made of. The zero Options have a meaning, but no exchange can be seen
// of a hub without a Redactor.
type Options struct {
	// Redactor cleans exchanges when somebody looks at them. It is one of its own: what it numbers
	// and learns must not depend on who looks. Nil: Exchange returns none.
	Redactor *redact.Redactor
	// Events is how many events are held; 0 means DefaultEvents. Bytes is how many bytes the
	// exchanges of these events may have together; 0 means DefaultBytes.
	Events int
	Bytes  int64
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Observers are called with every event, in the goroutine of the request and by many goroutines
	// at once. A request waits for them, so they count and do not write. Nil observers are left out.
	Observers []func(proxy.Event)
}

// Hub gives events their numbers and keeps the last of them. It is safe for concurrent use; New
// makes one.
type Hub struct {
	redactor  *redact.Redactor
	events    uint64
	bytes     int64
	now       func() time.Time
	observers []func(proxy.Event)

	cleaning sync.Mutex // held while exchanges are cleaned, which is done in their order

	mu      sync.Mutex // guards the rest
	ring    []slot     // event n is at (n-1) % events; it grows up to that length
	last    uint64     // the ID of the newest event; 0 before the first
	held    int64      // bytes of the exchanges in the ring
	whole   uint64     // no event up to this ID has an exchange in the ring
	cleaned uint64     // no event up to this ID has an exchange that was never cleaned
	waiting []*waiter  // those who have had all events
	closed  bool
}

// New returns a hub without events.
func New(o Options) *Hub {
	h := &Hub{
		redactor: o.Redactor, events: DefaultEvents, bytes: DefaultBytes, now: time.Now,
	}
	if o.Events > 0 {
		h.events = uint64(o.Events)
	}
	if o.Bytes > 0 {
		h.bytes = o.Bytes
	}
	if o.Now != nil {
		h.now = o.Now
	}
	for _, f := range o.Observers {
		if f != nil {
			h.observers = append(h.observers, f)
		}
	}
	return h
}

// Publish gives an event a number and a time, puts it into the ring, and calls the observers. It
// does not wait for subscribers. After Close observers alone are told.
func (h *Hub) Publish(e proxy.Event) {
	h.put(&e)
	for _, observe := range h.observers {
		observe(e)
	}
}

func (h *Hub) put(e *proxy.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.last++
	if uint64(len(h.ring)) < h.events {
		h.ring = append(h.ring, slot{})
	}
	at, size := h.atLocked(h.last), e.Exchange.Size()
	h.held += size - at.size // of the event that was there before
	at.ID, at.Time, at.Event.Event, at.size = h.last, h.now(), *e, size
	for h.held > h.bytes {
		h.forgetLocked()
	}
	h.wakeLocked(&at.Event)
}

// atLocked returns where the event with an ID is, or will be.
func (h *Hub) atLocked(id uint64) *slot { return &h.ring[(id-1)%h.events] }

// oldestLocked returns the ID of the oldest event in the ring.
func (h *Hub) oldestLocked() uint64 { return h.last - uint64(len(h.ring)) + 1 }

// forgetLocked takes the oldest exchange out of the ring.
func (h *Hub) forgetLocked() {
	h.whole = max(h.whole+1, h.oldestLocked())
	at := h.atLocked(h.whole)
	h.held -= at.size
	at.Exchange, at.size = nil, 0
}

// waiter is somebody who waits for an event.
type waiter struct {
	wanted func(*proxy.Event) bool // nil: every event is
	after  uint64                  // no event up to this ID is wanted; set before woken is closed
	woken  chan struct{}
}

// wakeLocked lets those go on who wait for an event such as this one, which is the newest.
func (h *Hub) wakeLocked(e *Event) {
	if len(h.waiting) == 0 {
		return
	}
	h.waiting = slices.DeleteFunc(h.waiting, func(w *waiter) bool {
		if w.wanted != nil && !w.wanted(&e.Event) {
			return false
		}
		w.after = e.ID - 1
		close(w.woken)
		return true
	})
}

// Close ends every Follow once it has handed out all events. To close a hub again does nothing.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, w := range h.waiting {
		w.after = h.last
		close(w.woken)
	}
	h.waiting = nil
}

// Last returns the last events that are held, n at most, the oldest first.
func (h *Hub) Last(n int) []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	n = max(0, min(n, len(h.ring)))
	list := make([]Event, 0, n)
	for id := h.last - uint64(n) + 1; id <= h.last; id++ {
		list = append(list, h.atLocked(id).Event)
	}
	return list
}

// LastID returns the ID of the newest event: Follow(ctx, h.LastID()) hands out what comes from now
// on. It is 0 before the first event.
func (h *Hub) LastID() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// FirstID returns the ID of the oldest event that is held; 0 before the first event.
func (h *Hub) FirstID() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last == 0 {
		return 0
	}
	return h.oldestLocked()
}

// Follow hands out the events after one with an ID, in their order, and waits for the next when
// there is none. With each it says how many events before it were lost, because the ring had no
// room for them any more. After 0 the oldest event that is held comes first, and what left the ring
// before counts as lost. It ends with ctx, or when the hub has been closed and all was handed out.
func (h *Hub) Follow(ctx context.Context, after uint64) iter.Seq2[Event, uint64] {
	return h.FollowOnly(ctx, after, nil)
}

// FollowOnly is Follow for the events that are wanted; nil wants all. What is not wanted wakes nobody,
// and is not lost where nobody was behind. The first event behind lost ones comes in any case. wanted
// is called while requests wait for it: it must only look at its event.
func (h *Hub) FollowOnly(ctx context.Context, after uint64, wanted func(*proxy.Event) bool,
) iter.Seq2[Event, uint64] {
	return func(yield func(Event, uint64) bool) {
		for {
			e, lost, w := h.after(after, wanted)
			switch {
			case e.ID != 0:
				if ctx.Err() != nil || !yield(e, lost) {
					return
				}
				after = e.ID
				continue
			case w == nil:
				return
			}
			select {
			case <-w.woken:
				after = w.after
			case <-ctx.Done():
				h.leave(w)
				return
			}
		}
	}
}

// after returns the first event that is held after one with an ID and is wanted, or that is behind
// lost ones, and how many were lost. If there is none the event has no ID, and w is woken when there is
// one; it is nil if there never will be.
func (h *Hub) after(id uint64, wanted func(*proxy.Event) bool) (e Event, lost uint64, w *waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id < h.last {
		first := max(id+1, h.oldestLocked())
		lost = first - id - 1
		for ; first <= h.last; first++ {
			if at := h.atLocked(first); lost > 0 || wanted == nil || wanted(&at.Event.Event) {
				return at.Event, lost, nil
			}
		}
	}
	if h.closed {
		return Event{}, 0, nil
	}
	w = &waiter{wanted: wanted, woken: make(chan struct{})}
	h.waiting = append(h.waiting, w)
	return Event{}, 0, w
}

// leave has a waiter wait no more.
func (h *Hub) leave(w *waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = slices.DeleteFunc(h.waiting, func(other *waiter) bool { return other == w })
}

// Exchange returns the request and the answer of the event with an ID, without their secrets. It
// returns false for an event without an exchange, and for one that is no longer held. The first
// look cleans all exchanges before it that are held, some tenths of a millisecond each; two looks
// at once wait for each other, and traffic for neither.
func (h *Hub) Exchange(id uint64) (redact.Clean, bool) {
	if h.redactor == nil {
		return redact.Clean{}, false
	}
	h.cleaning.Lock()
	defer h.cleaning.Unlock()
	before, x := h.uncleaned(id)
	for _, b := range before {
		if !b.Cleaned() {
			b.Clean(h.redactor)
		}
	}
	if x == nil {
		return redact.Clean{}, false
	}
	return x.Clean(h.redactor), true
}

// Trace returns how the answer of the event with an ID was found on tape, or why there was none. It is
// nil for an event of which no tape was asked, and for an exchange that is no longer held.
func (h *Hub) Trace(id uint64) *match.Trace {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ring) == 0 || id < h.oldestLocked() || id > h.last {
		return nil
	}
	return h.atLocked(id).Exchange.Trace()
}

// Miss returns the ID of the event that tells of the n-th miss of the run, and false if that is no
// longer held. 0 stands for the last miss.
func (h *Hub) Miss(n uint64) (id uint64, found bool) {
	return h.latest(func(e *Event) bool {
		return e.Kind == proxy.Missed && (n == 0 || e.Event.Miss == n)
	})
}

// Callback returns the ID of the latest event that tells of the n-th callback, and false if none is
// held.
func (h *Hub) Callback(n int) (id uint64, found bool) {
	return h.latest(func(e *Event) bool { return e.Kind == proxy.Callback && e.Event.Callback == n })
}

// latest returns the ID of the latest event that is wanted, and false if none is held.
func (h *Hub) latest(wanted func(*Event) bool) (id uint64, found bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := h.last; len(h.ring) > 0 && id >= h.oldestLocked(); id-- {
		if wanted(&h.atLocked(id).Event) {
			return id, true
		}
	}
	return 0, false
}

// uncleaned returns the exchange of an event, nil for none, and the exchanges before it that have
// not been cleaned.
func (h *Hub) uncleaned(id uint64) (before []*proxy.Exchange, x *proxy.Exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ring) == 0 || id < h.oldestLocked() || id > h.last {
		return nil, nil
	}
	for n := max(h.cleaned+1, h.oldestLocked()); n < id; n++ {
		if b := h.atLocked(n).Exchange; b != nil {
			before = append(before, b)
		}
	}
	h.cleaned = max(h.cleaned, id)
	return before, h.atLocked(id).Exchange
}
