package machine

import (
	"cmp"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/tape"
)

// List is what the tape knows of the answers to one key that list entities.
type List struct {
	Kind, Of string
	Linked   bool          // see tape.Listing
	Spec     *profile.List // nil for an inferred one

	recorded  map[uint64]*Group // by what they depend on: see dependence
	unsure    map[uint64]*Group // by the vector of the members alone, where more tells and there are some
	items     map[Own]*ItemOf
	Frame     *Recording // an answer whose frame other items can be put into; nil if no answer is fit
	Empty     *Recording // an answer without items; nil if the tape has none
	Latest    bool       // the latest birth comes first
	emptyTorn bool       // answers without items disagree
	torn      bool       // recordings disagree about what stands around the items, or about their order
	ordered   bool       // some recording shows the order
	all       []*Recording
	// beside are the own states of what else was in the scope when the list was asked for. What was
	// done in another state may have borne members, of which no list tells.
	beside map[besides]bool
	// Type is the type of the members; nil for an inferred kind.
	Type *profile.Entity
	days map[string]time.Time // of recorded periods, and when they were asked for
}

// ItemOf is how lists show entities in one own state.
type ItemOf struct {
	Recording *Recording
	N         int    // which of its items
	Absent    bool   // lists leave entities in this state out
	Conflict  bool   // lists show different items for it
	class     uint64 // of the item
}

// Recorded returns the recordings whose members were in the states of a vector; nil for none. owns are the own
// states of what the request names. If these were others, and there were members, sure is false.
func (l *List) Recorded(vector uint64, owns []Own) (g *Group, sure bool) {
	if g = l.recorded[l.dependence(vector, owns)]; g != nil {
		return g, true
	}
	return l.unsure[vector], false
}

// record adds a recording to those of a digest. Those that show others of the members are not interchangeable.
func (b *builder) record(in map[uint64]*Group, digest uint64, r *Recording) {
	g := in[digest]
	if g == nil {
		g = b.listSlabs.groups.Put(Group{})
		in[digest] = g
	}
	g.add(r, &b.listSlabs)
	g.Alike = g.Alike && slices.Equal(g.Recordings[0].Members, r.Members)
}

// dependence digests what a list depends on. An answer of an API that no profile knows may say more than what it lists:
// an order with its refunds says whether it is paid.
func (l *List) dependence(vector uint64, owns []Own) uint64 {
	if l.Spec != nil {
		return vector
	}
	for _, own := range owns {
		vector = mix(vector, uint64(own))
	}
	return vector
}

// Tells reports whether a list says more of what its request names than its members, by which changes that
// no write explains are known.
func (l *List) Tells() bool { return l.Spec == nil }

// Item returns how lists show entities in an own state, or nil.
func (l *List) Item(o Own) *ItemOf { return l.items[o] }

// Composable reports whether items can be put together that no recording has together.
func (l *List) Composable() bool { return l.Frame != nil && !l.torn }

// Period is the days that a list is asked for; zero times are open ends.
type Period struct{ From, To time.Time }

// Covers reports whether something that was born at a time lies in the period. Both days count.
func (p Period) Covers(at time.Time) bool {
	if !p.From.IsZero() && dates.Days(p.From, at.In(p.From.Location())) < 0 {
		return false
	}
	return p.To.IsZero() || dates.Days(p.To, at.In(p.To.Location())) <= 0
}

// PeriodOf reads the period of a request at a time. A day that the tape has means how long before or
// after its request it lay.
func (l *List) PeriodOf(asked []tape.Asked, now time.Time) Period {
	if l.Spec == nil {
		return Period{}
	}
	read := func(key string) time.Time {
		a := tape.ParamOfKey(asked, key)
		if a == nil || key == "" {
			return time.Time{}
		}
		text := a.Text
		if at, recorded := l.days[text]; recorded {
			text = dates.Move(a.Field.Form, text, at, now)
		}
		t, ok := dates.Parse(a.Field.Form, text, now.Location())
		if !ok {
			return time.Time{}
		}
		return t
	}
	return Period{read(l.Spec.From), read(l.Spec.To)}
}

// noteDays notes the days of the period of a recorded list that was answered at some time.
func (l *List) noteDays(asked []tape.Asked, answered time.Time) {
	if l.Spec == nil {
		return
	}
	for _, key := range []string{l.Spec.From, l.Spec.To} {
		if a := tape.ParamOfKey(asked, key); a != nil && a.Text != "" {
			l.days[a.Text] = answered
		}
	}
}

