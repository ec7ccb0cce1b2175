package rules

import "sync"

// lookup finds which of the rules of a plan have tests that hold of a request. Its memory is used
// again for other requests (lookups).
type lookup struct {
	plan   *plan
	asked  *Asked
	values [][]found // by index in plan.places
	looked []bool    // the same: the place has been looked at
	// candidates are the rules of which all tests on the request hold.
	candidates []*state
	namings    []naming // all of the request
	names      []naming // those of the entity that it is about
}

// lookups lends the memory of a lookup: most requests match nothing, and cost no memory.
var lookups = sync.Pool{New: func() any { return new(lookup) }}

// done gives back what was lent. It holds live values, which go.
func (l *lookup) done() {
	for i := range l.values {
		clear(l.values[i])
		l.values[i] = l.values[i][:0]
	}
	clear(l.candidates)
	clear(l.namings)
	clear(l.names)
	l.plan, l.asked = nil, nil
	lookups.Put(l)
}

// find finds the candidates.
func (l *lookup) find() {
	path, a := "", l.asked
	l.candidates = l.candidates[:0]
	l.plan.asked.Add(1)
	l.readFields()
	for i := range l.plan.entries {
		e := &l.plan.entries[i]
		if e.sessions != nil && !globs(e.sessions, a.Session) {
			continue
		}
		if !e.exact {
			if path == "" {
				path = pathOf(a.Request)
			}
			if !meansAny(e.ops, a.Call.Operation, a.Method, path) {
				continue
			}
		}
		n := l.failing(e)
		if e.passed != nil {
			if n == 0 {
				continue // as most do: the plan has counted it
			}
			e.passed.Add(1)
		}
		if n >= 0 {
			e.failed[n].Add(1)
			continue
		}
		l.candidates = append(l.candidates, e.state)
	}
}

// failing returns the first test of a rule that does not hold; -1 if all hold.
func (l *lookup) failing(e *entry) int {
	for n := range e.tests {
		t := &e.tests[n]
		if !l.looked[t.at] {
			l.values[t.at] = append(l.values[t.at], l.plan.places[t.at].inRequest(l.asked)...)
			l.looked[t.at] = true
		}
		if !t.test.holds(l.values[t.at]) {
			return n
		}
	}
	return -1
}

// readFields finds the values of all fields that are looked at; other places wait until a test
// looks.
func (l *lookup) readFields() {
	l.looked = append(l.looked[:0], l.plan.together...)
	for len(l.values) < len(l.looked) {
		l.values = append(l.values, nil)
	}
	if len(l.plan.fields) == 0 {
		return
	}
	var room [64]byte
	for i := range l.asked.Params {
		q := &l.asked.Params[i]
		whole := foldPath(room[:0], q.Path)
		if at, is := l.plan.fields[string(whole)]; is {
			l.values[at] = append(l.values[at], foundIn(q))
		}
		last := lastName(whole)
		if at, is := l.plan.fields[string(last)]; is && len(last) < len(whole) {
			l.values[at] = append(l.values[at], foundIn(q))
		}
	}
}
