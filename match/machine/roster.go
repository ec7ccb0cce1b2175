package machine

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/paytape/paytape/match/tape"
)

// roster is the entities of one kind that belong to a scope, a whole or a session, in the order in which they
// joined. There may be all orders of a tape in one, and lists ask for it again and again while nearly all of them
// are as they were. So it keeps a summary from the first time that it is asked, and later looks only at those that
// have joined or changed.
type roster struct {
	kind     string
	entities []*tape.Entity
	joined   []int32  // of each entity, when it joined: see state
	summary  *summary // nil: nobody has asked yet
}

// summary is what a roster keeps of its entities.
type summary struct {
	states []listed
	sum    uint64             // see Vector
	byCard map[uint64][]int32 // the places of those with a card, in their order; 0 for no card
	turned []uint64           // cards that one has got whom none had, or lost whom no other has, as it came

	noted    []int32 // the places of those that have joined or changed, as it came
	upToDate int     // how many of noted all above knows of

	dated       bool      // some entity was born on tape,
	first, last time.Time // the first and the last then

	seen map[*List]*seenBy
}

// listed is what a list may tell of an entity.
type listed struct {
	own  Own
	card uint64
}

// seenBy is what a list has seen of a roster.
type seenBy struct {
	noted, turned int     // how many of the summary's
	shown         []int32 // the places that it has shown at last
}

// add adds an entity that has joined behind all others.
func (r *roster) add(e *tape.Entity, joined int32) {
	if n := len(r.joined); n > 0 && r.joined[n-1] == joined {
		return // a whole may be a scope too
	}
	r.entities, r.joined = append(r.entities, e), append(r.joined, joined)
	r.note(joined)
}

// note notes that an entity has joined or changed.
func (r *roster) note(joined int32) {
	if r.summary == nil {
		return
	}
	if place := r.place(joined); place >= 0 {
		r.summary.noted = append(r.summary.noted, int32(place))
	}
}