// list adds a recorded list.
func (b *builder) list(r *Recording) {
	if disturbance(r) {
		return // it tells nothing of the members
	}
	l := b.m.lists[r.Key]
	if l == nil {
		l = &List{
			Kind: r.Listing.Kind, Of: r.Listing.Of, Linked: r.Listing.Linked, Spec: r.Listing.Spec, Type: typeOf(r),
			recorded: map[uint64]*Group{}, unsure: map[uint64]*Group{}, items: map[Own]*ItemOf{}, beside: map[besides]bool{},
			days: map[string]time.Time{},
		}
		b.m.lists[r.Key] = l
	}
	b.params = r.Request.Append(b.params[:0])
	l.noteDays(b.params, r.Answered())
	of := b.listedBy(r, l.PeriodOf(b.params, r.Answered()))
	members := b.summary(of)
	shown := r.rarely(&b.slabs)
	for _, item := range r.Listing.Items {
		_, s := b.of(item.Entity)
		shown.Members = append(shown.Members, of.place(s.joined))
	}
	if slices.Contains(shown.Members, -1) {
		l.torn = true // it shows what nobody knew of
	}
	for _, e := range r.Roles {
		b.besides(l, e)
	}
	v := members.vector()
	all := l.dependence(v, r.Owns)
	b.record(l.recorded, all, r)
	if all != v && len(members.states) > 0 {
		b.record(l.unsure, v, r)
	}
	l.all = append(l.all, r)
	l.learn(r, members.states, b.visits(r, members, members.of(l)))
}

// visits returns the places of a roster at which a list may tell something new, in their order: of those that
// have joined or changed since it was recorded last, and of what it shows and has shown then. It is good until
// the next are asked for.
func (b *builder) visits(r *Recording, members *summary, seen *seenBy) []int32 {
	visited := append(b.visited[:0], members.noted[seen.noted:]...)
	visited = append(visited, seen.shown...)
	seen.noted, seen.shown = len(members.noted), seen.shown[:0]
	for _, place := range r.Members {
		if place >= 0 {
			seen.shown = append(seen.shown, int32(place))
		}
	}
	visited = append(visited, seen.shown...)
	slices.Sort(visited)
	b.visited = visited
	return slices.Compact(visited)
}

// besides notes the states of what is in the scope of a list and is no member of it. It looks at what has changed
// since the list was recorded last, and at what has a card that a member has got or lost.
func (b *builder) besides(l *List, of *tape.Entity) {
	of, s := b.of(of)
	if of.Kind != l.Of {
		return
	}
	members := b.summary(s.roster(l.Kind))
	for _, r := range s.rosters {
		if r.kind == l.Kind {
			continue
		}
		others := b.summary(r)
		note := func(places []int32) {
			for _, place := range places {
				other := others.states[place]
				l.beside[besides{other.own, len(members.byCard[other.card]) > 0}] = true
			}
		}
		seen := others.of(l)
		note(others.noted[seen.noted:])
		for _, card := range members.turned[seen.turned:] {
			note(others.byCard[card])
		}
		seen.noted, seen.turned = len(others.noted), len(members.turned)
	}
}

// besides is something else in the scope of a list: its own state, and whether a member has its card.
type besides struct {
	own    Own
	shares bool
}

// Beside reports whether the list was asked for on tape while an entity of another kind in its
// scope was in a state. shares says whether a member of the list had the card of that entity.
func (l *List) Beside(o Own, shares bool) bool { return l.beside[besides{o, shares}] }

// viewAsked returns the view under which a question is counted whose answer lists: a change of a member is no
// change by itself.
func (b *builder) viewAsked(r *Recording) View {
	v := b.view(r)
	if r.Listing == nil || r.Listing.Spec != nil {
		return v
	}
	return v.With(b.summary(b.listedBy(r, Period{})).vector())
}

// With returns the view of a list of an API that no profile knows, with the vector of the members.
func (v View) With(vector uint64) View { return View(mix(uint64(v), vector)) }

// Narrows reports whether what a request names, of a kind, is a further scope of which members of a type are
// members too: a list has those of them alone that are in it.
func Narrows(of string, members, named *profile.Entity, kind string) bool {
	return members != nil && named != nil && named.Scope && kind != of && slices.Contains(members.Of, named.Name)
}

// listedBy returns the entities that a recorded list of a period is about.
func (b *builder) listedBy(r *Recording, period Period) *roster {
	l := r.Listing
	if l.Linked {
		return b.linked(r)
	}
	var all []*roster
	if l.Of == "" {
		all = append(all, b.session(r.Frame.Session).roster(l.Kind))
	}
	for _, e := range r.Roles {
		if e, s := b.of(e); e.Kind == l.Of && !slices.Contains(all, s.roster(l.Kind)) {
			all = append(all, s.roster(l.Kind))
		}
	}
	var further []*tape.Entity
	both := all
	for _, e := range r.Roles {
		if e, s := b.of(e); Narrows(l.Of, typeOf(r), e.Type, e.Kind) {
			further, both = append(further, e), append(both, s.roster(l.Kind))
		}
	}
	if len(all) == 1 {
		if least := leastOf(both); least != nil && b.summary(least).within(period) {
			return least
		}
	}
	return b.united(l.Kind, all, further, period)
}

