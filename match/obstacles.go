package match

// obstacles collects what stood in the way of exchanges that did unify.
type obstacles struct {
	tried  []*candidate // the readings that had no answer
	early  *exchange    // matched, but this write comes first
	before *exchange
	late   *exchange  // matched, but its turn is over
	passed *exchange  // a write after which it was not recorded
	lateIn *candidate // the reading in which late is
}

// consider notes readings that are looked through.
func (o *obstacles) consider(cands []*candidate) {
	if room := 4*maxCandidates - len(o.tried); room > 0 {
		o.tried = append(o.tried, cands[:min(room, len(cands))]...)
	}
}

// maxAway bounds how many recordings of other states are compared, the nearest first.
const maxAway = 64

// look searches the readings for recordings of the request in another state than theirs. The
// first of each kind is the one told.
func (o *obstacles) look(q *query) {
	for _, c := range o.tried {
		for i := range c.slots {
			for _, key := range q.keys {
				o.around(c, q, c.slots[i].thread.recorded(key))
				o.amid(c, q, c.slots[i].thread.told(key))
			}
		}
	}
}

// around looks before and behind the state of a thread.
func (o *obstacles) around(c *candidate, q *query, es []*exchange) {
	if len(es) == 0 {
		return
	}
	after := from(es, c.slot(es[0].threads[0]).done)
	before := es[:len(es)-len(after)]
	for _, e := range after[:min(maxAway, len(after))] {
		o.compare(c, q, e)
	}
	for _, e := range before[max(0, len(before)-maxAway):] {
		o.compare(c, q, e)
	}
}

// amid looks at reads that belong to several threads: the state of one of those that are here
// is another than it was.
func (o *obstacles) amid(c *candidate, q *query, es []*exchange) {
	for _, e := range es[:min(maxAway, len(es))] {
		if _, ok := unify(&c.vars, e, q.r, q.now); !ok {
			continue
		}
		for i := range c.slots {
			t, done := c.slots[i].thread, c.slots[i].done
			state, here := e.stateOf(t)
			switch {
			case here && done < state && o.early == nil:
				o.early, o.before = e, t.writes[done]
			case here && done > state && o.late == nil:
				o.late, o.passed, o.lateIn = e, t.writes[done-1], c
			}
		}
	}
}

// compare notes an exchange that unifies and that the state forbids.
func (o *obstacles) compare(c *candidate, q *query, e *exchange) {
	if !c.covers(e) {
		return
	}
	s, t := c.standing(e, q.skipWrites)
	if s == allowed || s == early && o.early != nil || s == late && o.late != nil {
		return
	}
	if _, ok := unify(&c.vars, e, q.r, q.now); !ok {
		return
	}
	done := c.slot(t).done
	if s == early {
		o.early, o.before = e, t.writes[done]
		return
	}
	o.late, o.passed, o.lateIn = e, t.writes[done-1], c
}
