package rules

import (
	"slices"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// A callback is a request too: the sandbox sends it, and the shop answers. Rules on callbacks have
// a list of their own and one phase, and no other rule looks at a callback. Each attempt counts,
// the sandbox's retries too; what a rule has sent beside it does not. A callback names an entity as
// a request does, so "per: entity" counts for its order, and "seen" looks at what the shop has
// called about that.

// CallbackRuling is what the rules say of one attempt of a callback. A nil CallbackRuling says
// nothing. But for Change, it is safe for concurrent use.
type CallbackRuling struct{ ruling *Ruling }

// OnCallbacks reports whether a rule is on callbacks: without one, Callback need not be asked.
func (e *Engine) OnCallbacks() bool { return e != nil && e.current.Load().callbacks != nil }

// Callback says what the rules make of an attempt of a callback, of which Call is that of
// profile.Set.FindCallback. It returns nil if they make nothing of it.
func (e *Engine) Callback(a *Asked) *CallbackRuling {
	if e == nil {
		return nil
	}
	s := e.current.Load()
	p := s.callbacks
	if a.Call.Operation != nil {
		p = s.plans[a.Call.Operation]
	}
	if p == nil || len(p.entries) == 0 {
		return nil
	}
	l := lookups.Get().(*lookup)
	defer l.done()
	l.plan, l.asked = p, a
	l.find()
	if len(l.candidates) == 0 {
		return nil
	}
	r := &Ruling{engine: e, set: s, asked: a, now: e.clock(a)}
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.follows {
		l.name()
		r.entity = e.meet(a.Session, l.names)
	}
	r.request(l.candidates)
	if len(r.fired) == 0 {
		return nil
	}
	return &CallbackRuling{r}
}

// planCallbacks compiles the rules on callbacks: for each API that calls back, and for callbacks of
// which no profile tells.
func (s *set) planCallbacks(profiles *profile.Set, armed []*state) {
	apis := map[string]*plan{"": {}}
	for _, p := range profiles.Profiles() {
		if o := profiles.FindCallback(p.Name).Operation; o != nil {
			apis[p.Name] = &plan{}
			s.plans[o] = apis[p.Name]
		}
	}
	some := false
	for _, r := range armed {
		for api, plan := range apis {
			if slices.ContainsFunc(r.ops, func(p opPattern) bool { return p.calls(api) }) {
				plan.add(r, true)
			}
		}
		some = some || r.callbacks
	}
	if some {
		s.callbacks = apis[""]
	}
}

// silences reports whether a rule keeps a callback from the shop.
func (f *firing) silences() bool { return f.then.lose == LoseCallback }

// Fired returns the names of the rules that fire, in the order in which they apply.
func (c *CallbackRuling) Fired() []string {
	if c == nil {
		return nil
	}
	return c.ruling.Fired()
}

// Counts returns which attempt of each rule it is: see Ruling.Counts.
func (c *CallbackRuling) Counts() []string {
	if c == nil {
		return nil
	}
	return c.ruling.Counts()
}

// Explanation tells which rules fire, and at which attempt, as in an answer to a call:
// "paid-twice(1/1)". It is to be asked after Change.
func (c *CallbackRuling) Explanation() string {
	if c == nil {
		return ""
	}
	return c.ruling.Explanation()
}

// Lost reports whether the shop does not hear of the attempt.
func (c *CallbackRuling) Lost() bool {
	return c != nil && c.ruling.first((*firing).silences) != nil
}

// last calls f for the effects of all rules that fire, the last of which counts.
func (c *CallbackRuling) last(f func(*callbackEffects)) {
	if c == nil {
		return
	}
	for _, fired := range c.ruling.fired {
		f(fired.then.callback)
	}
}

// Sending returns when the attempt goes out.
func (c *CallbackRuling) Sending() Sending {
	s := Sending{}
	c.last(func(e *callbackEffects) {
		if e.send != nil {
			s = *e.send
		}
	})
	return s
}

// Repeats returns how often the callback is sent again when the shop has taken it, and the time
// before each of these.
func (c *CallbackRuling) Repeats() (times int, every time.Duration) {
	c.last(func(e *callbackEffects) {
		if e.repeat > 0 {
			times, every = e.repeat, e.every
		}
	})
	return times, every
}

// Copies returns how many go out at once beside the attempt itself.
func (c *CallbackRuling) Copies() int {
	n := 1
	c.last(func(e *callbackEffects) {
		if e.parallel > 0 {
			n = e.parallel
		}
	})
	return n - 1
}

// Signing returns how the attempt is signed.
func (c *CallbackRuling) Signing() Signing {
	s := Signed
	c.last(func(e *callbackEffects) {
		if e.sign != Signed {
			s = e.sign
		}
	})
	return s
}

// Change returns the callback as the rules have it, before it is signed, and whether they have
// changed it.
func (c *CallbackRuling) Change(q Question) (Question, bool) {
	if c == nil {
		return q, false
	}
	return c.ruling.Ask(q)
}

// tryCallback is Try for a recorded callback.
func (e *Engine) tryCallback(x *leaf.Exchange, clean func(*leaf.Exchange) *leaf.Exchange) []Hit {
	q, _ := request.NewLive(e.profiles, request.Incoming{
		Call: e.profiles.FindCallback(x.Meta.Profile), Method: x.Request.Method, Target: x.Target(),
		Header: x.Request.Headers, Body: x.Request.Body,
	})
	if q == nil {
		return nil
	}
	asked := &Asked{Request: q, Body: x.Request.Body}
	for _, s := range e.current.Load().rules {
		asked.Rules = append(asked.Rules, s.Name)
	}
	c := e.Callback(asked)
	if c == nil {
		return nil
	}
	t := trial{x: x, clean: clean, r: c.ruling, operation: profile.CallbackOperation}
	question := Question{
		Target: x.Target(), Header: cloned(x.Request.Headers), Body: x.Request.Body,
	}
	for _, f := range c.ruling.fired {
		before := question
		before.Header = cloned(question.Header)
		c.ruling.changeQuestion(&question, f)
		t.hit(f).Changes = t.asked(before, question)
	}
	return t.hits
}
