package rules

import (
	"slices"
	"sync"
)

// lookup finds which of the rules of a plan have tests that hold of a request. Its memory is used
// again for other requests (lookups).
type lookup struct {
	plan   *plan
	asked  *Asked
	values [][]found // by index in plan.places
	looked []bool    // the same: the place has been looked at
	due    []int     // the indexes in plan.entries of the rules that look at the request
	// candidates are the rules of which all tests on the request hold.
	candidates []*state
	namings    []naming // all of the request
	names      []naming // those of the entity that it is about
}

// lookups lends the memory of a lookup: most requests match nothing, and cost no memory.
var lookups = sync.Pool{New: func() any { return new(lookup) }}

// done gives back what was lent. It holds live values, which go.
func (l *lookup) done() {
	for i, values := range l.values {
		if len(values) > 0 {
			clear(values)
			l.values[i] = values[:0]
		}
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
	l.readTogether()
	l.findDue()
	for _, i := range l.due {
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
				continue // the plan has counted it
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

// findDue finds the rules that look at the request, in their order. The first test of the others
// does not hold, as of most requests: the plan counts that for all of them together.
func (l *lookup) findDue() {
	p := l.plan
	l.due = append(l.due[:0], p.always...)
	if p.sessions.used {
		l.due = p.sessions.find(l.due, []found{{text: l.asked.Session}})
	}
	if p.paths.used {
		l.due = p.paths.find(l.due, []found{{text: pathOf(l.asked.Request)}})
	}
	for at := range p.tests {
		x := &p.tests[at]
		if l.looked[at] && len(l.values[at]) == 0 && len(x.absence) == 0 {
			continue // as most fields of many
		}
		if x.used {
			l.due = x.find(l.due, l.look(at))
		}
	}
	slices.Sort(l.due)
	l.due = slices.Compact(l.due)
}

// failing returns the first test of a rule that does not hold; -1 if all hold.
func (l *lookup) failing(e *entry) int {
	for n := range e.tests {
		if t := &e.tests[n]; !t.test.holds(l.look(t.at)) {
			return n
		}
	}
	return -1
}

// look returns the values at a place, by its index in plan.places.
func (l *lookup) look(at int) []found {
	if !l.looked[at] {
		l.values[at] = append(l.values[at], l.plan.places[at].inRequest(l.asked)...)
		l.looked[at] = true
	}
	return l.values[at]
}

// readTogether finds the values of all fields and headers that are looked at; other places wait
// until a test looks.
func (l *lookup) readTogether() {
	l.looked = append(l.looked[:0], l.plan.together...)
	for len(l.values) < len(l.looked) {
		l.values = append(l.values, nil)
	}
	if len(l.plan.headers) > 0 {
		l.readHeaders()
	}
	if len(l.plan.fields) > 0 {
		l.readFields()
	}
}

// readHeaders goes through what is shorter: the headers of the request or those that are looked at.
func (l *lookup) readHeaders() {
	if len(l.plan.headers) < len(l.asked.Header) {
		for name, at := range l.plan.headers {
			l.values[at] = appendTexts(l.values[at], l.asked.Header[name])
		}
		return
	}
	for name, values := range l.asked.Header {
		if at, is := l.plan.headers[name]; is {
			l.values[at] = appendTexts(l.values[at], values)
		}
	}
}

func (l *lookup) readFields() {
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
