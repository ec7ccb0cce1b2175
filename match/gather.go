package match

import (
	"cmp"
	"slices"
)

// gathered answers a read that carries no id of one thread's own from the recordings that
// belong to several: a list of a shop's orders, the bindings of a customer who is known by a
// number that many have. All flows of the client that have as much in common with the request
// must be, in some reading, as they were when it was recorded; so none sees what it has not
// done, nor what it has left behind. A recorded thread that no flow is was somebody else's who
// uses the same shop: what the answer shows of it gets values of its own. But where the request
// says whose threads are meant, by a number that differs on tape, all must be there. Of several
// recordings the one with the most threads that are here answers, and of those with the same the
// one with the fewest strangers; polls get them in turn.
//
// The client's flows are those of its connection. Where that is not known every flow could be
// anybody's, and only the one most recently active has to fit.
//
// done tells that nothing else may answer: a flow of the client is past a state in which it was
// asked.
func (p *Player) gathered(q *query, rel related) (d decision, done bool) {
	if len(rel.minted)+len(rel.unique) > 0 || !p.tape.gathers(q) {
		return decision{}, false
	}
	g := gathering{p: p, q: q}
	g.flows, g.known = p.own(q)
	var all []option
	for _, e := range g.recorded() {
		all = append(all, g.options(e)...)
	}
	d = g.decide(all)
	return d, d.ok || g.known && g.past()
}

// past reports whether one of the flows is in a state behind one in which the tape has the read.
func (g *gathering) past() bool {
	return slices.ContainsFunc(g.flows, func(f *flow) bool {
		return slices.ContainsFunc(f.cands, func(c *candidate) bool {
			return slices.ContainsFunc(c.slots, func(s slot) bool { return g.behind(c, s) })
		})
	})
}

func (g *gathering) behind(c *candidate, s slot) bool {
	return slices.ContainsFunc(g.q.keys, func(key uint64) bool {
		es := s.thread.told(key)
		if len(es) == 0 || es[0].in(s.thread) > s.done || !c.shares(es[0]) {
			return false
		}
		_, ok := unify(&c.vars, es[0], g.q.r, g.q.now)
		return ok
	})
}

// gathers reports whether a request may be one of those reads.
func (t *Tape) gathers(q *query) bool {
	return slices.ContainsFunc(q.keys, func(key uint64) bool { return t.wide[key] })
}

// own returns the flows that have most in common with a request, the most recently active
// first: those of its connection, if some of them have anything.
func (p *Player) own(q *query) (fs []*flow, known bool) {
	if fs = p.owners.here(q.r); len(fs) > 0 {
		return most(maxAmong, fs), true
	}
	fs, n := p.owners.ranked(p.owners.usersOf(q.r, false), q.r.Conn)
	return most(maxAmong, fs[:n]), false
}

// gathering is a search for the reads that fit some flows.
type gathering struct {
	p     *Player
	q     *query
	flows []*flow
	known bool // they are the client's own
}

// recorded returns the reads that some flow could have been shown, in their order.
func (g *gathering) recorded() []*exchange {
	var es []*exchange
	for _, f := range g.flows {
		for _, c := range f.cands {
			for i := range c.slots {
				for _, key := range g.q.keys {
					es = append(es, c.slots[i].thread.toldIn(key, c.slots[i].done)...)
				}
			}
		}
		g.q.why.consider(f.cands)
	}
	slices.SortFunc(es, func(a, b *exchange) int { return cmp.Compare(a.place, b.place) })
	es = slices.Compact(es)
	return es[:min(maxAway, len(es))]
}

// options returns the ways in which the flows can be the threads of a read.
func (g *gathering) options(e *exchange) []option {
	ways := []way{{}}
	for _, f := range g.flows {
		var next []way
		concerned := false
		for _, w := range ways {
			more, touched := w.with(f, e)
			concerned = concerned || touched
			next = append(next, more...)
		}
		first := ways[0].cand == nil
		switch {
		case len(next) > 0:
			ways = next[:min(maxAway, len(next))]
		case concerned && (g.known || first):
			return nil
		}
	}
	var os []option
	for _, w := range ways {
		if w.cand == nil || !w.cand.shares(e) {
			continue
		}
		delta, ok := unify(&w.cand.vars, e, g.q.r, g.q.now)
		o := option{cand: w.cand, e: e, delta: delta, flows: w.flows}
		if ok && (!e.whole || o.present() == len(e.among)) {
			os = append(os, o)
		}
	}
	return os
}

// way is some flows in one reading.
type way struct {
	cand  *candidate
	flows []*flow
}

// with returns the ways in which another flow can be there too. concerned tells that the flow
// may be one of the threads of the read, fit or not.
func (w way) with(f *flow, e *exchange) (ways []way, concerned bool) {
	for _, c := range f.cands {
		here, fits := c.stands(e)
		concerned = concerned || here
		if !here || !fits {
			continue
		}
		j := c
		if w.cand != nil {
			j = w.cand.join(c)
		}
		if j != nil {
			ways = append(ways, way{j, append(slices.Clip(w.flows), f)})
		}
	}
	return ways, concerned
}

// stands reports whether a reading has threads of a read, and whether all of these are in the
// state in which it was recorded.
func (c *candidate) stands(e *exchange) (here, fits bool) {
	fits = true
	for i := range c.slots {
		if state, ok := e.stateOf(c.slots[i].thread); ok {
			here = true
			fits = fits && state == c.slots[i].done
		}
	}
	return here, fits
}

// shares reports whether the reading has a thread that a read belongs to, beside those it shows.
func (c *candidate) shares(e *exchange) bool {
	return slices.ContainsFunc(e.among, func(s standin) bool {
		return !s.shown && c.slot(s.thread) != nil
	})
}

// decide chooses among options.
func (g *gathering) decide(all []option) decision {
	all = slices.DeleteFunc(all, func(o option) bool { return g.p.trust(o) == refused })
	if len(all) == 0 {
		return decision{}
	}
	slices.SortStableFunc(all, g.rank)
	best := all[0]
	var alike []option // the readings of the same threads
	for _, o := range all {
		if g.rank(best, o) == 0 && slices.Equal(o.flows, best.flows) && o.cand.plays(best.cand) {
			alike = append(alike, o)
		}
	}
	n := best.cand.reads[best.e]
	o := alike[min(n, len(alike)-1)]
	o.reads, o.served = best.e, n+1
	strangers := o.present() < len(o.e.among)
	return decision{
		try: try{flows: o.flows, ambiguous: strangers}, o: o, ok: true,
		options: slices.DeleteFunc(all, func(a option) bool {
			return a.e != o.e || !slices.Equal(a.flows, o.flows)
		}),
	}
}

// rank compares two options: the better one is less.
func (g *gathering) rank(a, b option) int {
	return cmp.Or(cmp.Compare(g.p.trust(b), g.p.trust(a)), cmp.Compare(b.present(), a.present()),
		cmp.Compare(resemblance(b.e, g.q), resemblance(a.e, g.q)),
		cmp.Compare(len(a.e.among), len(b.e.among)))
}

// present counts the threads of a gathered read that are here.
func (o option) present() int {
	n := 0
	for i := range o.e.among {
		if o.cand.slot(o.e.among[i].thread) != nil {
			n++
		}
	}
	return n
}

// plays reports whether two readings are of the same threads.
func (c *candidate) plays(o *candidate) bool {
	return slices.EqualFunc(c.slots, o.slots, func(a, b slot) bool { return a.thread == b.thread })
}
