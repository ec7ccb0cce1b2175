package proxytest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/deck"
)

// Callbacks are what a replay deck tells the shop by itself. A test is called back in one of three
// ways. A shop that has an address, such as a server of httptest, is called there. A shop that has
// none is the test itself:
//
//	paid := deck.Callbacks.Next()
//	if paid.Operation != "deposited" || paid.Value("mdOrder") != orderID { ... }
//
// And with CallbackOptions(deck.Callbacks{Mode: deck.CallbacksHold}) a callback, and each
// repetition of it, goes out when the test calls Next, which returns when the shop has answered: so
// a test looks at what its shop does before it has heard of a payment, and behind that.
type Callbacks struct {
	deck *Deck

	mu    sync.Mutex // guards the rest
	all   []*callback.Sent
	next  int           // of all, which Next returns
	added chan struct{} // closed when there is one more
}

// CallbackOptions say how a replay calls back: held, signed with the keys of a test. A deck that
// records has no use for them.
func CallbackOptions(c deck.Callbacks) Option { return func(s *settings) { s.callbacks = c } }

// newCallbacks collects the callbacks of a deck that runs.
func newCallbacks(d *Deck) *Callbacks {
	c := &Callbacks{deck: d, added: make(chan struct{})}
	if s := d.running.Callbacks(); s != nil {
		s.Tap(c.add)
	}
	return c
}

func (c *Callbacks) add(sent *callback.Sent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, sent)
	close(c.added)
	c.added = make(chan struct{})
}

// All returns what has gone out so far, each attempt apart.
func (c *Callbacks) All() []*callback.Sent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*callback.Sent(nil), c.all...)
}

// Next returns the attempt behind the one that it has returned before, and waits for it: with the
// answer of the shop, if there is one. Where callbacks are held it sends the next. If none comes in
// time the test ends.
func (c *Callbacks) Next() *callback.Sent {
	t := c.deck.t
	t.Helper()
	sender := c.deck.running.Callbacks()
	if sender == nil {
		t.Fatalf("paytape: this deck sends no callbacks: there are none on tape, they are off, or it records")
	}
	ctx, stop := patience(t)
	defer stop()
	for {
		changed := sender.Changed()
		sent, added := c.take()
		if sent != nil {
			return sent
		}
		if _, err := sender.Next(); err == nil {
			continue
		}
		select {
		case <-added:
		case <-changed: // one is held, perhaps
		case <-ctx.Done():
			t.Fatalf("paytape: no callback came: was the call answered that causes it on tape?")
		}
	}
}

// take returns what has gone out and was not returned yet; nil if there is nothing, and then what
// is closed when there is.
func (c *Callbacks) take() (*callback.Sent, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == len(c.all) {
		return nil, c.added
	}
	c.next++
	return c.all[c.next-1], nil
}

// longest is how long a test waits for an event.
const longest = 10 * time.Second

// patience returns a context that ends when a test should wait no longer: after ten seconds, or a
// little before the test has to end.
func patience(t testing.TB) (context.Context, context.CancelFunc) {
	by := time.Now().Add(longest)
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := limited.Deadline(); ok && end.Add(-time.Second).Before(by) {
			by = end.Add(-time.Second)
		}
	}
	return context.WithDeadline(context.Background(), by)
}

// Await returns the first event of the deck that is as wanted, of those that have been and those
// that come. If none comes in time the test ends.
//
//	deck.Await(proxytest.Accepted("deposited")) // the shop has heard of the payment
func (d *Deck) Await(wanted func(proxy.Event) bool) proxy.Event {
	d.t.Helper()
	ctx, stop := patience(d.t)
	defer stop()
	for e := range d.running.Events().Follow(ctx, 0) {
		if wanted(e.Event) {
			return e.Event
		}
	}
	err := errors.New("the deck has ended")
	if ctx.Err() != nil {
		err = errors.New("none came in time")
	}
	d.t.Fatalf("paytape: waiting for an event: %v", err)
	return proxy.Event{}
}

// Operation wants an answer to a call, or an attempt of a callback, by the name of the operation:
// "refund.do", "deposited".
func Operation(name string) func(proxy.Event) bool {
	return func(e proxy.Event) bool { return e.Operation == name }
}

// Accepted wants a callback that the shop has taken, by what it tells: "deposited".
func Accepted(operation string) func(proxy.Event) bool {
	return func(e proxy.Event) bool {
		return e.Kind == proxy.Callback && e.Outcome == proxy.OutcomeAccepted && e.Operation == operation
	}
}
