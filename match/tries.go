package match

import (
	"iter"
	"slices"
)

// try is one set of flows that could own a request, or the opening of a new thread.
type try struct {
	flows     []*flow
	opens     bool
	ambiguous bool
	akin      bool // the flows are of one client
	// far is how many flows are nearer by what decides between equals: what they have in
	// common with the request, its connection, their last activity. 0 is the nearest.
	far int
}

// tries yields who could own a request, best first: the flows whose minted values it
// carries, else those whose unique values; a new thread; those whose shared values it
// carries; the flow of requests without values. An exchange that ties a flow to others may
// name those by a shared value alone, so sets of flows come after single ones.
func (p *Player) tries(q *query, rel related) iter.Seq[try] {
	if len(rel.minted) > 0 {
		return p.triesOfMinted(q, rel)
	}
	declared := q.declared()
	return func(yield func(try) bool) {
		for _, f := range rel.unique {
			if !yield(try{flows: []*flow{f}}) {
				return
			}
		}
		if declared && !yield(try{opens: true}) {
			return
		}
		users := p.owners.usersOf(q.r, false)
		shared, alike := p.owners.using(users, q.r.Conn)
		if !sets(nil, concerned(q, shared), p.tape.widest[q.r.op], func(fs []*flow) bool {
			return yield(try{flows: fs, ambiguous: alike, far: slices.Index(shared, fs[0])})
		}) {
			return
		}
		if !q.decided() && !triesOfReady(q, p.owners.ready(q, users), shared, yield) {
			return
		}
		for _, f := range p.silent {
			if !yield(try{flows: []*flow{f.current()}, far: len(shared)}) {
				return
			}
		}
		if !declared && !p.owners.outlived(q) {
			yield(try{opens: true, far: len(shared)})
		}
	}
}

// outlived reports whether a request asks a flow of its connection for a state that it has left.
// Another thread, in which nothing was written yet, would answer as if nothing had been.
func (o owners) outlived(q *query) bool {
	if q.fingerprint != 0 {
		return false
	}
	return slices.ContainsFunc(o.here(q.r), func(f *flow) bool {
		return slices.ContainsFunc(f.cands, func(c *candidate) bool { return c.outlived(q) })
	})
}

func (c *candidate) outlived(q *query) bool {
	for i := range c.slots {
		s := &c.slots[i]
		for _, key := range q.keys {
			es := s.thread.recorded(key)
			if len(es) == 0 || es[0].writes || es[0].before[0] >= s.done {
				continue
			}
			if _, ok := unify(&c.vars, es[0], q.r, q.now); ok {
				return true
			}
		}
	}
	return false
}

// triesOfReady yields flows beyond those that were tried of the ones that share values with a
// request. It reports whether the last was reached.
func triesOfReady(q *query, ready iter.Seq[*flow], tried []*flow, yield func(try) bool) bool {
	left := maxRecent
	for f := range ready {
		if slices.Contains(tried, f) {
			continue
		}
		if left--; left < 0 {
			return true
		}
		if !yield(try{flows: []*flow{f}, ambiguous: true, far: len(tried)}) {
			return false
		}
		if q.decided() {
			return true
		}
	}
	return true
}

func (p *Player) triesOfMinted(q *query, rel related) iter.Seq[try] {
	return func(yield func(try) bool) {
		if !yield(try{flows: rel.minted}) || !yield(try{flows: rel.minted, opens: true}) {
			return
		}
		for _, f := range most(1, rel.minted) {
			kin := concerned(q, p.owners.kin(f, rel.minted))
			if len(kin) > 0 && !sets(rel.minted, kin, p.tape.widest[q.r.op], func(fs []*flow) bool {
				return yield(try{flows: fs, akin: true})
			}) {
				return
			}
		}
		shared, _ := p.owners.sharing(q.r)
		others := slices.DeleteFunc(slices.Concat(rel.unique, shared), func(f *flow) bool {
			return slices.Contains(rel.minted, f)
		})
		sets(rel.minted, concerned(q, others), p.tape.widest[q.r.op], func(fs []*flow) bool {
			return yield(try{flows: fs})
		})
	}
}

// sets yields base with every choice of one to more of the others, small ones first, up to
// width flows in all. It reports whether the last was reached.
func sets(base, others []*flow, width int, yield func([]*flow) bool) bool {
	for size := 1; size <= min(width-len(base), len(others)) || size == 1; size++ {
		if !choices(base, others, size, yield) {
			return false
		}
	}
	return true
}

// choices yields base with every choice of size others.
func choices(base, others []*flow, size int, yield func([]*flow) bool) bool {
	if size == 0 {
		return yield(base)
	}
	for i, f := range others {
		if !choices(append(slices.Clip(base), f), others[i+1:], size-1, yield) {
			return false
		}
	}
	return true
}
