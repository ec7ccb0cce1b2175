package match

import (
	"slices"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
)

// composition is a list that no recording has, put together of recorded items.
type composition struct {
	frame *machine.Recording
	items []composedItem
	lent  []uint64 // the uses of the recordings that lend an item
}

// composedItem is a recorded item and the live entity that it shows.
type composedItem struct {
	from   *machine.Recording
	n      int
	entity *entity
}

// lookList finds a recorded list whose members were as the live ones are, else puts one together.
func (p *Player) lookList(q *query, f found, l *machine.List) found {
	ms := p.members(q, l)
	states := make([]machine.MemberState, len(ms))
	mark := p.mark
	for i, e := range ms {
		states[i] = machine.MemberState{Own: e.own, Card: e.card}
		mark = either(mark, e.mark)
	}
	for _, e := range q.ents {
		mark = either(mark, e.mark)
		if e.kind == l.Of && p.unlisted(e, l) {
			mark = either(mark, assumedWay)
		}
	}
	if rs := l.Recorded(machine.Vector(states)); len(rs) > 0 {
		f.recording, f.members = rs[0], ms
		for _, r := range rs[1:] {
			if r.Class != rs[0].Class {
				mark = either(mark, ambiguous)
			}
		}
		f.mark = either(mark, p.doubt(q, f, p.tape.machine.Known(f.key), unknownVerdict))
		return f
	}
	f.list, f.recording = p.compose(q, l, ms)
	if f.list == nil && f.recording == nil { // no list is fit
		f.members = ms
		return f
	}
	if f.recording == nil {
		f.recording = f.list.frame
	}
	f.mark = either(either(mark, p.doubt(q, f, p.tape.machine.Known(f.key), unknownVerdict)), composed)
	return f
}

// unlisted reports whether something of a scope may have brought a member, and is in a state in
// which the tape shows no list such as now: nobody knows what it has brought.
func (p *Player) unlisted(scope *entity, l *machine.List) bool {
	listed := map[uint64]bool{} // the cards of the members
	for _, o := range scope.members {
		if o.kind == l.Kind {
			listed[o.card] = true
		}
	}
	return slices.ContainsFunc(scope.members, func(o *entity) bool {
		return o.kind != l.Kind && p.tape.machine.MayBring(l.Type, o.own) &&
			!l.Beside(o.own, listed[o.card])
	})
}

// members returns the live entities that a list is about, in the order of their births.
func (p *Player) members(q *query, l *machine.List) []*entity {
	var ms []*entity
	if l.Of == "" {
		ms = slices.Clone(p.kinds[l.Kind])
	}
	for _, e := range q.ents {
		if e.kind != l.Of {
			continue
		}
		for _, group := range [][]*entity{e.members, e.parts} {
			for _, o := range group {
				if o.kind == l.Kind && !contains(ms, o) {
					ms = append(ms, o)
				}
			}
		}
	}
	period := l.LivePeriodOf(q.now, func(key string) (string, profile.Form) {
		for i := range q.Asked {
			if request.LastName(q.Asked[i].Path) == key {
				return q.Asked[i].Text, q.Asked[i].Field.Form
			}
		}
		return "", ""
	})
	ms = slices.DeleteFunc(ms, func(e *entity) bool {
		return len(e.times) > 0 && !period.Covers(e.times[0])
	})
	slices.SortStableFunc(ms, func(a, b *entity) int { return a.number - b.number })
	return ms
}

// compose puts a list together: of each member the item that recorded lists show for its state, or
// nothing if they left such a one out. Both results are nil where the tape does not tell.
func (p *Player) compose(q *query, l *machine.List, ms []*entity) (*composition, *machine.Recording) {
	c := &composition{frame: l.Frame}
	for _, e := range ms {
		item := l.Item(e.own)
		if item == nil || item.Conflict {
			return nil, nil
		}
		if item.Absent {
			continue
		}
		c.items = append(c.items, composedItem{item.Recording, item.N, e})
		if use := item.Recording.Use(); !slices.Contains(c.lent, use) {
			c.lent = append(c.lent, use)
		}
	}
	if len(c.items) == 0 {
		return nil, l.Empty
	}
	if !l.Composable() || len(c.items) > 1 && !l.Ordered() {
		return nil, nil
	}
	if size := pageSize(q, l); size > 0 && len(c.items) > size {
		return nil, nil
	}
	if l.Latest {
		slices.Reverse(c.items)
	}
	return c, nil
}

