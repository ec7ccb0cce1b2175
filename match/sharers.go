package match

import (
	"cmp"
	"container/list"
	"iter"
	"maps"
	"slices"
)

// Bounds of the flows that are looked at for one request. Many clients may choose one value (a
// test card, a clientId), and time must not grow with them.
const (
	maxRelated = 8     // that are tried, and whose parts in an answer are put together
	maxUsers   = 16    // of each value that are compared, the most recently active first
	maxRecent  = 64    // of a connection, likewise
	maxSearch  = 1_000 // for one whose turn it is, where none of the most recent has an answer
	maxValues  = 64    // of a request by which they are found
	maxMoved   = 32    // values of a flow that say when it was active, the last it came to use
)

// chosen is a value that clients chose, or that came from nowhere: any number of flows may use
// it. One that should be unique is told from one that is shared.
type chosen struct {
	identity
	unique bool
}

// users are the flows that use a value.
type users struct {
	value  chosen
	tells  bool // it may be the name of a client: cards and what only an order has are not
	places map[*flow]*list.Element
	recent list.List // of *flow, the most recently active in front
}

// use notes that a flow uses a value, and returns those that do.
func (o owners) use(f *flow, c chosen) *users {
	u := o.users[c]
	if u == nil {
		u = &users{value: c, places: map[*flow]*list.Element{}}
		o.users[c] = u
	}
	if u.places[f] == nil {
		u.places[f] = u.recent.PushFront(f)
		f.uses = append(f.uses, u)
	}
	return u
}

// kin returns other flows that are the same client's: of the same connection, with a value in
// common such as a clientId. Where the connection is not known, not all flows may have that
// value. A flow that has another value of a noun is somebody else's.
func (o owners) kin(f *flow, known []*flow) []*flow {
	var kin []*flow
	for _, u := range f.uses {
		if !u.tells {
			continue
		}
		for g := range front(&u.recent, maxUsers) {
			here := g.on(f.conn) == 1 || f.conn == "" && len(u.places) < o.active.Len()
			if here && !slices.Contains(known, g) && !slices.Contains(kin, g) && f.agrees(g) {
				kin = append(kin, g)
			}
		}
	}
	return most(maxRelated, byActivity(kin))
}

// agrees reports whether two flows have a value in common of every noun of which both have one.
func (f *flow) agrees(g *flow) bool {
	agreed := map[string]bool{}
	for _, u := range f.uses {
		if u.tells {
			agreed[u.value.of] = agreed[u.value.of] || u.places[g] != nil
		}
	}
	return !slices.ContainsFunc(g.uses, func(u *users) bool {
		agrees, both := agreed[u.value.of]
		return u.tells && both && !agrees
	})
}

// drop takes a flow out of the users of all its values.
func (o owners) drop(f *flow) {
	for _, u := range f.uses {
		u.recent.Remove(u.places[f])
		delete(u.places, f)
		if len(u.places) == 0 {
			delete(o.users, u.value)
		}
	}
	f.uses = nil
}

// moveUses makes a flow the most recently active one of those that use its values.
func (f *flow) moveUses() {
	for _, u := range f.uses[max(0, len(f.uses)-maxMoved):] {
		u.recent.MoveToFront(u.places[f])
	}
}

// connections are the flows by the connection on which each was last active, the most recently
// active in front. One without flows is not kept, so there are no more than flows.
type connections map[string]*list.List

// move notes that a flow is active on a connection; empty means an unknown one.
func (cs connections) move(f *flow, conn string) {
	if f.here != nil && f.conn == conn {
		cs[conn].MoveToFront(f.here)
		return
	}
	cs.leave(f)
	f.conn = conn
	if conn == "" {
		return
	}
	fs := cs[conn]
	if fs == nil {
		fs = list.New()
		cs[conn] = fs
	}
	f.here = fs.PushFront(f)
}

// leave takes a flow from its connection.
func (cs connections) leave(f *flow) {
	if f.here == nil {
		return
	}
	fs := cs[f.conn]
	fs.Remove(f.here)
	f.here = nil
	if fs.Len() == 0 {
		delete(cs, f.conn)
	}
}

// on yields the flows of a connection, the most recently active first.
func (cs connections) on(conn string) iter.Seq[*flow] {
	if fs := cs[conn]; fs != nil {
		return front(fs, maxRecent)
	}
	return func(func(*flow) bool) {}
}

