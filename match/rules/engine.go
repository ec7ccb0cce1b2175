package rules

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// Options are what an Engine is made of.
type Options struct {
	Profiles *profile.Set // nil: nothing is known of any API
	// Seed makes chances, delays and minted values repeatable; 0 takes a random one.
	Seed uint64
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Engine holds the rules in force and what was counted. It is safe for concurrent use. A nil Engine
// has no rules.
type Engine struct {
	profiles *profile.Set
	seed     uint64
	now      func() time.Time
	current  atomic.Pointer[set]
	follows  bool // another engine: see Follower

	mu       sync.Mutex      // guards the rest
	disarmed map[string]bool // names of rules, which need not be in force
	armed    map[*progress]arming
	arms     uint64 // how often rules were armed
	tallies  generations[countKey, *tally]
	entities generations[name, *entity]
	sessions generations[string, *session]
	deck     history
}

// arming is how often a rule may still fire because somebody armed it.
type arming struct {
	times int    // -1: for good
	nth   uint64 // of the armings of the engine: an equal one later is another
}

// session is what was seen of one session.
type session struct {
	history
	entities uint64
}

// Bounds of what an Engine remembers.
const (
	mostEntities = 200_000 // names
	mostTallies  = 200_000
	mostSessions = 20_000
)

// New returns an engine without rules.
func New(o Options) *Engine {
	e := &Engine{profiles: o.Profiles, seed: o.Seed, now: o.Now, disarmed: map[string]bool{},
		armed: map[*progress]arming{}}
	if e.profiles == nil {
		e.profiles = &profile.Set{}
	}
	if e.seed == 0 {
		e.seed = rand.Uint64()
	}
	if e.now == nil {
		e.now = time.Now
	}
	e.current.Store(&set{idle: true})
	e.forget()
	return e
}

func (e *Engine) forget() {
	e.tallies = newGenerations[countKey, *tally](mostTallies)
	e.entities = newGenerations[name, *entity](mostEntities)
	e.sessions = newGenerations[string, *session](mostSessions)
	e.deck = nil
}

// Reset forgets what was counted and which entities there are; the rules and what reports tell of
// them stay.
func (e *Engine) Reset() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget()
}

// Set puts the rules of files in force, in place of all of the same origin. A rule that was in
// force before, in the same words, goes on counting, and a disarmed name stays disarmed. An error
// says which name there is twice, and the rules in force stay.
func (e *Engine) Set(from Origin, files ...*File) error {
	return e.change(func(all []*state) []*state {
		before := map[string]*state{}
		for _, r := range all {
			if r.origin == from {
				before[r.Name] = r
			}
		}
		all = slices.DeleteFunc(all, func(r *state) bool { return r.origin == from })
		for _, f := range files {
			for _, r := range f.Rules {
				all = append(all, again(before[r.Name], r, from))
			}
		}
		return all
	})
}

// Add puts rules in force beside those of the same origin; a rule that has the name of one of them
// takes its place, and is armed.
func (e *Engine) Add(from Origin, f *File) error {
	return e.change(func(all []*state) []*state {
		for _, r := range f.Rules {
			delete(e.disarmed, r.Name)
			same := func(s *state) bool { return s.origin == from && s.Name == r.Name }
			if i := slices.IndexFunc(all, same); i >= 0 {
				all[i] = again(all[i], r, from)
				continue
			}
			all = append(all, again(nil, r, from))
		}
		return all
	})
}

// Remove takes rules of an origin out of force: those of a name, or all for "". It returns how many
// there were.
func (e *Engine) Remove(from Origin, name string) int {
	n := 0
	_ = e.change(func(all []*state) []*state { // fewer rules have no more names
		return slices.DeleteFunc(all, func(r *state) bool {
			gone := r.origin == from && (name == "" || r.Name == name)
			if gone {
				n++
				delete(e.disarmed, r.Name)
			}
			return gone
		})
	})
	return n
}

// again returns the state of a rule: that of before, if the rule is the same. It may stand at
// another line now.
func again(before *state, r *Rule, from Origin) *state {
	if before == nil || before.text != r.text {
		return newState(r, from)
	}
	return &state{Rule: r, origin: from, progress: before.progress}
}

