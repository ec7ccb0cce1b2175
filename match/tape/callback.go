package tape

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
)

// A callback is one more answer to the call that caused it, which goes out on another way: what the
// sandbox sent is a template like the body of an answer. A payment shows it:
//
//	#1 register.do  orderNumber=A-1 dynamicCallbackUrl=http://shop/cb    {"orderId":"0190-aa"}
//	#2 paymentorder.do  MDORDER=0190-aa    {"errorCode":0}
//	#3 callback  ?mdOrder=0190-aa&orderNumber=A-1&operation=deposited&bindingId=77-bb
//
// The callback #3 names the order. The latest write about the order that may cause "deposited" is
// #2. So the binding 77-bb, which no answer has shown, was born in #2. All holes are filled from
// what is related to the order, and none from the request of #2: where the order was paid behind
// the deck's back, the callback goes out when no request is at hand.

// Callback is something that the sandbox told the shop by itself, with all attempts to do so.
type Callback struct {
	Operation string // what it tells: "deposited"; empty where no profile knows
	Cassette  string
	Number    int              // of the first attempt
	Profile   *profile.Profile // nil where none knows the callback
	Cause     *Recording
	// Entity is what the callback is about: the cause names it in this Role or, if Birth is set,
	// bears it.
	Entity *Entity
	Role   int
	Birth  bool

	Method string
	// Signed says that it holds a signature, or what cleaning left of one.
	Signed bool
	// Gap is how long after the answer of the cause it came; negative for one that came before.
	Gap      time.Duration
	Attempts []Attempt
	// Class is equal for congruent callbacks.
	Class uint64
	// Place is where it came among all exchanges of the cassette, from 1.
	Place int

	at      time.Time // when it came; zero if unknown
	address *Source   // of the shop, as the client has told it; nil where the sandbox knew it
	target  Template
	header  *answerHeader
	body    Template
}

// Attempt is how a shop answered one attempt.
type Attempt struct {
	Gap    time.Duration // after the attempt before; 0 for the first
	Status int           // 0: there was no answer
	at     time.Time
}

// Address returns where the shop has asked to be called, nil if it is to be called where the sandbox
// knows.
func (c *Callback) Address() *Source { return c.address }

// Target returns what stands behind the shop's address: a path and a query, both of which may be empty.
// A URL on tape has the path "/" where the sandbox has put none behind the address. Holes are filled as
// Template.Append fills them.
func (c *Callback) Target(value func(*Hole) string) (path, query string) {
	path, query, _ = strings.Cut(c.target.Text(value), "?")
	if path == "/" {
		path = ""
	}
	return path, query
}

// Header returns the header of the callback, with its holes filled as Template.Append fills them. It may
// be shared and must not be changed.
func (c *Callback) Header(value func(*Hole) string) http.Header { return c.header.write(value) }

// Body returns the template of the body.
func (c *Callback) Body() Template { return c.body }

// At returns when the callback came; the zero time if that is unknown.
func (c *Callback) At() time.Time { return c.at }

// Orphans names the callbacks that name nothing known, or that no call can have caused. Nobody
// knows when to send them.
func (t *Tape) Orphans() []Recorded { return t.orphans }

// Profiles returns what the exchanges tell of the profiles that they were recorded with: see
// leaf.Meta.Profiles.
func (t *Tape) Profiles() []string { return t.profiles }

// callback compiles a callback, which is no recording of a request and moves nothing.
func (c *compiler) callback(a *readied) {
	x := a.x
	c.place = a.place
	m := leaf.Read(leaf.Message{
		Target: strings.Clone(x.Target()), Header: sentOn(x.Request.Headers), Body: x.Request.Body,
	})
	call := c.callOf(x, m)
	cb := &Callback{
		Operation: c.tape.words.word(eventOf(x, call.Profile, m)), Cassette: c.name,
		Number: numberOf(x, c.place), Place: c.place, Profile: call.Profile,
		Method: c.tape.words.word(x.Method), Signed: signed(x, call.Profile, m), at: tellable(x.Meta.At),
	}
	named := c.namedIn(call, m)
	cb.Cause, cb.Entity = c.causeOf(cb, named)
	if cb.Cause == nil {
		c.tape.orphans = append(c.tape.orphans, Recorded{cb.Cassette, cb.Number, cb.Operation})
		return
	}
	cb.stand()
	r := c.reader(cb.Cause, &request.Request{Call: call, Method: x.Method, Target: x.Target()}, m)
	r.callback = cb
	var notes leafNotes
	notes.make(c.opts.Profiles, noting{call: call, half: profile.Request, infers: cb.Cause.Infers}, m)
	r.notes = &notes
	r.holes()
	cb.target = r.target.cut(c.tape.words, m.Target, 0, len(m.Target))
	cb.body = r.body.cut(c.tape.words, m.Body, 0, len(m.Body))
	cb.header = r.header(&leaf.Exchange{})
	cb.Class = r.callbackClass()
	if x.Meta.Callback.Via != leaf.ViaStatic {
		cb.address = r.shopAddress()
	}
	cb.Gap = x.Meta.Callback.Gap
	if !cb.at.IsZero() && !cb.Cause.Answered().IsZero() {
		cb.Gap = cb.at.Sub(cb.Cause.Answered())
	}
	cb.Cause.attempt(cb, statusOf(x), x.Meta.Callback.Attempt > 1)
}