// front yields the first n flows of a list.
func front(fs *list.List, n int) iter.Seq[*flow] {
	return func(yield func(*flow) bool) {
		for e := fs.Front(); e != nil && n > 0; e = e.Next() {
			if n--; !yield(e.Value.(*flow)) {
				return
			}
		}
	}
}

// usersOf returns the users of every value of a request, of unique ones or of shared ones.
func (o owners) usersOf(r *Request, unique bool) []*users {
	var us []*users
	for _, id := range r.ids {
		if u := o.users[chosen{id, unique}]; u != nil && len(us) < maxValues && !slices.Contains(us, u) {
			us = append(us, u)
		}
	}
	return us
}

// using returns the first of the flows that use one of some values. alike tells that others have
// as many in common with the request as the first.
func (o owners) using(us []*users, conn string) (fs []*flow, alike bool) {
	fs, foremost := o.ranked(us, conn)
	return most(maxRelated, fs), foremost > 1
}

// ranked returns the flows that use one of some values, those with the most and rarest first,
// then those of the connection, then the most recently active ones, and how many have as much in
// common with the request as the first. However many use a value, those of the connection are
// among them.
func (o owners) ranked(us []*users, conn string) (fs []*flow, foremost int) {
	if len(us) == 0 {
		return nil, 0
	}
	common := map[*flow]int{}
	count := func(f *flow) {
		if common[f] > 0 {
			return
		}
		for _, u := range us {
			if u.places[f] != nil {
				common[f] += weight(len(u.places))
			}
		}
	}
	for _, u := range us {
		for f := range front(&u.recent, maxUsers) {
			count(f)
		}
	}
	for f := range o.conns.on(conn) {
		count(f)
	}
	fs = slices.Collect(maps.Keys(common))
	slices.SortFunc(fs, func(a, b *flow) int {
		return cmp.Or(cmp.Compare(common[b], common[a]), cmp.Compare(b.on(conn), a.on(conn)),
			cmp.Compare(b.used, a.used))
	})
	for foremost < len(fs) && common[fs[foremost]] == common[fs[0]] {
		foremost++
	}
	return fs, foremost
}

// here returns the flows of the connection of a request that have most in common with it, the
// most recently active first.
func (o owners) here(r *Request) []*flow {
	us := o.usersOf(r, false)
	var fs []*flow
	best := 1
	for f := range o.conns.on(r.Conn) {
		n := 0
		for _, u := range us {
			if u.places[f] != nil {
				n += 1 + weight(len(u.places))
			}
		}
		if n > best {
			best, fs = n, nil
		}
		if n == best {
			fs = append(fs, f)
		}
	}
	return fs
}

// on is 1 for a flow that was last active on a known connection, 0 for others.
func (f *flow) on(conn string) int {
	if conn != "" && f.conn == conn {
		return 1
	}
	return 0
}

// sharing returns the flows that have shared values in common with a request.
func (o owners) sharing(r *Request) (fs []*flow, alike bool) {
	return o.using(o.usersOf(r, false), r.Conn)
}

// ready yields flows that use the rarest shared value of a request and have come to where the
// tape has an answer for it: those of the connection, then the most recently active ones. So a
// client is served though many others, who have not come that far, were active after it.
func (o owners) ready(q *query, us []*users) iter.Seq[*flow] {
	return func(yield func(*flow) bool) {
		if len(us) == 0 {
			return
		}
		rarest := slices.MinFunc(us, func(a, b *users) int {
			return cmp.Compare(len(a.places), len(b.places))
		})
		for f := range o.conns.on(q.r.Conn) {
			if rarest.places[f] != nil && f.ready(q) && !yield(f) {
				return
			}
		}
		for f := range front(&rarest.recent, maxSearch) {
			if f.on(q.r.Conn) == 0 && f.ready(q) && !yield(f) {
				return
			}
		}
	}
}

// ready reports whether the tape has a request with the key of this one in the state of a flow.
func (f *flow) ready(q *query) bool {
	for _, c := range f.cands {
		for i := range c.slots {
			s := &c.slots[i]
			for _, key := range q.keys {
				if len(in(s.thread.recorded(key), s.done)) > 0 {
					return true
				}
			}
		}
	}
	return false
}