// change makes another set of rules. f is called while the lock is held.
func (e *Engine) change(f func([]*state) []*state) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changeLocked(f)
}

func (e *Engine) changeLocked(f func([]*state) []*state) error {
	all := f(slices.Clone(e.current.Load().rules))
	slices.SortStableFunc(all, func(a, b *state) int {
		return slices.Index(origins, a.origin) - slices.Index(origins, b.origin)
	})
	next, err := newSet(e.profiles, all, e.disarmed)
	if err != nil {
		return err
	}
	before := e.current.Swap(next)
	e.forgetArmingsLocked(next)
	if e.follows {
		return nil // the engine that is followed counts
	}
	for rule, n := range before.failedFirst() { // a request under way may still count in vain
		rule.failed[0].Add(n)
	}
	return nil
}

// Arm takes back Disarm. A rule with the condition "asked" then fires for requests that do not name
// it: so many times, or for good if times is negative; 0 takes that back. Any other rule fires as its
// conditions say, and times says nothing of it. An error says that there is no such rule, or that the
// rule was not waiting for being armed.
func (e *Engine) Arm(name string, times int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.stateLocked(name)
	switch {
	case r == nil:
		return ErrUnknown
	case r.waitsToBeAsked():
		e.arms++
		e.armed[r.progress] = arming{times, e.arms}
	case !e.disarmed[name]:
		return fmt.Errorf("rule %q fires without being armed: it has no condition \"asked\"", name)
	}
	return e.disarmLocked(name, false)
}

// Disarm has a rule neither match nor count until it is armed, even if its file is read again.
func (e *Engine) Disarm(name string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.stateLocked(name)
	if r == nil {
		return ErrUnknown
	}
	e.arms++
	e.armed[r.progress] = arming{0, e.arms}
	return e.disarmLocked(name, true)
}

// disarmLocked makes the set of rules anew if a name is disarmed now and was not before, or the
// other way round.
func (e *Engine) disarmLocked(name string, disarmed bool) error {
	if e.disarmed[name] == disarmed {
		return nil
	}
	if disarmed {
		e.disarmed[name] = true
	} else {
		delete(e.disarmed, name)
	}
	return e.changeLocked(func(all []*state) []*state { return all })
}

