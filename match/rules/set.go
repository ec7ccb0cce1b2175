package rules

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/paytape/paytape/internal/profile"
)

// set is the rules in force. It does not change: a reload makes another.
type set struct {
	rules []*state
	plans map[*profile.Operation]*plan
	other *plan // of calls that are no operation of a profile
	// callbacks is the plan of callbacks of which no profile tells. Nil: no rule is on callbacks.
	callbacks *plan
	// follows is set if some rule counts by entity or looks at what was seen: then every request
	// is looked at.
	follows bool
	idle    bool // all are disarmed, or there are none
}

// state is a rule in force.
type state struct {
	*Rule
	origin Origin
	rank   int // its place in the order in which rules apply
	*progress
}

// progress is what a rule has done. It lives on when the file is read again and the rule is the
// same.
type progress struct {
	matched atomic.Int64 // attempts: requests of which all tests held
	fired   atomic.Int64
	resent  atomic.Int64         // attempts equal to the one before, whose answer the rule has broken
	last    atomic.Int64         // when it fired last, in ms since 1970; 0: never
	failed  []atomic.Int64       // how often each test and condition was the first that failed
	missed  []atomic.Int64       // how often each setting and deletion found no field
	stopper atomic.Pointer[Rule] // that last ended the look at rules before this one; nil: none has
}

// Origin is where a rule comes from.
type Origin string

// The origins. What one changes leaves the rules of the others alone.
const (
	FromFile  Origin = "file"
	FromAdmin Origin = "admin"
	FromTest  Origin = "test"
)

// origins are in the order in which their rules apply.
var origins = []Origin{FromFile, FromAdmin, FromTest}

// plan is what there is to do for one operation. Several rules often test one field: it is looked
// up once.
type plan struct {
	entries []entry
	places  []place // that tests on the request look at, each once
	// fields and headers are the indexes in places of those that are fields and headers, by their
	// keys: the parameters and the headers of a request are gone through once, however many are
	// tested.
	fields, headers map[string]int
	together        []bool // by index in places: it is one of fields or headers
	// A rule looks at the requests of which may hold what has to hold first: its sessions, else its
	// paths if the operation does not tell, else its first test. Each rule is in one of the indexes,
	// or in always, which are indexes in entries.
	sessions, paths testIndex
	tests           []testIndex // by index in places
	always          []int
	// asked is how many requests were looked at. Most fail the first test of every rule: each rule
	// counts those that did not.
	asked atomic.Int64
}

// entry is a rule in a plan.
type entry struct {
	*state
	// What Rule and progress have too, so that a rule that does not match is one place in memory.
	tests    []placedTest // those of where
	sessions []string     // nil: any
	failed   []atomic.Int64
	exact    bool // the plan itself says that the operation is meant
	// passed is how many requests have passed the first test; nil: the plan's asked is more than
	// those that the rule has looked at, and failed counts them.
	passed *atomic.Int64
}

// placedTest is a test and the index in places of where it looks.
type placedTest struct {
	at   int
	test test
}

// newSet compiles rules. Two of one name are an error. Disarmed names are in no plan.
func newSet(profiles *profile.Set, all []*state, disarmed map[string]bool) (*set, error) {
	s := &set{rules: all, plans: map[*profile.Operation]*plan{}, other: &plan{}}
	var errs []error
	named := map[string]*state{}
	var armed []*state
	for i, r := range all {
		r = &state{Rule: r.Rule, origin: r.origin, rank: i, progress: r.progress} // others read r
		all[i] = r
		if first := named[r.Name]; first != nil {
			errs = append(errs, &Error{r.File, r.Line, 1, fmt.Sprintf(
				"expected each name once, found %q in %s:%d too", r.Name, first.File, first.Line)})
		}
		named[r.Name] = r
		if disarmed[r.Name] {
			continue
		}
		armed = append(armed, r)
		s.follows = s.follows || r.follows()
		if !r.namesOperations() {
			s.other.add(r, false)
		}
	}
	for _, p := range profiles.Profiles() {
		for _, o := range p.Operations {
			plan := &plan{}
			for _, r := range armed {
				switch {
				case slices.ContainsFunc(r.ops, func(p opPattern) bool { return p.means(o) }):
					plan.add(r, true)
				case !r.namesOperations():
					plan.add(r, false)
				}
			}
			s.plans[o] = plan
		}
	}
	s.idle = len(armed) == 0
	s.planCallbacks(profiles, armed)
	return s, errors.Join(errs...)
}

