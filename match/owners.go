package match

import (
	"cmp"
	"container/list"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// maxRelated bounds how many flows with one shared value are considered, the most recently
// active first.
const maxRelated = 8

// owned is a live value's owner, and what kind of value it is.
type owned struct {
	flow   *flow
	origin origin
}

// owners are the live flows, by the values they own and by their last activity.
type owners struct {
	byID   map[identity][]owned
	active *list.List         // of *flow, the most recently active in front
	conns  map[string][]*flow // by the connection on which they were last active
	most   int                // how many flows are kept
	// single tells that a minted value has one owner, the last to get it: where ids are those
	// of the tape, a thread that is opened again has the ids of the one before.
	single bool
}

func newOwners(most int, single bool) owners {
	return owners{map[identity][]owned{}, list.New(), map[string][]*flow{}, most, single}
}

// taken reports whether some flow has a value.
func (o owners) taken(id identity) bool { return len(o.byID[id]) > 0 }

// add enters a live value of a flow, under its noun and, where it is long enough to be
// recognised anywhere, under none; and in the renderings that requests may send.
func (o owners) add(f *flow, b binding) {
	o.put(f, identity{b.v.of, b.value}, b.v.origin)
	for _, r := range b.v.ways {
		o.put(f, identity{b.v.of, r.apply(b.value)}, b.v.origin)
	}
	if b.v.secret != profile.PAN {
		return
	}
	if ends, ok := pan.Ends(b.value); ok {
		o.put(f, identity{b.v.of, ends}, b.v.origin)
	}
}

func (o owners) put(f *flow, id identity, origin origin) {
	ids := []identity{id}
	if id.of != "" && embeddable(id.text) && origin != shared {
		ids = append(ids, identity{"", id.text})
	}
	for _, id := range ids {
		has := o.byID[id]
		if (origin == shared || origin == configured) && len(has) >= maxSharers {
			copy(has, has[1:]) // in place: most requests come here
			has = has[:len(has)-1]
		}
		if o.single && origin == minted {
			has = slices.DeleteFunc(has, func(w owned) bool { return w.origin == minted })
		}
		o.byID[id] = append(has, owned{f, origin})
		f.keys = append(f.keys, id)
	}
}

// touch notes that a flow was active, and forgets the least active one if there are more
// than may be kept.
func (o owners) touch(f *flow) {
	if f.place == nil {
		f.place = o.active.PushFront(f)
	}
	o.active.MoveToFront(f.place)
	if o.active.Len() > o.most {
		o.forget(o.active.Back().Value.(*flow))
	}
}

// maxHere bounds the flows that are known by one connection.
const maxHere = 256

// on notes the connection on which a flow is active.
func (o owners) on(f *flow, conn string) {
	if f.conn == conn {
		return
	}
	o.off(f)
	f.conn = conn
	if conn == "" {
		return
	}
	fs := o.conns[conn]
	o.conns[conn] = append(fs[max(0, len(fs)-maxHere+1):], f)
}

// off forgets the connection of a flow.
func (o owners) off(f *flow) {
	fs := slices.DeleteFunc(o.conns[f.conn], func(g *flow) bool { return g == f })
	if o.conns[f.conn] = fs; len(fs) == 0 {
		delete(o.conns, f.conn)
	}
	f.conn = ""
}

// maxRecent bounds the flows that recent yields.
const maxRecent = 64

// recent yields flows, the most recently active first.
func (o owners) recent() iter.Seq[*flow] {
	return func(yield func(*flow) bool) {
		n := 0
		for e := o.active.Front(); e != nil && n < maxRecent; e = e.Next() {
			n++
			if !yield(e.Value.(*flow)) {
				return
			}
		}
	}
}

// forget drops a flow and all that it owns.
func (o owners) forget(f *flow) {
	o.active.Remove(f.place)
	o.off(f)
	for _, id := range f.keys {
		o.byID[id] = slices.DeleteFunc(o.byID[id], func(w owned) bool {
			return w.flow.current() == f
		})
		if len(o.byID[id]) == 0 {
			delete(o.byID, id)
		}
	}
}

// join makes g part of f: what g owned is f's from now on.
func (o owners) join(f, g *flow) {
	o.active.Remove(g.place)
	o.off(g)
	g.into = f
	f.keys = append(f.keys, g.keys...)
	f.undelivered = append(f.undelivered, g.undelivered...)
	g.cands, g.keys, g.undelivered, g.place = nil, nil, nil, nil
}

// related are the flows whose own values a request carries, the most recently active first.
type related struct {
	minted []*flow
	unique []*flow
}

// related looks up the minted and unique values of a request. Masks, and after them short
// minted values, count only where there is nothing better: several cards may have them.
func (o owners) related(r *Request) related {
	var rel related
	var short, masked []*flow
	for id, w := range o.of(r) {
		switch {
		case strings.Contains(id.text, "*"):
			masked = append(masked, w.flow.current())
		case w.origin == minted && len(id.text) < embedLength:
			short = append(short, w.flow.current())
		case w.origin == minted:
			rel.minted = append(rel.minted, w.flow.current())
		case w.origin == unique:
			rel.unique = append(rel.unique, w.flow.current())
		}
	}
	rel.minted = byActivity(rel.minted)
	if len(rel.minted)+len(rel.unique) == 0 {
		rel.unique = masked // each may be the one; they are not connected
	}
	if len(rel.minted)+len(rel.unique) == 0 {
		rel.minted = most(1, byActivity(short))
	}
	rel.unique = most(maxRelated, byActivity(rel.unique))
	return rel
}

// sharing returns the flows that have shared values in common with a request, those with
// the most and rarest first, then that of the same connection, then the most recently active one. alike
// tells that others have as many in common as the first.
func (o owners) sharing(r *Request) (fs []*flow, alike bool) {
	fs, n := o.sharers(r)
	return most(maxRelated, fs), n > 1
}

// sharers returns all that sharing chooses from, and how many have as much in common with the
// request as the first.
func (o owners) sharers(r *Request) (fs []*flow, foremost int) {
	type inCommon struct {
		flow *flow
		id   identity
	}
	common, counted := map[*flow]int{}, map[inCommon]bool{}
	for id, w := range o.of(r) {
		// Each of the threads in a flow may have brought the value.
		c := inCommon{w.flow.current(), id}
		if (w.origin == shared || w.origin == configured) && !counted[c] {
			counted[c] = true
			common[c.flow] += weight(len(o.byID[id]))
		}
	}
	fs = slices.Collect(maps.Keys(common))
	here := func(f *flow) int {
		if r.Conn != "" && f.conn == r.Conn {
			return 1
		}
		return 0
	}
	slices.SortFunc(fs, func(a, b *flow) int {
		return cmp.Or(cmp.Compare(common[b], common[a]), cmp.Compare(here(b), here(a)),
			cmp.Compare(b.used, a.used))
	})
	for foremost < len(fs) && common[fs[foremost]] == common[fs[0]] {
		foremost++
	}
	return fs, foremost
}

// of yields the owners of every value of a request.
func (o owners) of(r *Request) iter.Seq2[identity, owned] {
	return func(yield func(identity, owned) bool) {
		var room [4]identity
		for i := range r.params {
			for _, id := range appendIdentities(room[:0], &r.params[i]) {
				for _, w := range o.byID[id] {
					if !yield(id, w) {
						return
					}
				}
			}
		}
	}
}

func most(n int, fs []*flow) []*flow { return fs[:min(n, len(fs))] }

// appendIdentities appends the identities that a parameter may be known by.
func appendIdentities(ids []identity, p *param) []identity {
	switch p.field.From {
	case profile.Ignored, profile.Date:
		return ids
	case profile.Exact:
		for _, tok := range paramTokens(p) {
			ids = append(ids, identity{"", tok.text})
		}
		return ids
	}
	if p.field.Of == "" && p.field.Secret == profile.Token && p.field.From == profile.Shared {
		return append(ids, identity{"", p.text}) // the sandbox may have issued it
	}
	if p.field.Of == "" || p.text == "" {
		return ids
	}
	text := identifying(*p)
	ids = append(ids, identity{p.field.Of, text})
	if t := strings.TrimLeft(text, "0"); t != text && t != "" && p.field.Secret != profile.PAN {
		ids = append(ids, identity{p.field.Of, t})
	}
	return ids
}

// byActivity sorts flows by their last activity and drops repeats.
func byActivity(fs []*flow) []*flow {
	slices.SortStableFunc(fs, func(a, b *flow) int { return cmp.Compare(b.used, a.used) })
	return slices.Compact(fs)
}
