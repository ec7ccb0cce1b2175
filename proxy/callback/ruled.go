package callback

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
)

// Rules say what a run does with callbacks. A rules.Engine does.
type Rules interface {
	// OnCallbacks reports whether there are rules on callbacks.
	OnCallbacks() bool
	// Callback returns what they say of an attempt; nil if they say nothing.
	Callback(*rules.Asked) *rules.CallbackRuling
}

// The rules are asked before each attempt that the sandbox would make. A callback that they send at
// another time goes its own way, aside of its lane: it neither waits for the callbacks before it
// nor holds up those behind it. So a shop can be told of a deposit before it has the answer, and of
// the same deposit once more after the refund.
//
// What a rule has sent beside, the copies, are events of their own. The rules are not asked for
// them, and each is tried once.

// ruled is what rules make of an event.
type ruled struct {
	ruling  *rules.CallbackRuling // of the coming attempt, or of the latest; nil: they say nothing
	as      *match.Callback       // as the ruling has it; nil: as it is
	signing rules.Signing
	fired   []string // the names of the rules that fire
	// firedCounts has for each of fired how often it has fired
	firedCounts []string
	// altered says that a shop has got other bytes, so that what it says cannot be compared.
	altered   bool
	explained []string // of the rulings so far
	repeats   int      // how often it is sent again when the shop has taken it
	every     time.Duration
	repeating []string // the names of the rules that want that
	// placed says that a rule has decided when an attempt goes out. Those that follow come after the
	// pauses of the sandbox.
	placed bool
	aside  bool // it is in no lane
	copied bool // a rule has it sent beside another
	waits  bool // for a call of the shop
	// first is closed when the first attempt has ended, or the event; nil: nobody waits for that.
	first chan struct{}
}

// errLost says that a rule has lost an attempt.
var errLost = errors.New("a rule has lost the callback")

// extra reports whether the sandbox would not have sent an event.
func (e *event) extra() bool { return e.again || e.copied }

// silenced reports whether the last attempt was lost by a rule.
func (e *event) silenced() bool {
	return len(e.attempts) > 0 && e.attempts[len(e.attempts)-1].problem == proxy.ProblemRule
}

// endFirst tells whoever waits for the first attempt that it has ended. The lock of the Sender is
// held.
func (e *event) endFirst() {
	if e.first != nil {
		close(e.first)
		e.first = nil
	}
}