// add puts a rule into a plan.
func (p *plan) add(r *state, exact bool) {
	e := entry{state: r, sessions: r.sessions, failed: r.failed, exact: exact}
	for _, t := range r.where {
		i := slices.Index(p.places, t.at)
		if i < 0 {
			i = p.addPlace(t.at)
		}
		e.tests = append(e.tests, placedTest{i, t.test})
	}
	n := len(p.entries)
	switch {
	case e.sessions != nil:
		p.sessions.add(n, globTest(e.sessions))
	case !exact:
		p.paths.add(n, pathTest(r.ops))
	case len(e.tests) > 0:
		e.passed = &atomic.Int64{}
		p.tests[e.tests[0].at].add(n, e.tests[0].test)
	default:
		p.always = append(p.always, n)
	}
	p.entries = append(p.entries, e)
}

// addPlace adds a place that tests look at, and returns its index.
func (p *plan) addPlace(at place) int {
	i := len(p.places)
	if p.fields == nil {
		p.fields, p.headers = map[string]int{}, map[string]int{}
	}
	together := true
	switch {
	case at.in == aField && !at.indexed():
		p.fields[at.key] = i
	case at.in == aHeader:
		p.headers[at.key] = i
	default:
		together = false
	}
	p.places = append(p.places, at)
	p.together, p.tests = append(p.together, together), append(p.tests, testIndex{})
	return i
}

// plan returns the plan of a call.
func (s *set) plan(c profile.Call) *plan {
	if p := s.plans[c.Operation]; p != nil {
		return p
	}
	return s.other
}

// namesOperations reports whether a rule means operations of profiles alone, by name.
func (r *Rule) namesOperations() bool {
	return !slices.ContainsFunc(r.ops, func(p opPattern) bool { return p.path != "" || p.anything() })
}

// follows reports whether a rule has to know which entity a request names.
func (r *Rule) follows() bool {
	if r.then.decline != "" {
		return true // what was declined stays so
	}
	if r.per.what != byEntity {
		return slices.ContainsFunc(r.when, func(c condition) bool {
			return c.word == seen || c.word == unseen
		})
	}
	return slices.ContainsFunc(r.when, func(c condition) bool { return c.word != asked })
}

// failedFirst adds up, for each rule, the requests that have failed its first test and that only
// plans have counted.
func (s *set) failedFirst() map[*progress]int64 {
	sums := map[*progress]int64{}
	add := func(p *plan) {
		for i := range p.entries {
			if e := &p.entries[i]; e.passed != nil {
				passed := e.passed.Load() // before asked: a request under way may not make it negative
				sums[e.progress] += p.asked.Load() - passed
			}
		}
	}
	for _, p := range s.plans {
		add(p)
	}
	if s.callbacks != nil {
		add(s.callbacks)
	}
	return sums
}

// newState returns the state of a rule that nobody has counted yet.
func newState(r *Rule, from Origin) *state {
	changes := len(r.then.answer.set) + len(r.then.answer.remove) + len(r.then.ask.set) +
		len(r.then.ask.remove)
	return &state{Rule: r, origin: from, progress: &progress{
		failed: make([]atomic.Int64, len(r.where)+len(r.answer)+len(r.when)),
		missed: make([]atomic.Int64, changes),
	}}
}

// conditionText returns the text of the i-th of the tests and conditions.
func (r *Rule) conditionText(i int) string {
	for _, tests := range [...][]fieldTest{r.where, r.answer} {
		if i < len(tests) {
			return tests[i].text
		}
		i -= len(tests)
	}
	return r.when[i].text
}
