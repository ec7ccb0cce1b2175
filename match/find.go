package match

import (
	"cmp"
	"slices"
)

// find returns the exchange that answers a request in this reading.
func (c *candidate) find(q *query) (option, bool) {
	var rs reads
	for i := range c.slots {
		s := &c.slots[i]
		for _, key := range q.keys {
			es := s.thread.recorded(key)
			group := in(es, c.joining(s, es))
			if len(group) > 0 && !group[0].writes {
				c.reading(q, group, &rs)
				continue
			}
			if q.skipWrites {
				group = from(es, s.done)
			}
			if o, ok := c.writing(q, group); ok {
				return o, true
			}
		}
	}
	return rs.next(c, q)
}

// joining returns the state in which a thread has some of the exchanges with a key: the one in
// which it is, or the next one before which there are only writes of threads that are not here.
func (c *candidate) joining(s *slot, es []*exchange) int {
	if len(es) == 0 {
		return s.done
	}
	for state := s.done; state <= len(s.thread.writes); state++ {
		if len(in(es, state)) > 0 {
			return state
		}
		if state == len(s.thread.writes) || c.covers(s.thread.writes[state]) {
			break
		}
	}
	return s.done
}

// writing returns the first of some exchanges that may be served. Without skipped writes there
// is at most one: a write changes the state of its thread.
func (c *candidate) writing(q *query, group []*exchange) (option, bool) {
	for _, e := range group {
		if o, ok := c.option(q, e); ok && e.writes {
			return o, true
		}
	}
	return option{}, false
}

// option returns the option that an exchange is, if the state allows it and it unifies.
func (c *candidate) option(q *query, e *exchange) (option, bool) {
	if !c.covers(e) {
		return option{}, false
	}
	if s, _ := c.standing(e, q.skipWrites); s != allowed {
		return option{}, false
	}
	delta, ok := unify(&c.vars, e, q.r, q.now)
	return option{cand: c, e: e, delta: delta}, ok
}

// reads are the classes of reads that could answer a request.
type reads struct {
	known  [][]*exchange // all their values are bound
	one    option        // of the only one of them
	fresh  option        // the first of a class that binds a value
	likest int           // how like its card and its dates are to the live ones
	found  bool          // there is such a class
}

// reading adds the classes of a group that unify.
func (c *candidate) reading(q *query, group []*exchange, rs *reads) {
	c.possible(q, group, func(class []*exchange) bool {
		o, ok := c.option(q, class[0])
		switch {
		case !ok:
		case !slices.ContainsFunc(o.delta, binding.new):
			rs.known, rs.one = append(rs.known, class), o
		default:
			n := resemblance(o.e, q)
			if !rs.found || n > rs.likest {
				rs.fresh, rs.likest, rs.found = first(class, o), n, true
			}
		}
		return true
	})
}

// first is the option to serve the first of a class.
func first(class []*exchange, o option) option {
	if len(class) > 1 {
		o.reads, o.served = class[0], 1
	}
	return o
}

// new reports whether a binding is the first that its variable gets: others change values that
// every request brings anew.
func (b binding) new() bool { return !b.v.rebinds() }

// next chooses among the reads of one state: those that were recorded for the values which the
// reading has, in their order, the last again and again; else one for values of its own.
func (rs *reads) next(c *candidate, q *query) (option, bool) {
	switch len(rs.known) {
	case 0:
		return rs.fresh, rs.found
	case 1:
		return c.turn(q, rs.known[0], rs.one)
	}
	all := slices.Concat(mostPunctual(rs.known, q)...)
	slices.SortFunc(all, func(a, b *exchange) int { return cmp.Compare(a.place, b.place) })
	return c.turn(q, all, option{})
}

// since returns whose turn it is, of which n were served, now that the same was asked in another
// way: by a number and not by an id. What was shown before the last answer is not shown again
// where there is newer, unless it says the same.
func (c *candidate) since(es []*exchange, n int) int {
	last := c.owner(es[0]).last(es[0].op)
	if last == nil || n >= len(es)-1 || last.key == es[0].key || !askTheSame(es, last) {
		return n
	}
	for n+1 < len(es) && es[n+1].place <= last.place {
		n++
	}
	if es[n].place < last.place && n+1 < len(es) && !es[n].congruent(last) {
		n++
	}
	return n
}

// askTheSame reports whether some reads are another way of asking for what one of the same
// state tells: somewhere they agree.
func askTheSame(es []*exchange, o *exchange) bool {
	others := in(o.threads[0].recorded(o.key), o.before[0])
	return slices.ContainsFunc(es[:min(maxListed, len(es))], func(e *exchange) bool {
		return slices.ContainsFunc(others[:min(maxListed, len(others))], e.tellsAs)
	})
}

// tellsAs reports whether two recorded answers say the same of the same things.
func (e *exchange) tellsAs(o *exchange) bool {
	if !e.congruent(o) {
		return false
	}
	things, same := 0, true
	e.holes(o, func(a, b *hole) {
		if len(a.vars) == 0 || len(b.vars) == 0 || a.vars[0].origin == date {
			return
		}
		things++
		same = same && a.vars[0] == b.vars[0]
	})
	return things > 0 && same
}

// turn returns the one of some reads whose turn it is. o is the option that the first is, or
// the zero option.
func (c *candidate) turn(q *query, es []*exchange, o option) (option, bool) {
	n := c.since(es, c.reads[es[0]])
	if e := es[min(n, len(es)-1)]; e != o.e {
		var ok bool
		if o, ok = c.option(q, e); !ok {
			return option{}, false
		}
	}
	if len(es) > 1 {
		o.reads, o.served = es[0], n+1
	}
	return o, true
}
