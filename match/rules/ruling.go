package rules

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// Ruling is what the rules say of one request. A mode asks it in the order of the phases, by one
// goroutine at a time: for the changed request or the early answer (Ask, Early), for the branch of
// the tape (Choice), then, when the true answer is there, Answered; Change makes what the client
// gets of it, and Delivery says how. A nil Ruling says nothing.
type Ruling struct {
	leaf.Unprinted
	engine  *Engine
	set     *set
	asked   *Asked
	now     time.Time
	names   []name
	entity  *entity // nil: the request names none
	fired   []*firing
	waiting []*state // for the answer
	decided bool     // the answer has been looked at
	answer  *Answer  // as the mode gave it; nil before
	choice  *request.Choice
}

// firing is that a rule fires.
type firing struct {
	*state
	group     group
	attempt   int
	outranked bool // an earlier rule has ended the phase
	missed    bool // something that it sets or deletes was not there
}

// group returns what a rule counts together with the request.
func (r *Ruling) group(s *state) group {
	switch s.per.what {
	case byDeck:
		return group{of: byDeck}
	case byField:
		h := uint64(0)
		for _, v := range s.per.field.inRequest(r.asked) {
			h = mix(h + hashText(v.text))
		}
		return group{byField, h}
	case byEntity:
		if r.entity != nil {
			return group{byEntity, r.entity.number}
		}
	}
	return group{bySession, hashText(r.asked.Session)}
}

// history returns the calls that "seen" looks at.
func (r *Ruling) history(s *state) history {
	switch {
	case s.per.what == byDeck:
		return r.engine.deck
	case s.per.what == byEntity && r.entity != nil:
		return r.entity.history
	}
	return r.engine.session(r.asked.Session).history
}

// request decides which of the rules fire whose tests on the request hold. The lock of the engine is
// held.
func (r *Ruling) request(candidates []*state) {
	for _, s := range candidates {
		if len(s.answer) > 0 {
			r.waiting = append(r.waiting, s)
			continue
		}
		if r.fire(s) && s.then.stop {
			break
		}
	}
	r.rank()
}

// fire counts an attempt of which all tests of a rule hold, and reports whether the rule fires. The
// lock of the engine is held.
func (r *Ruling) fire(s *state) bool {
	tests := len(s.where) + len(s.answer)
	for i := range s.when {
		if !s.when[i].counted() && !r.holds(s, &s.when[i]) {
			s.failed[tests+i].Add(1)
			return false
		}
	}
	g := r.group(s)
	key := countKey{s.progress, g}
	t, _ := r.engine.tallies.get(key)
	if t == nil {
		t = &tally{began: r.now}
		r.engine.tallies.put(key, t)
	}
	t.attempts++
	s.matched.Add(1)
	luck := 0.0
	for i := range s.when {
		c := &s.when[i]
		if c.word == chance {
			luck = draw(r.engine.seed, s.Name, g, t.attempts, forChance)
		}
		if !c.admits(t.attempts, luck, r.now.Sub(t.began)) {
			s.failed[tests+i].Add(1)
			return false
		}
	}
	if s.armed > 0 && !slices.Contains(r.asked.Rules, s.Name) {
		s.armed--
	}
	s.fired.Add(1)
	s.last.Store(r.now.UnixMilli())
	r.fired = append(r.fired, &firing{state: s, group: g, attempt: t.attempts})
	return true
}

// holds reports whether a condition holds that does not look at counts.
func (r *Ruling) holds(s *state, c *condition) bool {
	switch c.word {
	case seen:
		return r.history(s).has(c.ops)
	case unseen:
		return !r.history(s).has(c.ops)
	}
	return s.armed != 0 || slices.Contains(r.asked.Rules, s.Name)
}

// rank marks rules whose effects end a phase that an earlier rule has ended.
func (r *Ruling) rank() {
	phases := [...]func(*firing) bool{
		(*firing).early,
		func(f *firing) bool { return f.then.take != nil || f.then.decline != "" },
		(*firing).late,
		func(f *firing) bool { return f.then.fail != nil || f.then.lose == LoseAnswer },
	}
	for _, ends := range phases {
		ended := false
		for _, f := range r.fired {
			if ends(f) {
				f.outranked = f.outranked || ended
				ended = true
			}
		}
	}
}