// leastOf returns the one of several rosters that has nothing but what is in all of them; nil if there is none.
func leastOf(all []*roster) *roster {
	least := slices.MinFunc(all, func(a, b *roster) int { return cmp.Compare(len(a.joined), len(b.joined)) })
	for _, r := range all {
		if r != least && !r.has(least) {
			return nil
		}
	}
	return least
}

// united returns those of several rosters that are in further scopes and were born in a period.
func (b *builder) united(kind string, all []*roster, further []*tape.Entity, period Period) *roster {
	of := &roster{kind: kind}
	type member struct {
		entity *tape.Entity
		joined int32
	}
	var members []member
	for _, r := range all {
		for place, e := range r.entities {
			_, s := b.of(e)
			if by := bornBy(e, s); b.isIn(further, e) && (by == nil || period.Covers(by.Answered())) {
				members = append(members, member{e, r.joined[place]})
			}
		}
	}
	slices.SortStableFunc(members, func(x, y member) int { return cmp.Compare(x.joined, y.joined) })
	for _, m := range members {
		of.add(m.entity, m.joined) // what is in several is added once
	}
	return of
}

// isIn reports whether an entity is a member of all of some scopes.
func (b *builder) isIn(scopes []*tape.Entity, e *tape.Entity) bool {
	return !slices.ContainsFunc(scopes, func(scope *tape.Entity) bool {
		return !slices.ContainsFunc(e.Scopes(), func(s *tape.Entity) bool {
			s, _ = b.of(s)
			return s == scope
		})
	})
}

// bornBy returns the first recording that bore an entity, nil for none; s is its state. By what the tape knew
// when it first saw the binding of a card that has paid twice, the second payment has made it; a later answer
// may have shown the binding beside the first payment.
func bornBy(e *tape.Entity, s *state) *tape.Recording { return cmp.Or(s.born, e.Born) }

// learn notes how a list shows the members at some places, which are in their order.
func (l *List) learn(r *Recording, states []listed, places []int32) {
	type place struct{ at, n int } // of an item: among the members, and among the items
	shown := make([]place, 0, len(r.Members))
	for n, at := range r.Members {
		shown = append(shown, place{at, n})
	}
	slices.SortStableFunc(shown, func(x, y place) int { return cmp.Compare(x.at, y.at) })
	known, of := (*ItemOf)(nil), Own(0) // of the member before: neighbours are often in one state
	for _, at := range places {
		i := int(at)
		item := ItemOf{Recording: r, Absent: true}
		for len(shown) > 0 && shown[0].at <= i {
			if shown[0].at == i { // -1 is of no member
				item = ItemOf{Recording: r, N: shown[0].n, class: r.Listing.Items[shown[0].n].Class}
			}
			shown = shown[1:]
		}
		if own := states[i].own; known == nil || own != of {
			known, of = l.items[own], own
		}
		switch {
		case known == nil:
			known = l.itemOf(of, item)
		case known.Absent != item.Absent || known.class != item.class:
			known.Conflict = true
		}
	}
	if len(r.Members) == 0 {
		l.empty(r)
		return
	}
	if !r.Listing.Composable {
		l.torn = true
		return
	}
	if l.Frame == nil {
		l.Frame = r
	} else if frame(l.Frame) != frame(r) {
		l.torn = true
	}
	l.order(r)
}

// empty notes an answer without items. It is none of a page behind the last, and those of an API that no profile
// knows say the same.
func (l *List) empty(r *Recording) {
	switch {
	case !r.Listing.Composable:
	case l.Spec == nil && l.Empty != nil && l.Empty.Class != r.Class:
		l.emptyTorn = true
	case l.Empty == nil || r.Answered().After(l.Empty.Answered()):
		l.Empty = r
	}
}

// itemOf keeps how lists show entities in an own state.
func (l *List) itemOf(own Own, item ItemOf) *ItemOf {
	l.items[own] = &item
	return &item
}

// frame digests what stands around the items of a list.
func frame(r *Recording) uint64 {
	return mix(r.Listing.Before.Class(), r.Listing.After.Class())
}

// order notes in which order a list shows its members.
func (l *List) order(r *Recording) {
	for i := 1; i < len(r.Members); i++ {
		latest := r.Members[i] < r.Members[i-1]
		if l.ordered && latest != l.Latest {
			l.torn = true
		}
		l.Latest, l.ordered = latest, true
	}
}

// finish takes from the profile what the tape does not tell.
func (l *List) finish() {
	if l.emptyTorn {
		l.Empty = nil
	}
	if !l.ordered && l.Spec != nil {
		l.Latest = l.Spec.Order == profile.LatestFirst
		l.ordered = l.Spec.Order != ""
	}
}

// Ordered reports whether it is known in which order items come.
func (l *List) Ordered() bool { return l.ordered }

// typeOf returns the type of what a recording lists; nil for an inferred kind.
func typeOf(r *Recording) *profile.Entity {
	if r.Listing.Spec == nil {
		return nil
	}
	return r.Call().Profile.Entity(r.Listing.Spec.Noun)
}