// callOf returns what is known of a callback. A tape that was recorded without the profile of its API
// does not name it: then it is that of the calls on tape which calls back and has the field that tells
// what has happened.
func (c *compiler) callOf(x *leaf.Exchange, m *leaf.Message) profile.Call {
	if x.Meta.Profile != "" {
		return c.opts.Profiles.FindCallback(x.Meta.Profile)
	}
	for _, p := range c.opts.Profiles.Profiles() {
		if p.Callbacks == nil || p.Callbacks.Event == "" || !c.apis[p] {
			continue
		}
		if _, has := valueIn(m, p.Callbacks.Event); has {
			return c.opts.Profiles.FindCallback(p.Name)
		}
	}
	return profile.Call{}
}

// stand notes where the cause has what the callback is about.
func (c *Callback) stand() {
	c.Role = slices.Index(c.Cause.Roles, c.Entity)
	if c.Role < 0 {
		c.Role, c.Birth = slices.Index(c.Cause.Births, c.Entity), true
	}
}

// attempt adds a callback to those that the recording has caused. One like a callback that the shop
// has not taken is another attempt, and so is what the deck has recorded as another (again): the
// sandbox may not have heard that the shop has taken the attempt before.
func (r *Recording) attempt(c *Callback, status int, again bool) {
	for _, o := range slices.Backward(r.Callbacks) {
		last := o.Attempts[len(o.Attempts)-1]
		if o.Class != c.Class || c.Profile.AcceptsCallback(last.Status) && !again {
			continue
		}
		next := Attempt{Status: status, at: c.at}
		if !c.at.IsZero() && !last.at.IsZero() {
			next.Gap = c.at.Sub(last.at)
		}
		o.Attempts = append(o.Attempts, next)
		return
	}
	c.Attempts = []Attempt{{Status: status, at: c.at}}
	r.Callbacks = append(r.Callbacks, c)
}

// statusOf returns the status with which a shop answered a callback; 0 if it gave no answer.
func statusOf(x *leaf.Exchange) int {
	if x.Meta.Fault == leaf.FaultNoAnswer || x.Meta.Fault == leaf.FaultTimeout {
		return 0
	}
	return x.Code
}

// hopHeaders are the headers of a message that whoever sends it on writes himself (RFC 9110,
// 7.6.1), and those of a body as it was on the wire: on tape it has no content coding.
var hopHeaders = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Host", "Content-Length", "Content-Encoding",
	"Accept-Encoding", "Expect", "Date",
}