// has reports whether all of another are in the roster.
func (r *roster) has(other *roster) bool {
	rest := r.joined
	for _, joined := range other.joined {
		for len(rest) > 0 && rest[0] < joined {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != joined {
			return false
		}
	}
	return true
}

// put adds an entity wherever its place is, and reports whether it was not there.
func (r *roster) put(e *tape.Entity, joined int32) bool {
	at, is := slices.BinarySearch(r.joined, joined)
	switch {
	case is:
		return false
	case at == len(r.joined):
		r.add(e, joined)
		return true
	}
	r.entities, r.joined = slices.Insert(r.entities, at, e), slices.Insert(r.joined, at, joined)
	r.summary = nil // places are others now
	return true
}

// linked is the entities of one kind that took part in a write with another one. It is fed when a list asks for it.
type linked struct {
	roster
	links []tape.Link // in the order of their writes
	fed   int         // how many of them
}

// linking is what such a roster is of.
type linking struct {
	to   *tape.Entity
	kind string
}

// linked returns what took part in one write with the thing that a list names, before the list.
func (b *builder) linked(r *Recording) *roster {
	l := r.Listing
	at := slices.IndexFunc(r.Roles, func(e *tape.Entity) bool { return e.Kind == l.Of })
	if at < 0 {
		return &roster{kind: l.Kind}
	}
	to, _ := b.of(r.Roles[at])
	of := b.linkings[linking{to, l.Kind}]
	if of == nil {
		of = &linked{roster: roster{kind: l.Kind}, links: slices.Clone(to.Links())}
		slices.SortStableFunc(of.links, func(x, y tape.Link) int { return cmp.Compare(x.Write.Place, y.Write.Place) })
		b.linkings[linking{to, l.Kind}] = of
	}
	for ; of.fed < len(of.links) && of.links[of.fed].Write.Place < r.Place; of.fed++ {
		e, s := b.of(of.links[of.fed].Entity)
		if e.Kind == l.Kind && s.joined != 0 && of.put(e, s.joined) {
			b.linkedIn[e] = append(b.linkedIn[e], &of.roster)
		}
	}
	return &of.roster
}

// place returns the place of an entity by when it joined; -1 if it is not in the roster.
func (r *roster) place(joined int32) int {
	if place, is := slices.BinarySearch(r.joined, joined); is {
		return place
	}
	return -1
}

// rosters yields those that an entity is in once it has joined.
func (b *builder) rosters(e *tape.Entity) iter.Seq[*roster] {
	return func(yield func(*roster) bool) {
		if !yield(b.session(e.Session).roster(e.Kind)) {
			return
		}
		for _, ups := range [2][]*tape.Entity{e.Wholes(), e.Scopes()} {
			for _, up := range ups {
				if _, s := b.of(up); !yield(s.roster(e.Kind)) {
					return
				}
			}
		}
	}
}

// noteChanged has the rosters of an entity look at it again.
func (b *builder) noteChanged(e *tape.Entity, s *state) {
	if s.joined == 0 {
		return
	}
	for r := range b.rosters(e) {
		r.note(s.joined)
	}
	for _, r := range b.linkedIn[e] {
		r.note(s.joined)
	}
}

// summary returns what a roster keeps of its entities, up to date.
func (b *builder) summary(r *roster) *summary {
	k := r.summary
	if k == nil {
		k = &summary{byCard: map[uint64][]int32{}, seen: map[*List]*seenBy{}}
		for place := range r.entities {
			k.noted = append(k.noted, int32(place))
		}
		r.summary = k
	}
	for _, place := range k.noted[k.upToDate:] {
		e := r.entities[place]
		_, s := b.of(e)
		if int(place) == len(k.states) {
			k.born(bornBy(e, s))
		}
		k.set(int(place), listed{s.Own, s.Card})
	}
	k.upToDate = len(k.noted)
	return k
}

// withCard yields the entities of a roster that have a card, in their order; 0 is no card.
func (b *builder) withCard(r *roster, card uint64) iter.Seq[*tape.Entity] {
	return func(yield func(*tape.Entity) bool) {
		for _, place := range b.summary(r).byCard[card] {
			if !yield(r.entities[place]) {
				return
			}
		}
	}
}

// born notes when an entity was born; by is nil for one that was there before.
func (k *summary) born(by *tape.Recording) {
	if by == nil {
		return
	}
	at := by.Answered()
	if !k.dated || at.Before(k.first) {
		k.first = at
	}
	if !k.dated || at.After(k.last) {
		k.last = at
	}
	k.dated = true
}

// within reports whether all that were born on tape were born in a period.
func (k *summary) within(p Period) bool { return !k.dated || p.Covers(k.first) && p.Covers(k.last) }

// set notes what may be told of the entity at a place, or of one more behind all.
func (k *summary) set(place int, now listed) {
	if place == len(k.states) {
		k.states = append(k.states, now)
		k.sum += ownTerm(place, now.own)
		k.give(now.card, place)
		return
	}
	was := k.states[place]
	k.states[place] = now
	k.sum += ownTerm(place, now.own) - ownTerm(place, was.own)
	if was.card != now.card {
		k.take(was.card, place)
		k.give(now.card, place)
	}
}

// give notes that the entity at a place has got a card.
func (k *summary) give(card uint64, place int) {
	with := k.byCard[card]
	if len(with) == 0 {
		k.turned = append(k.turned, card)
	}
	at, _ := slices.BinarySearch(with, int32(place))
	k.byCard[card] = slices.Insert(with, at, int32(place))
	k.sum += tieTerms(card, k.byCard[card], at)
}

// take notes that the entity at a place has a card no more.
func (k *summary) take(card uint64, place int) {
	with := k.byCard[card]
	at, _ := slices.BinarySearch(with, int32(place))
	k.sum -= tieTerms(card, with, at)
	if with = slices.Delete(with, at, at+1); len(with) == 0 {
		k.turned = append(k.turned, card)
		delete(k.byCard, card)
		return
	}
	k.byCard[card] = with
}

// tieTerms returns what the entity at one of the places with a card adds to the sum: its own term and that of
// the next, less the term that the next has without it.
func tieTerms(card uint64, with []int32, at int) uint64 {
	if card == 0 {
		return 0
	}
	sum := uint64(0)
	if at > 0 {
		sum += tieTerm(with[at-1], with[at])
	}
	if at+1 < len(with) {
		sum += tieTerm(with[at], with[at+1])
		if at > 0 {
			sum -= tieTerm(with[at-1], with[at+1])
		}
	}
	return sum
}

// vector is the Vector of all entities.
func (k *summary) vector() uint64 { return mix(uint64(len(k.states)), k.sum) }

// of returns what a list has seen of the roster.
func (k *summary) of(l *List) *seenBy {
	s := k.seen[l]
	if s == nil {
		s = &seenBy{}
		k.seen[l] = s
	}
	return s
}

// Vector digests the members that a list is about, in the order in which they were born: their own states, and
// which of them share a card. It is made of a sum with a term for each member's state, and one for each two
// that have a card and between which none has it: so it can be kept while members change.
func Vector(ms []Member) uint64 {
	sum := uint64(0)
	var last map[uint64]int32 // place by card
	for i, m := range ms {
		sum += ownTerm(i, m.Own)
		if m.Card == 0 {
			continue
		}
		if last == nil {
			last = make(map[uint64]int32, len(ms))
		}
		if before, shared := last[m.Card]; shared {
			sum += tieTerm(before, int32(i))
		}
		last[m.Card] = int32(i)
	}
	return mix(uint64(len(ms)), sum)
}

func ownTerm(place int, own Own) uint64 { return mix(uint64(place), uint64(own)) }

func tieTerm(before, place int32) uint64 { return mix(uint64(before)<<32|uint64(place), 1) }
