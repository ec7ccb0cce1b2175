package match

import (
	"cmp"
	"container/list"
	"iter"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// owners are the live flows, by the values they own or use and by their last activity.
type owners struct {
	byID   map[identity][]*flow // of minted values
	users  map[chosen]*users    // of the others
	conns  connections
	active *list.List // of *flow, the most recently active in front
	most   int        // how many flows are kept
	// single tells that a minted value has one owner, the last to get it: where ids are those
	// of the tape, a thread that is opened again has the ids of the one before.
	single bool
}

func newOwners(most int, single bool) owners {
	return owners{
		map[identity][]*flow{}, map[chosen]*users{}, connections{}, list.New(), most, single,
	}
}

// taken reports whether some flow has a value.
func (o owners) taken(id identity) bool {
	return len(o.byID[id]) > 0 || o.users[chosen{id, true}] != nil || o.users[chosen{id, false}] != nil
}

// add enters a live value of a flow, under its noun and, where it is long enough to be
// recognised anywhere, under none; and in the renderings that requests may send.
func (o owners) add(f *flow, b binding) {
	o.put(f, identity{b.v.of, b.value}, b.v)
	for _, r := range b.v.ways {
		o.put(f, identity{b.v.of, r.apply(b.value)}, b.v)
	}
	if b.v.secret != profile.PAN {
		return
	}
	if ends, ok := pan.Ends(b.value); ok {
		o.put(f, identity{b.v.of, ends}, b.v)
	}
}

func (o owners) put(f *flow, id identity, v *variable) {
	ids := []identity{id}
	if id.of != "" && embeddable(id.text) && v.origin != shared {
		ids = append(ids, identity{"", id.text})
	}
	for _, id := range ids {
		if v.origin != minted {
			o.use(f, chosen{id, v.origin == unique}).tells = v.origin == shared && v.secret != profile.PAN
			continue
		}
		has := o.byID[id]
		if o.single {
			has = has[:0]
		}
		o.byID[id] = append(has, f)
		f.keys = append(f.keys, id)
	}
}

// touch notes that a flow was active on a connection, and forgets the least active one if there
// are more than may be kept.
func (o owners) touch(f *flow, conn string) {
	if f.place == nil {
		f.place = o.active.PushFront(f)
	}
	o.active.MoveToFront(f.place)
	o.conns.move(f, conn)
	f.moveUses()
	if o.active.Len() > o.most {
		o.forget(o.active.Back().Value.(*flow))
	}
}

// forget drops a flow and all that it owns.
func (o owners) forget(f *flow) {
	o.active.Remove(f.place)
	o.conns.leave(f)
	o.drop(f)
	for _, id := range f.keys {
		o.byID[id] = slices.DeleteFunc(o.byID[id], func(g *flow) bool { return g.current() == f })
		if len(o.byID[id]) == 0 {
			delete(o.byID, id)
		}
	}
}

// join makes g part of f: what g owned is f's from now on.
func (o owners) join(f, g *flow) {
	o.active.Remove(g.place)
	o.conns.leave(g)
	for _, u := range g.uses {
		o.use(f, u.value)
	}
	o.drop(g)
	g.into = f
	f.keys = append(f.keys, g.keys...)
	f.undelivered = append(f.undelivered, g.undelivered...)
	g.cands, g.keys, g.undelivered, g.place = nil, nil, nil, nil
}

// related are the flows whose own values a request carries, the most recently active first;
// of several with one unique value, that of the same connection.
type related struct {
	minted []*flow
	unique []*flow
}

// related looks up the minted and unique values of a request. Masks, and after them short
// minted values, count only where there is nothing better: several cards may have them.
func (o owners) related(r *Request) related {
	var rel related
	var short, masked []*flow
	for id, f := range o.of(r) {
		switch {
		case strings.Contains(id.text, "*"):
			masked = append(masked, f.current())
		case len(id.text) < embedLength:
			short = append(short, f.current())
		default:
			rel.minted = append(rel.minted, f.current())
		}
	}
	rel.minted = byActivity(rel.minted)
	if us := o.usersOf(r, true); len(us) > 0 {
		rel.unique, _ = o.using(us, r.Conn)
	}
	if len(rel.minted)+len(rel.unique) == 0 {
		rel.unique = most(maxRelated, byActivity(masked)) // each may be the one; they are not connected
	}
	if len(rel.minted)+len(rel.unique) == 0 {
		rel.minted = most(1, byActivity(short))
	}
	return rel
}

// of yields the owners of every minted value of a request.
func (o owners) of(r *Request) iter.Seq2[identity, *flow] {
	return func(yield func(identity, *flow) bool) {
		for _, id := range r.ids {
			for _, f := range o.byID[id] {
				if !yield(id, f) {
					return
				}
			}
		}
	}
}

func most(n int, fs []*flow) []*flow { return fs[:min(n, len(fs))] }

// identify finds what the parameters of a request may be known by. It costs more than looking
// the flows up, and has no need of the lock.
func (r *Request) identify() {
	r.ids = r.ids[:0]
	for i := range r.params {
		r.ids = appendIdentities(r.ids, &r.params[i])
	}
}

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