// sentOn returns the header of a callback without what belongs to the connection.
func sentOn(h http.Header) http.Header {
	out := h.Clone()
	for _, names := range h["Connection"] {
		for name := range strings.SplitSeq(names, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopHeaders {
		delete(out, name)
	}
	return out
}

// valueIn returns the value of a field of a callback, wherever it stands.
func valueIn(m *leaf.Message, key string) (string, bool) {
	for i := range m.Leaves {
		if l := &m.Leaves[i]; l.Place != leaf.Header && strings.EqualFold(l.Key, key) {
			return l.Value, true
		}
	}
	return "", false
}

// eventOf returns what a callback tells.
func eventOf(x *leaf.Exchange, p *profile.Profile, m *leaf.Message) string {
	if x.Meta.Callback.Operation != "" || p == nil || p.Callbacks == nil || p.Callbacks.Event == "" {
		return x.Meta.Callback.Operation
	}
	text, _ := valueIn(m, p.Callbacks.Event)
	return text
}

// signed reports whether a callback holds a signature.
func signed(x *leaf.Exchange, p *profile.Profile, m *leaf.Message) bool {
	if x.Meta.Callback.Checksum != "" {
		return true
	}
	if p == nil || p.Callbacks == nil || p.Callbacks.Sign == nil {
		return false
	}
	s := p.Callbacks.Sign
	if s.Header != "" {
		return x.Request.Headers.Get(s.Header) != ""
	}
	_, found := valueIn(m, s.Field)
	return found
}

// namedIn returns the entities that a callback names, in the order in which it does.
func (c *compiler) namedIn(call profile.Call, m *leaf.Message) []*Entity {
	var named []*Entity
	note := func(noun, text string) {
		k, ok := c.values.find(noun, text, nil)
		if ok && !k.entity.Scope && !slices.Contains(named, k.entity) {
			named = append(named, k.entity)
		}
	}
	passages := m.Passages()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Value == "" || l.Place == leaf.Header {
			continue
		}
		f, known := c.opts.Profiles.Meaning(call, profile.Request, request.At(l))
		switch {
		case f.Of != "" && f.From != profile.Rendering &&
			(call.Profile.Entity(f.Of) != nil || call.Profile != nil && call.InfersNoun(f.Of)):
			note(f.Of, request.Canonical(f, l.Value))
		case !known:
			for _, tok := range infer.AppendTokens(nil, l, passages) {
				note("", tok.Text)
			}
		}
	}
	return named
}

// causeOf returns the latest write about what a callback names that may have caused it, and which
// of the named entities the write is about. Both are nil if there is none. A callback that names an
// order is not about a payment of another order, even if both were paid with one binding.
func (c *compiler) causeOf(cb *Callback, named []*Entity) (*Recording, *Entity) {
	var cause *Recording
	var about *Entity
	for _, e := range named {
		for _, w := range e.events {
			if cause != nil && w.Place <= cause.Place || !cb.mayFollow(w) || w.ofOthers(named) {
				continue
			}
			cause, about = w, e
		}
	}
	return cause, about
}

// mayFollow reports whether a write may have caused the callback: it began before, and is of an
// operation that does so.
func (c *Callback) mayFollow(w *Recording) bool {
	if w.Surveyed() >= c.Place || !c.at.IsZero() && w.Began().After(c.at) || !w.Writes() {
		return false
	}
	return c.Profile == nil || c.Profile.Callbacks.MayFollow(c.Operation, w.Operation())
}

// ofOthers reports whether a write is about entities of the kinds of some others, and about none of
// these.
func (r *Recording) ofOthers(named []*Entity) bool {
	own := slices.Concat(r.Roles, r.Births)
	for _, n := range named {
		kin, same := false, false
		for _, e := range own {
			if e.Kind == n.Kind {
				kin, same = true, same || slices.Contains(named, e)
			}
		}
		if kin && !same {
			return true
		}
	}
	return false
}

// tellsCause returns the event that a date in a callback tells: the cause, an earlier write, or
// what nobody has seen but the sandbox, which then called. Both results are nil for a day, and for
// a date that an answer has shown.
func (a *answerReader) tellsCause(l *leaf.Leaf, near []*Entity, form profile.Form) (*Source, *Entity) {
	if !dates.Fine(form) {
		return nil, nil
	}
	const causes, others = true, false
	for _, of := range []bool{causes, others} {
		for _, skew := range a.clock.skews() {
			for _, zone := range a.zones() {
				at, _ := dates.Parse(form, l.Value, zone)
				for _, e := range near {
					for k, w := range e.happenedAt(at, form) {
						if (w == a.rec) == of && within(w, at, form, skew) {
							return a.eventOf(e, k, w.Answered().In(zone)), e
						}
					}
				}
			}
		}
	}
	e := a.callback.Entity
	if e.dates[dated{form, l.Value, ""}] != nil || a.callback.at.IsZero() {
		return nil, nil
	}
	s := a.kept(l, e)
	s.at = nanoseconds(a.callback.at)
	a.tape.words.refill(s, func(f *Filling) { f.Zone = a.tape.words.zone(a.callback.at) })
	return s, e
}

// shopAddress returns the address that the client has told for callbacks about what the callback at
// hand is about; nil if it has told none.
func (a *answerReader) shopAddress() *Source {
	for _, e := range slices.Concat([]*Entity{a.callback.Entity}, a.rec.Roles, a.rec.Births) {
		for _, v := range slices.Backward(e.values) {
			if !v.minted && !v.isName && a.tellsAddress(v) {
				return a.valueOf(v)
			}
		}
	}
	return nil
}

// tellsAddress reports whether a value of an entity is an address of the shop, to be called at.
func (a *answerReader) tellsAddress(v *value) bool {
	if a.relayed[v.slot.Name] {
		return true
	}
	p := a.rec.call.Profile
	return p != nil && p.Callbacks != nil && slices.ContainsFunc(p.Callbacks.Address,
		func(key string) bool { return strings.EqualFold(request.LastName(key), v.slot.Name) })
}

// callbackClass digests the callback at hand without what looks made for it alone.
func (a *answerReader) callbackClass() uint64 {
	fluid := func(c *cell) bool { return c.fluid }
	return digestText(a.req.Method) ^ digestCells(a.cells(), fluid)
}