// stateLocked returns the rule in force that has a name; nil if there is none.
func (e *Engine) stateLocked(name string) *state {
	for _, r := range e.current.Load().rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// waitsToBeAsked reports whether a rule has the condition "asked".
func (r *Rule) waitsToBeAsked() bool {
	return slices.ContainsFunc(r.when, func(c condition) bool { return c.word == asked })
}

// ErrUnknown says that no rule in force has a name.
var ErrUnknown = errors.New("no rule has that name")

// Idle reports whether no rule is in force that is not disarmed: then requests need not be looked at.
func (e *Engine) Idle() bool { return e == nil || e.current.Load().idle }

// Asked is a request as rules look at it.
type Asked struct {
	*request.Request
	Body  string   // without content coding, in UTF-8
	Rules []string // that the client has asked for by name
}

// RuleHeader is the request header in which a client names rules that it asks for, separated by
// commas. It goes no further than the deck.
const RuleHeader = "Paytape-Rule"

// AskedFor returns the names in a RuleHeader.
func AskedFor(values []string) []string {
	var names []string
	for _, v := range values {
		for n := range strings.SplitSeq(v, ",") {
			if n = strings.TrimSpace(n); n != "" {
				names = append(names, n)
			}
		}
	}
	return names
}

// Concerns reports whether a call may be of interest to a rule: without it, Begin need not be
// asked.
func (e *Engine) Concerns(c profile.Call) bool {
	if e == nil {
		return false
	}
	s := e.current.Load()
	return s.follows || len(s.plan(c).entries) > 0
}

// For returns the names of the rules in force that look at requests of a call, in the order in which
// they apply. Disarmed rules are not among them.
func (e *Engine) For(c profile.Call) []string {
	if e == nil {
		return nil
	}
	var names []string
	p := e.current.Load().plan(c)
	for i := range p.entries {
		names = append(names, p.entries[i].Name)
	}
	return names
}

// Begin says what the rules make of a request. It returns nil if they make nothing of it, and if
// its answer is of no interest to them.
func (e *Engine) Begin(a *Asked) *Ruling {
	if e == nil {
		return nil
	}
	s := e.current.Load()
	p := s.plan(a.Call)
	if len(p.entries) == 0 && !s.follows {
		return nil
	}
	l := lookups.Get().(*lookup)
	defer l.done()
	l.plan, l.asked = p, a
	l.find()
	if len(l.candidates) == 0 && !s.follows {
		return nil
	}
	return e.rule(s, l)
}

// rule makes the ruling about a request that was looked at.
func (e *Engine) rule(s *set, l *lookup) *Ruling {
	a, now := l.asked, e.clock(l.asked)
	e.mu.Lock()
	defer e.mu.Unlock()
	var met *entity
	var earlier *declined
	learns := false
	if s.follows {
		l.name()
		if met = e.meet(a.Session, l.names); met != nil {
			earlier = met.declined
		}
		learns = mayTell(a, met)
	}
	if len(l.candidates) == 0 && !learns && earlier == nil {
		e.note(a, met)
		return nil
	}
	r := &Ruling{
		engine: e, set: s, asked: a, now: now, entity: met, earlier: earlier, learns: learns,
		names: slices.Clone(l.names),
	}
	r.request(l.candidates)
	if s.follows && !r.neverArrives() {
		e.note(a, met)
	}
	if len(r.fired) == 0 && len(r.waiting) == 0 && !learns && earlier == nil {
		return nil
	}
	return r
}

// clock returns what the clock shows for a request.
func (e *Engine) clock(a *Asked) time.Time {
	if a.Now.IsZero() {
		return e.now()
	}
	return a.Now
}

// meet returns the entity that has one of several names, which is new if there is none, and makes
// all of the names its own. It returns nil for no names. The lock is held.
func (e *Engine) meet(in string, names []naming) *entity {
	if len(names) == 0 {
		return nil
	}
	var known *entity
	for i := range names {
		if other, _ := e.entities.get(names[i].key); other != nil && other.before(known) {
			known = other
		}
	}
	if known == nil {
		s := e.session(in)
		s.entities++
		known = &entity{ordinal: s.entities, number: mix(hashText(in)) ^ s.entities}
	}
	for i := range names {
		if was, _ := e.entities.get(names[i].key); was != known {
			e.entities.put(names[i].key, known)
		}
	}
	return known
}

// before reports whether an entity of a session was met before another, or there is no other.
func (y *entity) before(other *entity) bool { return other == nil || y.ordinal < other.ordinal }

// session returns what was seen of a session. The lock is held.
func (e *Engine) session(named string) *session {
	s, _ := e.sessions.get(named)
	if s == nil {
		s = &session{}
		e.sessions.put(named, s)
	}
	return s
}

// note writes a call about an entity, or about none, down in the histories. The lock is held.
func (e *Engine) note(a *Asked, about *entity) {
	c := callOf(a.Request)
	if about != nil {
		about.note(c)
	}
	e.session(a.Session).note(c)
	e.deck.note(c)
}

// mayTell reports whether the answer may tell further names of the entity that a request names:
// that to a write may, and that to the first question about an entity. The lock is held.
func mayTell(a *Asked, about *entity) bool {
	if a.Call.Operation == nil {
		reads := a.Method == http.MethodGet || a.Method == http.MethodHead
		return !reads || about != nil && len(about.history) == 0
	}
	return a.Call.Operation.Writes || about == nil || len(about.history) == 0
}

// learn makes the names that an answer tells those of the entity that the request names. If an
// earlier entity has one of the names, the two are one, and the earlier remains. The lock is held.
func (r *Ruling) learn(m *leaf.Message) {
	e := r.engine
	names := namesOut(e.profiles, r.asked.Request, r.names, m)
	if len(names) == 0 {
		return
	}
	met := e.meet(r.asked.Session, slices.Concat(r.names, names))
	if met != r.entity {
		met.note(callOf(r.asked.Request))
	}
	r.entity = met
}
