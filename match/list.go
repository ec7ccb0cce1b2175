package match

import (
	"slices"
	"strconv"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
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
	states := make([]machine.Member, len(ms))
	mark := p.apiOf(q).mark
	for i, e := range ms {
		states[i] = e.Member
		mark = either(mark, e.mark)
	}
	for _, e := range q.ents {
		mark = either(mark, e.mark)
		if e.kind == l.Of && p.unlisted(e, l) {
			mark = either(mark, assumedWay)
		}
	}
	vector := machine.Vector(states)
	if l.Tells() {
		f.vector = vector
		f.at = p.silent(q, &f)
	}
	mark = either(mark, f.mark)
	g, sure := l.Recorded(vector, q.owns())
	if g != nil {
		f.recording, f.members, f.sure = p.recordedList(q, g), ms, sure
		switch {
		case f.recording.Doubtful():
			mark = either(mark, doubtOf(f.recording))
		case !sure:
			mark = either(mark, assumedKin)
		case l.Tells() && !allBelong(q, p.membersShown(f.recording, f)):
			f.alone = assumedWay // the list may be another's, and what it shows is as it is
		}
		if !g.Alike {
			mark = either(mark, ambiguous)
		}
		f.mark = either(mark, p.doubt(q, &f, unknownVerdict))
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
	f.mark = either(either(mark, p.doubt(q, &f, unknownVerdict)), composed)
	return f
}

// recordedList chooses among the recordings of a list: those about the thing that the named one follows, because an
// item may say what is true of its own thing alone, and of these the first that tells of a state for sure.
func (p *Player) recordedList(q *query, g *machine.Group) *machine.Recording {
	rs := g.Recordings
	if len(q.ents) > 0 {
		if own := g.About(q.ents[0].follows); len(own) > 0 {
			rs = own
		}
	}
	sure := slices.IndexFunc(rs, func(r *machine.Recording) bool { return !r.Doubtful() })
	return rs[max(sure, 0)]
}

// allBelong reports whether all that a list shows has to do with what the request names, if it names something: by
// the states alone, the statement of one account is that of another.
func allBelong(q *query, shown []*entity) bool {
	if len(q.ents) == 0 {
		return true
	}
	for _, e := range shown {
		if e == nil || !slices.ContainsFunc(q.ents, func(o *entity) bool { return belongs(e, o, mostAbove) }) {
			return false
		}
	}
	return true
}

// mostAbove bounds how far above a thing another is looked for: a payment is part of a card, which is a customer's.
const mostAbove = 3

// belongs reports whether a thing, or one that it is a part or member of, is another or took part in one write with
// the other.
func belongs(e, other *entity, above int) bool {
	if e == other || slices.Contains(e.related(tape.ToLink), other) || slices.Contains(other.related(tape.ToLink), e) {
		return true
	}
	up := func(w *entity) bool { return above > 0 && belongs(w, other, above-1) }
	return slices.ContainsFunc(e.wholes, up) || slices.ContainsFunc(e.scopes, up)
}

// isPlain reports whether the tape has an answer of no list to a request for one in this state, such as that the
// thing is gone.
func (p *Player) isPlain(q *query, key machine.Key) bool {
	cases := p.tape.machine.Row(machine.RowOf(key, q.owns(), q.ties()))
	if cases == nil {
		return false
	}
	c := cases.Case(machine.Deciding(q.Asked))
	if c == nil {
		return false
	}
	g := c.In(p.view(q))
	return g != nil && g.Recordings[0].Listing == nil
}

// unlisted reports whether something of a scope may have brought a member, and is in a state in
// which the tape shows no list such as now: nobody knows what it has brought.
func (p *Player) unlisted(scope *entity, l *machine.List) bool {
	listed := map[uint64]bool{} // the cards of the members
	for _, o := range scope.members[l.Kind] {
		listed[o.Card] = true
	}
	for o := range scope.all() {
		if o.kind != l.Kind && p.tape.machine.MayBring(l.Type, o.Own) &&
			!l.Beside(o.Own, listed[o.Card]) {
			return true
		}
	}
	return false
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
		if l.Linked {
			ms = p.appendLinked(ms, e, l.Kind)
			continue
		}
		ms = append(ms, e.members[l.Kind]...)
		for _, o := range e.parts {
			if o.kind == l.Kind {
				ms = append(ms, o)
			}
		}
	}
	for _, scope := range q.ents {
		if machine.Narrows(l.Of, l.Type, scope.typ, scope.kind) {
			ms = slices.DeleteFunc(ms, func(e *entity) bool { return !slices.Contains(e.scopes, scope) })
		}
	}
	period := l.PeriodOf(q.Asked, q.now)
	ms = slices.DeleteFunc(ms, func(e *entity) bool {
		return len(e.times) > 0 && !period.Covers(e.times[0].time())
	})
	slices.SortFunc(ms, func(a, b *entity) int { return a.number - b.number })
	return slices.Compact(ms)
}

// appendLinked appends what took part in one write with an entity.
func (p *Player) appendLinked(to []*entity, e *entity, kind string) []*entity {
	for _, o := range e.links {
		if o.kind == kind {
			to = append(to, o)
		}
	}
	if len(e.links) < maxLinks {
		return to
	}
	for _, o := range p.kinds[kind] { // those of which the entity keeps no link
		if slices.Contains(o.links, e) {
			to = append(to, o)
		}
	}
	return to
}

// compose puts a list together: of each member the item that recorded lists show for its state, or
// nothing if they left such a one out. Both results are nil where the tape does not tell.
func (p *Player) compose(q *query, l *machine.List, ms []*entity) (*composition, *machine.Recording) {
	c := &composition{frame: l.Frame}
	for _, e := range ms {
		item := l.Item(e.Own)
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
	a := tape.ParamOfKey(q.Asked, l.Spec.Size)
	if a == nil {
		return 0
	}
	n, _ := strconv.Atoi(a.Text)
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
