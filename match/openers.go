package match

// openers are the recorded exchanges with one key that may open a thread.
type openers struct {
	good    entries
	refused entries
	// beside open a thread of their own in a flow: they carry values of another thread, by
	// which they are found.
	beside map[*thread][]*exchange
}

// entries are openers of threads that stand alone when they begin.
type entries struct {
	all []*exchange
	// kinds holds the first of each kind: threads that go on alike are of one kind. kind says
	// for each of all which.
	kinds []*exchange
	kind  []int
}

// collectOpeners enters all openers by key. An exchange that opens a thread which began with
// another write cannot, unless writes may be left out.
func (t *Tape) collectOpeners() {
	for _, e := range t.exchanges {
		if !e.opens || e.before[0] > 0 && !t.opts.SkipWrites {
			continue
		}
		o := t.openers[e.key]
		if o == nil {
			o = &openers{}
			t.openers[e.key] = o
		}
		switch {
		case len(e.threads) > 1:
			if o.beside == nil {
				o.beside = map[*thread][]*exchange{}
			}
			o.beside[e.threads[1]] = append(o.beside[e.threads[1]], e)
		case e.denied:
			o.refused.all = append(o.refused.all, e)
		default:
			o.good.all = append(o.good.all, e)
		}
	}
	for _, o := range t.openers {
		o.good.sort()
		o.refused.sort()
	}
}

// sort finds the kinds.
func (es *entries) sort() {
	if len(es.all) == 1 {
		es.kinds, es.kind = es.all, []int{0}
		return
	}
	known := map[uint64]int{}
	for _, e := range es.all {
		m := kindOf(e)
		k, ok := known[m]
		if !ok {
			k = len(es.kinds)
			known[m] = k
			es.kinds = append(es.kinds, e)
		}
		es.kind = append(es.kind, k)
	}
}

// inTurn calls f for the exchange whose turn it is when n threads have opened alike, and then
// for one of every other kind, until it returns false.
func (es *entries) inTurn(n int, f func(e *exchange) bool) {
	if len(es.all) == 0 {
		return
	}
	at := turn(es.all, n)
	if !f(es.all[at]) {
		return
	}
	for i := 1; i < len(es.kinds); i++ {
		if !f(es.kinds[(es.kind[at]+i)%len(es.kinds)]) {
			return
		}
	}
}

// turn returns whose turn it is when n threads have opened alike: the n-th recorded thread's,
// and after the last the last again. Threads that one client had on tape (a payer and a
// payee) come again together.
func turn(entries []*exchange, n int) int {
	if n < len(entries) {
		return n
	}
	last := len(entries)
	flow := entries[last-1].threads[0].flow()
	from := last - 1
	for from > 0 && entries[from-1].threads[0].flow() == flow {
		from--
	}
	return from + (n-last)%(last-from)
}

// openings lists the recorded threads that a request can start, the one whose turn it is
// first. cut tells that there are more, of other kinds, than are listed.
func (p *Player) openings(q *query, cands []*candidate) (os []option, cut bool) {
	for _, key := range q.keys {
		o := p.tape.openers[key]
		if o == nil {
			continue
		}
		for _, es := range []*entries{&o.good, &o.refused} {
			limit := len(os) + maxCandidates
			es.inTurn(p.opened[es], func(e *exchange) bool {
				os = p.enter(q, e, es, os)
				cut = cut || len(os) >= limit
				return len(os) < limit
			})
		}
		os = p.openBeside(q, o, cands, os)
	}
	return os, cut
}

// enter adds the reading in which e opens a thread alone.
func (p *Player) enter(q *query, e *exchange, es *entries, os []option) []option {
	delta, ok := unify(nil, e, q.r, q.now)
	if !ok {
		return os
	}
	c := newCandidate(e.threads[0], p.threads+1)
	return append(os, opening(option{
		cand: c, e: e, delta: delta, alone: true, entries: es,
	}))
}

// openBeside adds the readings in which a thread is opened beside the flows whose values the
// request carries.
func (p *Player) openBeside(q *query, o *openers, cands []*candidate, os []option) []option {
	limit := len(os) + maxCandidates
	for _, c := range cands {
		for i := range c.slots {
			for _, e := range o.beside[c.slots[i].thread] {
				if len(os) < limit {
					os = p.enterBeside(q, e, c, os)
				}
			}
		}
	}
	return os
}

func (p *Player) enterBeside(q *query, e *exchange, c *candidate, os []option) []option {
	j := c.join(newCandidate(e.threads[0], p.threads+1))
	if j == nil || !j.covers(e) {
		return os
	}
	delta, ok := unify(&j.vars, e, q.r, q.now)
	if s, _ := j.standing(e, q.skipWrites); !ok || s != allowed {
		return os
	}
	return append(os, opening(option{cand: j, e: e, delta: delta}))
}

// opening counts a read that opens a thread among the reads of its state.
func opening(o option) option {
	if !o.e.writes {
		o.reads, o.served = o.e, 1
	}
	return o
}