// pageSize returns how many items a page has; 0 if the request does not say.
func pageSize(q *query, l *machine.List) int {
	if l.Spec == nil || l.Spec.Size == "" {
		return 0
	}
	n := 0
	for i := range q.Asked {
		if request.LastName(q.Asked[i].Path) != l.Spec.Size {
			continue
		}
		for _, c := range q.Asked[i].Text {
			if c < '0' || c > '9' || n > 1<<20 {
				return 0
			}
			n = 10*n + int(c-'0')
		}
	}
	return n
}

// membersShown returns the live entities of the items of a recorded list, by the place of the item.
func (p *Player) membersShown(r *machine.Recording, f found) []*entity {
	out := make([]*entity, len(r.Members))
	for i, at := range r.Members {
		if at >= 0 && at < len(f.members) {
			out[i] = f.members[at]
		}
	}
	return out
}

// recency are entities by their last use, the latest first.
type recency struct {
	front, back *entity
	n           int
}

// dropped is which part of all entities goes at once: what each drop looks through is shared by many.
const dropped = 16

// touch notes that entities were used, and lets go of the least recently used ones if there are
// more than may be kept.
func (l *recency) touch(p *Player, groups ...[]*entity) {
	for _, es := range groups {
		for _, e := range es {
			if e.scope {
				continue
			}
			l.remove(e)
			e.older, e.kept = l.front, true
			if l.front != nil {
				l.front.newer = e
			}
			l.front = e
			if l.back == nil {
				l.back = e
			}
			l.n++
		}
	}
	if l.n > p.most {
		p.drop(p.most / dropped)
	}
}

func (l *recency) remove(e *entity) {
	if !e.kept {
		return
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		l.front = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		l.back = e.newer
	}
	e.newer, e.older, e.kept = nil, nil, false
	l.n--
}

// drop lets go of the least recently used entities, at least one: they are unknown from now on.
func (p *Player) drop(n int) {
	gone := map[*entity]bool{}
	kinds, scopes := map[string]bool{}, map[*entity]bool{}
	for e := p.used.back; e != nil && len(gone) < max(n, 1); e = p.used.back {
		gone[e], kinds[e.kind] = true, true
		p.used.remove(e)
		p.strike(e)
		for _, s := range e.scopes {
			scopes[s] = true
		}
	}
	is := func(o *entity) bool { return gone[o] }
	for kind := range kinds {
		p.kinds[kind] = slices.DeleteFunc(p.kinds[kind], is)
	}
	for s := range scopes {
		s.members = slices.DeleteFunc(s.members, is)
	}
}

// strike takes an entity out of all by which it is found and counted, but for what has it as a member.
func (p *Player) strike(e *entity) {
	for _, b := range e.values {
		key := request.Folded(b.text)
		refs := slices.DeleteFunc(p.names[key], func(r nameRef) bool { return r.entity == e })
		if len(refs) == 0 {
			delete(p.names, key)
		} else {
			p.names[key] = refs
		}
	}
	e.family.Current().Remove(e.member())
	p.api(machine.APIOf(e.kind, e.typ)).all.Remove(e.member())
	for _, s := range e.scopes {
		s.kin.Remove(e.member())
	}
	if e.follows != nil && p.followers[e.follows] == e {
		delete(p.followers, e.follows)
	}
	if e.literal != "" {
		delete(p.config, configured{e.kind, e.literal})
	}
}

// kept returns how many entities there are.
func (p *Player) kept() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used.n
}