// early reports whether a rule answers a request without the mode, or loses it.
func (f *firing) early() bool {
	e := &f.then
	return len(f.Rule.answer) == 0 && (e.instead != nil || e.redirect != nil || e.lose == LoseRequest)
}

// late reports whether a rule puts another answer in place of that of the mode.
func (f *firing) late() bool {
	return len(f.Rule.answer) > 0 && (f.then.instead != nil || f.then.redirect != nil)
}

// neverArrives reports whether the request is lost on its way.
func (r *Ruling) neverArrives() bool {
	f := r.winner((*firing).early)
	return f != nil && f.then.lose == LoseRequest
}

// winner returns the first rule that fires and of which something holds, and that is not outranked;
// nil if there is none. Rules that wait for the answer are not among them before it is there.
func (r *Ruling) winner(of func(*firing) bool) *firing {
	for _, f := range r.fired {
		if !f.outranked && of(f) {
			return f
		}
	}
	return nil
}

// Early returns the answer that the client gets at once, if the mode is not to be asked. The answer
// to a request that never arrived is empty: nobody sees it.
func (r *Ruling) Early() (*Answer, bool) {
	if r == nil {
		return nil, false
	}
	f := r.winner((*firing).early)
	if f == nil {
		return nil, false
	}
	return r.instead(f), true
}

// Fired returns the names of the rules that fire, in the order in which they apply.
func (r *Ruling) Fired() []string {
	if r == nil {
		return nil
	}
	var names []string
	for _, f := range r.fired {
		names = append(names, f.Name)
	}
	return names
}

// ExplanationHeader is the header of an answer that tells which rules fired.
const ExplanationHeader = "Paytape-Rules"

// Explanation tells which rules fire, and at which attempt: "status-flaky(1/2), slow(3)". It is
// empty if none does.
func (r *Ruling) Explanation() string {
	if r == nil || len(r.fired) == 0 {
		return ""
	}
	parts := make([]string, len(r.fired))
	for i, f := range r.fired {
		text := strconv.Itoa(f.attempt)
		for _, c := range f.when {
			if c.word == first {
				text += "/" + strconv.Itoa(c.counts[0])
			}
		}
		if f.outranked {
			text += "; outranked"
		}
		if f.missed {
			text += "; field not found"
		}
		parts[i] = f.Name + "(" + text + ")"
	}
	return strings.Join(parts, ", ")
}

// Choice returns which branch of the tape is to be taken; nil for that which the tape has for the
// request.
func (r *Ruling) Choice() *request.Choice {
	if r == nil {
		return nil
	}
	f := r.winner(func(f *firing) bool { return f.then.take != nil || f.then.decline != "" })
	if f == nil || r.choice != nil {
		return r.choice
	}
	if t := f.then.take; t != nil {
		r.choice = &request.Choice{Takes: t.takes}
		return r.choice
	}
	r.choice = &request.Choice{Declined: f.then.decline}
	return r.choice
}

// takes reports whether a recording is one of those that are to be taken.
func (t *take) takes(b request.Branch) bool {
	if t.number != 0 {
		return b.Number == t.number && (t.cassette == "" || t.cassette == b.Cassette)
	}
	a := &Answer{Code: b.Code, Body: b.Answer.Body, Header: b.Answer.Header}
	return allHold(t.tests, profile.Call{}, a, b.Answer) < 0
}

// Delivery says how an answer is delivered.
type Delivery struct {
	Delay time.Duration // before anything comes
	Drip  time.Duration // over which the body comes
	Fail  Failure
	// CutAt is how many bytes of the body come before a Cut; -1 for half of them.
	CutAt int
}

// Delivery returns how the answer is delivered. It is to be asked after Answered.
func (r *Ruling) Delivery() Delivery {
	d := Delivery{}
	if r == nil {
		return d
	}
	for _, f := range r.fired {
		if f.then.delay != nil {
			d.Delay = f.then.delay.wait(draw(r.engine.seed, f.Name, f.group, f.attempt, forDelay))
		}
		if f.then.drip > 0 {
			d.Drip = f.then.drip
		}
	}
	if r.winner(func(f *firing) bool { return f.then.lose != NoLoss }) != nil {
		d.Fail = Empty
	}
	if f := r.winner(func(f *firing) bool { return f.then.fail != nil }); f != nil {
		d.Fail, d.CutAt = f.then.fail.how, f.then.fail.at
	}
	return d
}
