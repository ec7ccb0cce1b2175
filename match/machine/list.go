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
	Spec     *profile.List // nil for an inferred one

	recorded map[uint64][]*Recording // by the vector of the members
	items    map[Own]*ItemOf
	Frame    *Recording // an answer whose frame other items can be put into; nil if no answer is fit
	Empty    *Recording // an answer without items; nil if the tape has none
	Latest   bool       // the latest birth comes first
	torn     bool       // recordings disagree about what stands around the items, or about their order
	ordered  bool       // some recording shows the order
	all      []*Recording
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

// Vector digests the members that a list is about, in the order of their births: their own states,
// and which of them share a card.
func Vector(ms []Member) uint64 {
	x := uint64(len(ms))
	first := map[uint64]int{}
	for i, m := range ms {
		x = mix(x, uint64(m.Own))
		if m.Card == 0 {
			continue
		}
		at, known := first[m.Card]
		if !known {
			at = i
			first[m.Card] = i
		}
		x = mix(x, uint64(at)+7)
	}
	return x
}

// Recorded returns the recordings whose members were in the states of a vector.
func (l *List) Recorded(vector uint64) []*Recording { return l.recorded[vector] }

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
			Kind: r.Listing.Kind, Of: r.Listing.Of, Spec: r.Listing.Spec, Type: typeOf(r),
			recorded: map[uint64][]*Recording{}, items: map[Own]*ItemOf{}, beside: map[besides]bool{},
			days: map[string]time.Time{},
		}
		b.m.lists[r.Key] = l
	}
	b.params = r.Request.Append(b.params[:0])
	l.noteDays(b.params, r.Answered())
	ms := b.members(r, l, l.PeriodOf(b.params, r.Answered()))
	states := make([]Member, len(ms))
	for i, e := range ms {
		_, s := b.of(e)
		states[i] = s.Member
	}
	position := map[*tape.Entity]int{}
	for i, e := range ms {
		position[e] = i
	}
	shown := r.rarely(&b.slabs)
	for _, item := range r.Listing.Items {
		e, _ := b.of(item.Entity)
		at, ok := position[e]
		if !ok {
			at = -1
		}
		shown.Members = append(shown.Members, at)
	}
	if slices.Contains(shown.Members, -1) {
		l.torn = true // it shows what nobody knew of
	}
	for _, e := range r.Roles {
		b.besides(l, e)
	}
	v := Vector(states)
	l.recorded[v] = append(l.recorded[v], r)
	l.all = append(l.all, r)
	l.learn(r, states)
}

// besides notes the states of what is in the scope of a list and is no member of it.
func (b *builder) besides(l *List, of *tape.Entity) {
	of, s := b.of(of)
	if of.Kind != l.Of {
		return
	}
	for _, others := range s.members {
		if others.kind == l.Kind {
			continue
		}
		for _, e := range others.entities {
			_, other := b.of(e)
			l.beside[besides{other.Own, b.shares(s.of(l.Kind), other.Card)}] = true
		}
	}
}

// shares reports whether some entity has a card.
func (b *builder) shares(es []*tape.Entity, card uint64) bool {
	return slices.ContainsFunc(es, func(e *tape.Entity) bool {
		_, s := b.of(e)
		return s.Card == card
	})
}

// besides is something else in the scope of a list: its own state, and whether a member has its card.
type besides struct {
	own    Own
	shares bool
}

// Beside reports whether the list was asked for on tape while an entity of another kind in its
// scope was in a state. shares says whether a member of the list had the card of that entity.
func (l *List) Beside(o Own, shares bool) bool { return l.beside[besides{o, shares}] }

// members returns the entities that a recorded list of a period is about, in the order of birth.
func (b *builder) members(r *Recording, l *List, period Period) []*tape.Entity {
	var ms []*tape.Entity
	if l.Of == "" {
		ms = slices.Clone(b.session(r.Frame.Session).members[l.Kind])
	}
	for _, e := range r.Roles {
		e, s := b.of(e)
		if e.Kind != l.Of {
			continue
		}
		known := ms // those of one scope are there once
		for _, o := range s.of(l.Kind) {
			if !slices.Contains(known, o) {
				ms = append(ms, o)
			}
		}
	}
	ms = slices.DeleteFunc(ms, func(e *tape.Entity) bool {
		by := b.bornBy(e)
		return by != nil && !period.Covers(by.Answered())
	})
	place := func(e *tape.Entity) int {
		if by := b.bornBy(e); by != nil {
			return by.Place
		}
		return -1
	}
	slices.SortStableFunc(ms, func(x, y *tape.Entity) int { return cmp.Compare(place(x), place(y)) })
	return ms
}

// bornBy returns the first recording that bore an entity, nil for none. By what the tape knew when it
// first saw the binding of a card that has paid twice, the second payment has made it; a later answer may
// have shown the binding beside the first payment.
func (b *builder) bornBy(e *tape.Entity) *tape.Recording {
	if _, s := b.of(e); s.born != nil {
		return s.born
	}
	return e.Born
}

// learn notes how a list shows its members.
func (l *List) learn(r *Recording, states []Member) {
	shown := map[int]int{}
	for n, at := range r.Members {
		shown[at] = n
	}
	for i, s := range states {
		item := ItemOf{Recording: r, Absent: true}
		if n, ok := shown[i]; ok {
			item = ItemOf{Recording: r, N: n, class: r.Listing.Items[n].Class}
		}
		known := l.items[s.Own]
		switch {
		case known == nil:
			l.items[s.Own] = &item
		case known.Absent != item.Absent || known.class != item.class:
			known.Conflict = true
		}
	}
	if len(r.Members) == 0 {
		if l.Empty == nil || r.Answered().After(l.Empty.Answered()) {
			l.Empty = r
		}
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
