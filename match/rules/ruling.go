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
	names   []naming
	entity  *entity   // nil: the request names none
	earlier *declined // of the entity, before this request; nil: no rule has declined it
	learns  bool      // the answer may tell further names of the entity
	fired   []*firing // in the order of the rules
	waiting []*state  // for the answer
	decided bool      // the answer has been looked at
	answer  *Answer   // as the mode gave it; nil before
	choice  *request.Choice
}

// firing is that a rule fires.
type firing struct {
	*state
	group     group
	attempt   int
	resent    bool // the request is equal to that of the attempt before, which a rule has broken
	outranked bool // an earlier rule has ended a phase that this one would end
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

// request decides which of the rules fire whose tests on the request hold. The lock of the engine
// is held.
func (r *Ruling) request(candidates []*state) {
	for i, s := range candidates {
		switch {
		case !r.attempts(s):
		case len(s.answer) > 0:
			r.waiting = append(r.waiting, s)
		case r.fire(s) && s.then.stop:
			s.stops(candidates[i+1:])
			r.rank()
			return
		}
	}
	r.rank()
}

// stops notes that a rule has kept others from being looked at, of which all tests held so far.
func (s *state) stops(others []*state) {
	for _, o := range others {
		o.stopper.Store(s.Rule)
	}
}

// attempts reports whether the conditions of a rule hold that say whether a request is an attempt at
// all: what came before it, and whether it was asked for. The lock of the engine is held.
func (r *Ruling) attempts(s *state) bool {
	for i := range s.when {
		if c := &s.when[i]; !c.counted() && !r.holds(s, c) {
			s.failed[len(s.where)+len(s.answer)+i].Add(1)
			return false
		}
	}
	return true
}

// fire counts an attempt, and reports whether the rule fires. The lock of the engine is held.
func (r *Ruling) fire(s *state) bool {
	g := r.group(s)
	key := countKey{s.progress, g}
	t, _ := r.engine.tallies.get(key)
	if t == nil {
		t = &tally{}
		r.engine.tallies.put(key, t)
	}
	f := &firing{state: s, group: g, attempt: t.attempt(s.Rule, r.now)}
	s.matched.Add(1)
	if s.then.breaks() {
		f.resent = t.broken == digestOf(r.asked)
		t.broken = 0
	}
	if f.resent {
		s.resent.Add(1)
	}
	luck := 0.0
	for i := range s.when {
		c := &s.when[i]
		if c.word == chance {
			luck = draw(r.engine.seed, s.Name, g, f.attempt, forChance)
		}
		if !c.admits(f.attempt-s.skipped, luck, r.now.Sub(t.began)) {
			s.failed[len(s.where)+len(s.answer)+i].Add(1)
			return false
		}
	}
	if by := r.engine.armed[s.progress]; by.times > 0 && !slices.Contains(r.asked.Rules, s.Name) {
		by.times--
		r.engine.armed[s.progress] = by
	}
	s.fired.Add(1)
	s.last.Store(r.now.UnixMilli())
	if s.then.breaks() {
		t.broken = digestOf(r.asked)
	}
	r.fired = append(r.fired, f)
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
	return r.engine.armed[s.progress].times != 0 || slices.Contains(r.asked.Rules, s.Name)
}

// Effects that end a phase, of which that of the first rule counts.
var phaseEnds = [...]func(*firing) bool{
	(*firing).early, (*firing).chooses, (*firing).late, (*firing).breaks, (*firing).silences,
}

// rank puts the rules that fire in order, and marks those with an effect that an earlier rule
// outranks. Their other effects count.
func (r *Ruling) rank() {
	slices.SortStableFunc(r.fired, func(a, b *firing) int { return a.state.rank - b.state.rank })
	for _, ends := range phaseEnds {
		first := r.first(ends)
		for _, f := range r.fired {
			f.outranked = f.outranked || ends(f) && f != first
		}
	}
}

// early reports whether a rule answers a request without the mode, or loses it.
func (f *firing) early() bool {
	e := &f.then
	return len(f.Rule.answer) == 0 && (e.instead != nil || e.redirect != nil || e.lose == LoseRequest)
}

// chooses reports whether a rule chooses a branch of the tape.
func (f *firing) chooses() bool { return f.then.take != nil || f.then.decline != "" }

// late reports whether a rule puts another answer in place of that of the mode.
func (f *firing) late() bool {
	return len(f.Rule.answer) > 0 && (f.then.instead != nil || f.then.redirect != nil)
}

// breaks reports whether a rule keeps the answer of the mode from the client.
func (f *firing) breaks() bool {
	return f.then.lose == LoseAnswer || f.then.fail != nil && f.then.lose != LoseRequest
}

// neverArrives reports whether the request is lost on its way.
func (r *Ruling) neverArrives() bool {
	f := r.first((*firing).early)
	return f != nil && f.then.lose == LoseRequest
}

// first returns the first rule that fires and of which something holds; nil if there is none. Rules
// that wait for the answer are not among them before it is there.
func (r *Ruling) first(of func(*firing) bool) *firing {
	for _, f := range r.fired {
		if of(f) {
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
	f := r.first((*firing).early)
	if f == nil {
		return nil, false
	}
	return r.instead(f), true
}

// Fired returns the names of the rules that fire, in the order in which they apply, behind that of a rule
// whose earlier decline the answer shows.
func (r *Ruling) Fired() []string {
	if r == nil {
		return nil
	}
	var names []string
	if d := r.shown(); d != nil {
		names = append(names, d.rule.Name)
	}
	for _, f := range r.fired {
		names = append(names, f.Name)
	}
	return names
}

// Counts returns for each rule that fires, in the order of Fired, which of its attempts it is: "1/2"
// is the first of two, "3" the third, "earlier" an earlier decline.
func (r *Ruling) Counts() []string {
	if r == nil {
		return nil
	}
	var counts []string
	if r.shown() != nil {
		counts = append(counts, earlierCall)
	}
	for _, f := range r.fired {
		counts = append(counts, f.count())
	}
	return counts
}

// count returns which attempt of its rule it is, and of how many where these are counted.
func (f *firing) count() string {
	text := strconv.Itoa(f.attempt)
	for _, c := range f.when {
		if c.word == first {
			text += "/" + strconv.Itoa(c.counts[0]+f.skipped)
		}
	}
	return text
}

// earlierCall is what stands in place of a count where a rule has fired for an earlier call.
const earlierCall = "earlier"

// ExplanationHeader is the header of an answer that tells which rules fired.
const ExplanationHeader = "Paytape-Rules"

// Explanation tells which rules fire, and at which attempt: "status-flaky(1/2), slow(3)". A request
// is "resent" that is equal to the one before, whose answer the rule has broken: many libraries
// send it again by themselves. "declines(earlier)" is a rule that has declined the payment before. It is
// empty if no rule says anything of the answer.
func (r *Ruling) Explanation() string {
	if r == nil {
		return ""
	}
	var parts []string
	if d := r.shown(); d != nil {
		parts = append(parts, d.rule.Name+"("+earlierCall+")")
	}
	for _, f := range r.fired {
		text := f.count()
		if f.resent {
			text += "; resent"
		}
		if f.outranked {
			text += "; outranked"
		}
		if f.missed {
			text += "; field not found"
		}
		parts = append(parts, f.Name+"("+text+")")
	}
	return strings.Join(parts, ", ")
}

// Choice returns which branch of the tape is to be taken; nil for that which the tape has for the
// request.
func (r *Ruling) Choice() *request.Choice {
	if r == nil {
		return nil
	}
	f := r.first((*firing).chooses)
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

// takes reports whether a recording is one of those that are to be taken. A field that its answer
// does not have is looked for in all later answers about the same thing: the first may be pending.
func (t *take) takes(b request.Branch) bool {
	if t.number != 0 {
		return b.Number == t.number && (t.cassette == "" || t.cassette == b.Cassette)
	}
	for i := range t.tests {
		if f := &t.tests[i]; !f.test.holds(f.at.inBranch(b)) {
			return false
		}
	}
	return true
}

// inBranch returns the values at a place of the answer of a branch; if that has none, those of all later
// ones.
func (p *place) inBranch(b request.Branch) []found {
	a := &Answer{Code: b.Code, Header: b.Answer.Header, Body: b.Answer.Body}
	values := p.inAnswer(profile.Call{}, a, b.Answer)
	if len(values) > 0 || b.Later == nil {
		return values
	}
	for _, m := range b.Later() {
		later := &Answer{Header: m.Header, Body: m.Body}
		values = append(values, p.inAnswer(profile.Call{}, later, m)...)
	}
	return values
}

// Delivery says how an answer is delivered.
type Delivery struct {
	Delay time.Duration // before anything comes
	Drip  time.Duration // over which the body comes
	Fail  Failure
	// CutAt is how many bytes of the body come before a Cut; -1 for half of them.
	CutAt int
}

// Delivery returns how the answer is delivered: of several delays the last counts. It is to be
// asked after Answered.
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
	f := r.first((*firing).breaks)
	if r.neverArrives() {
		f = r.first((*firing).early)
	}
	switch {
	case f == nil:
	case f.then.fail != nil:
		d.Fail, d.CutAt = f.then.fail.how, f.then.fail.at
	default:
		d.Fail = Empty
	}
	return d
}
