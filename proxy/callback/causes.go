package callback

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Causes know which exchange a callback follows, as far as a deck can tell while it records: the
// latest write that names what the callback is about, and that may cause what the callback tells.
//
//	#1 register.do         names the order 3f..., but causes nothing that is "deposited"
//	#2 paymentorder.do     names 3f...: the cause
//	#3 getOrderStatus.do   writes nothing
//	   the callback        mdOrder=3f...&operation=deposited
//
// A callback may come before the answer that it follows: requests that are under way count by what
// was sent of them. The order of 4096 names at most is remembered. NewCauses makes one; it is safe
// for concurrent use.
type Causes struct {
	set *profile.Set

	mu       sync.Mutex // guards the rest
	underway map[int]*cause
	named    map[string][]*cause // ended writes by the names in them, the latest last
	order    []string            // the names, the oldest first
	most     int                 // names; 0 for no bound
}

// Bounds of what Causes remember.
const (
	maxCauses = 4096
	maxWrites = 8 // of one name
)

// cause is a write that may cause callbacks.
type cause struct {
	leaf.Unprinted
	number int
	began  time.Time
	call   profile.Call
	sent   func() string // what was sent of the request

	mu      sync.Mutex // guards the rest
	over    bool
	ended   time.Time // zero if nobody has noted it
	address string    // of the shop, if the request has told it
}

// NewCauses returns Causes for the APIs that a set knows.
func NewCauses(set *profile.Set) *Causes {
	return &Causes{
		set: set, underway: map[int]*cause{}, named: map[string][]*cause{}, most: maxCauses,
	}
}

// Began is told of a request that is about to be sent.
func (c *Causes) Began(number int, call profile.Call, sent func() string) {
	if !mayCause(call) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.underway[number] = &cause{number: number, began: time.Now(), call: call, sent: sent}
}

// mayCause reports whether callbacks may follow a call at all.
func mayCause(call profile.Call) bool {
	return call.Operation != nil && call.Operation.Writes && call.Profile.Callbacks != nil
}

// Ended is told of an exchange as it was on the wire.
func (c *Causes) Ended(x *leaf.Exchange) {
	c.mu.Lock()
	w := c.underway[x.Meta.Number]
	c.mu.Unlock()
	if w == nil {
		return
	}
	c.end(w, x)
}

// end notes an exchange that is over, by the names in it.
func (c *Causes) end(w *cause, x *leaf.Exchange) {
	asked, answered := leaf.Read(plainMessage(x.Asked())), leaf.Read(plainMessage(x.Answered()))
	names := append(c.names(w.call, profile.Request, asked),
		c.names(w.call, profile.Response, answered)...)
	c.mu.Lock() // first: whoever looks for a cause finds this one before it has ended, or by its names
	defer c.mu.Unlock()
	w.end(x, asked)
	delete(c.underway, w.number)
	for _, name := range names {
		c.noteLocked(name, w)
	}
}

// end notes that the write is over, and what its request has told of the shop.
func (w *cause) end(x *leaf.Exchange, asked *leaf.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over, w.sent = true, nil
	if !x.Meta.At.IsZero() {
		w.ended = x.Meta.At.Add(x.Response.Duration)
	}
	for _, field := range w.call.Profile.Callbacks.Address {
		w.address = cmp.Or(w.address, fieldOf(asked, field))
	}
}

// noteLocked remembers a write by a name in it.
func (c *Causes) noteLocked(name string, w *cause) {
	known := c.named[name]
	if known == nil {
		if c.most > 0 && len(c.order) == c.most {
			delete(c.named, c.order[0])
			c.order = append(c.order[:0], c.order[1:]...)
		}
		c.order = append(c.order, name)
	}
	if slices.Contains(known, w) {
		return
	}
	if known = append(known, w); c.most > 0 && len(known) > maxWrites {
		known = known[1:]
	}
	c.named[name] = known
}

// plainMessage undoes the content coding of a message, as far as that is possible within bounds.
func plainMessage(m leaf.Message) leaf.Message {
	body, err := leaf.Decode(strings.Join(m.Header.Values("Content-Encoding"), ", "),
		[]byte(m.Body), maxRead)
	if err != nil {
		m.Body = ""
		return m
	}
	m.Body = string(body)
	return m
}

// names returns the values of a message that name things.
func (c *Causes) names(call profile.Call, dir profile.Direction, read *leaf.Message) []string {
	var all []string
	for i := range read.Leaves {
		if l := &read.Leaves[i]; isName(c.set, call, dir, l) {
			all = append(all, l.Value)
		}
	}
	return all
}

// isName reports whether a leaf names a thing of which there is one: an order, not a card.
func isName(set *profile.Set, call profile.Call, dir profile.Direction, l *leaf.Leaf) bool {
	switch l.Place {
	case leaf.Query, leaf.Form, leaf.JSON, leaf.Markup:
	default:
		return false
	}
	f, known := set.Field(call, dir, profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape})
	return known && l.Value != "" && f.Secret == profile.NotSecret &&
		(f.From == profile.Minted || f.From == profile.Unique)
}

// find returns the cause of a callback that came at a time, by the names in it; nil if it is not
// known.
func (c *Causes) find(p *profile.Profile, event string, names []string, at time.Time) *cause {
	if p == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *cause
	consider := func(w *cause) {
		if w.call.Profile == p && (at.IsZero() || !w.began.After(at)) &&
			p.Callbacks.MayFollow(event, w.call.Operation.Name) &&
			(found == nil || w.number > found.number) {
			found = w
		}
	}
	for _, name := range names {
		for _, w := range c.named[name] {
			consider(w)
		}
		for _, w := range c.underway {
			if w.mentions(name) {
				consider(w)
			}
		}
	}
	return found
}

// mentions reports whether a request that is under way has a name in it.
func (w *cause) mentions(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent != nil && strings.Contains(w.sent(), name)
}

// distance returns the number of the cause, and how long after its end a moment was: negative if it
// ended later, or has not ended yet. A nil cause is not known.
func (w *cause) distance(at time.Time) (of int, gap time.Duration) {
	if w == nil {
		return 0, 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.over:
		return w.number, time.Until(at)
	case w.ended.IsZero(), at.IsZero():
		return w.number, 0
	}
	return w.number, at.Sub(w.ended)
}