// ask asks the rules about the coming attempt of an event.
func (s *Sender) ask(e *event) {
	if s.options.Rules == nil || e.copied {
		return
	}
	var ruling *rules.CallbackRuling
	var as *match.Callback
	if s.options.Rules.OnCallbacks() {
		if q := s.asked(&e.Callback); q != nil {
			ruling = s.options.Rules.Callback(q)
		}
		as = changed(&e.Callback, ruling)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.unasked = false
	e.ruling, e.as, e.signing = ruling, as, ruling.Signing()
	e.fired, e.firedCounts = ruling.Fired(), ruling.Counts()
	if times, every := ruling.Repeats(); times > 0 {
		e.repeats, e.every, e.repeating = times, every, e.fired
	}
	if text := ruling.Explanation(); text != "" {
		e.explained = append(slices.Clip(e.explained), text)
	}
	e.altered = e.altered || as != nil || e.signing != rules.Signed
}

// asked returns a callback as rules look at it; nil for one with too many fields.
func (s *Sender) asked(cb *match.Callback) *rules.Asked {
	name := ""
	if cb.Profile != nil {
		name = cb.Profile.Name
	}
	r, ok := match.NewLiveRequest(s.options.Profiles, match.Incoming{
		Call: s.options.Profiles.FindCallback(name), Method: cb.Method, Target: targetOf(cb),
		Header: cb.Header, Body: cb.Body,
	})
	if !ok {
		return nil
	}
	r.Session = cb.Session
	return &rules.Asked{Request: r, Body: cb.Body}
}

// targetOf returns path and query of a callback without those of the shop's address.
func targetOf(cb *match.Callback) string {
	target := "/" + strings.TrimPrefix(cb.Path, "/")
	if cb.Query != "" {
		target += "?" + cb.Query
	}
	return target
}

// changed returns a callback as a ruling has it; nil if it stays as it is.
func changed(cb *match.Callback, ruling *rules.CallbackRuling) *match.Callback {
	target := targetOf(cb)
	q, did := ruling.Change(rules.Question{Target: target, Header: cb.Header, Body: cb.Body})
	if !did {
		return nil
	}
	as := *cb
	as.Header, as.Body = q.Header, q.Body
	path, query, _ := strings.Cut(q.Target, "?")
	as.Query = query
	if before, _, _ := strings.Cut(target, "?"); path != before {
		as.Path = path
	}
	return &as
}

// composeRuled puts an attempt together as the rules have it. Its error is errLost if they have
// lost it.
func (s *Sender) composeRuled(e *event) (*outgoing, error) {
	if e.ruling.Lost() {
		return nil, errLost
	}
	cb := e.Callback
	if e.as != nil {
		cb = *e.as
	}
	return s.compose(cb, e.signing)
}

// plan decides when the coming attempt of an event goes out: a gap from now, unless a rule says
// otherwise. The lock of the Sender is held.
func (e *event) plan(now time.Time, gap time.Duration) {
	sending := e.ruling.Sending()
	if e.placed {
		sending = rules.Sending{}
	}
	switch sending.When {
	case rules.AsItComes:
	case rules.Later:
		gap = sending.Wait
	default:
		gap = 0
	}
	e.due = now.Add(gap)
	e.placed = e.placed || sending.When != rules.AsItComes
	e.aside = e.aside || sending.When == rules.Later || sending.When == rules.BeforeAnswer
	e.waits = sending.When == rules.AfterCall
}

// waitLocked has an event wait for a call.
func (s *Sender) waitLocked(e *event) {
	e.state = Waiting
	s.waits = append(s.waits, e)
	s.waiting.Add(1)
	s.wakeLocked()
}

// askAgain asks the rules about the next attempt of an event, which comes after a pause. It returns
// true if the event goes its own way from now on.
func (s *Sender) askAgain(e *event, pause time.Duration) bool {
	s.ask(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.state.over() {
		return false
	}
	before := e.aside
	e.plan(time.Now(), pause)
	switch {
	case e.waits:
		s.waitLocked(e)
	case e.aside && !before:
		s.runs.Go(func() { s.deliver(e) })
	default:
		return false
	}
	return true
}

// Announce takes what an answer brings that is about to go out, and returns when it may: what a
// rule sends before the answer has been tried once, within the time of one attempt. What it returns
// is to be called when the answer has gone out, in place of Deliver; nil: Deliver does.
func (s *Sender) Announce(ctx context.Context, a proxy.Announced) (gone func()) {
	r := s.options.Rules
	if r == nil || s.waiting.Load() == 0 && (len(a.Callbacks) == 0 || !r.OnCallbacks()) {
		return nil
	}
	var first, rest []*event
	var tried []chan struct{}
	batch := 0
	for _, e := range s.events(a.Callbacks) {
		batch = e.batch
		switch e.ruling.Sending().When {
		case rules.BeforeAnswer:
			e.first = make(chan struct{})
			tried = append(tried, e.first)
			first = append(first, e)
		case rules.AfterCall:
			first = append(first, e) // the call may come as soon as the client has the answer
		default:
			rest = append(rest, e)
		}
	}
	s.take(first)
	s.awaitAll(ctx, tried)
	return func() {
		waited := s.awaiting(a, batch)
		s.take(rest)
		s.await(a.Due)
		s.release(waited)
	}
}

// awaitAll waits for attempts, within the time of one.
func (s *Sender) awaitAll(ctx context.Context, tried []chan struct{}) {
	if len(tried) == 0 {
		return
	}
	timer := time.NewTimer(attemptTime)
	defer timer.Stop()
	for _, ended := range tried {
		select {
		case <-ended:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// awaiting returns the events that wait for a call which was answered, but for those that the
// answer itself has brought.
func (s *Sender) awaiting(a proxy.Announced, batch int) []*event {
	if s.waiting.Load() == 0 || a.Flow == 0 {
		return nil
	}
	path, _, _ := strings.Cut(a.Target, "?")
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*event
	for _, e := range s.waits {
		sending := e.ruling.Sending()
		if e.lane() == (lane{a.Session, a.Flow}) && e.batch != batch &&
			sending.Awaits(a.Call.Operation, a.Method, path) {
			all = append(all, e)
		}
	}
	return all
}

// release lets events go out that have waited for a call: in their lane, behind the callbacks that
// the answer to the call has brought.
func (s *Sender) release(waited []*event) {
	if len(waited) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range waited {
		if at := slices.Index(s.waits, e); at >= 0 {
			s.waits = slices.Delete(s.waits, at, at+1)
			s.waiting.Add(-1)
			e.state, e.waits, e.aside, e.due = Pending, false, false, time.Now()
			s.enterLocked(e)
		}
	}
}

// attempts calls the shop once, and as often at once as the rules have it beside. It returns what
// attempt does, when all have ended.
func (s *Sender) attempts(e *event) (*Sent, bool) {
	var copies sync.WaitGroup
	if n := e.ruling.Copies(); n > 0 && !e.ruling.Lost() && s.mayBegin(e) {
		for _, c := range s.copies(e, n, e.fired) {
			copies.Go(func() { s.attempt(c) })
		}
	}
	sent, ok := s.attempt(e)
	copies.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	e.endFirst()
	return sent, ok
}

// copies returns events that rules have sent beside another, which has begun: is about to be sent or was.
// There are none of an event from before a reset.
func (s *Sender) copies(e *event, n int, fired []string) []*event {
	var told []proxy.Event
	var all []*event
	s.mu.Lock()
	if e.reset != s.reset {
		n = 0
	}
	now := time.Now()
	for range n {
		c := &event{
			Callback: e.Callback, batch: e.batch, at: now, due: now, again: e.again, reset: e.reset,
			begun: true,
		}
		c.ruled = ruled{
			as: e.as, signing: e.signing, fired: fired, altered: e.altered, explained: e.explained,
			aside: true, copied: true,
		}
		dropped, ok := s.admitLocked(c)
		told = append(told, dropped...)
		if ok {
			all = append(all, c)
		}
	}
	s.mu.Unlock()
	s.tell(told...)
	return all
}

// hold has events wait until somebody asks for them.
func (s *Sender) hold(events []*event) {
	var told []proxy.Event
	s.mu.Lock()
	for _, e := range events {
		if !e.state.over() {
			told = append(told, s.holdLocked(e))
		}
	}
	s.mu.Unlock()
	s.tell(told...)
}

// repeat sends a callback again that the shop has taken, as often as the rules have it. Under Hold
// each waits until somebody asks for it.
func (s *Sender) repeat(e *event) {
	s.mu.Lock()
	times, every, fired := e.repeats, e.every, e.repeating
	taken := e.state == Accepted
	s.mu.Unlock()
	if times == 0 || !taken {
		return
	}
	all := s.copies(e, times, fired)
	if s.Mode() == Hold && !e.again {
		s.hold(all)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range all {
		c.due = c.at.Add(time.Duration(i+1) * every)
	}
	if len(all) > 0 && !s.closed {
		s.runs.Go(func() {
			for _, c := range all {
				s.deliver(c)
			}
		})
	}
}
