package machine

import (
	"iter"
	"slices"
)

// Standing is where an entity stands: its own state, and what counts it. Recorded entities have one
// while a machine is built, and live entities while they live.
//
// In a checkout the order that is registered joins a family of its own, and the client for whom it is
// registered, a scope, counts it among its members. When the order is paid, it moves in both.
type Standing struct {
	Member
	Family  *Family // nil of a scope, and before the entity has joined
	members *Kin    // of a scope; nil while there are none
	parts   uint64  // the sum of the digests of parts
	Changed int32   // how many parts are not idle
	Scope   bool
}

// Relatives are what an entity counts in, apart from its family: wholes, scopes and the API.
type Relatives struct {
	Wholes, Scopes []*Standing
	All            *Kin // the entities of the API
	// Alone is the family of an entity without wholes that joins, a new one.
	Alone *Family
}

// Members returns the members of a scope.
func (s *Standing) Members() *Kin {
	if s.members == nil {
		s.members = &Kin{}
	}
	return s.members
}

// Join makes an entity a member of the families of its wholes, which have joined before, and of its
// scopes.
func (s *Standing) Join(r Relatives) {
	if !s.Idle {
		s.rank(r.Wholes)
	}
	s.Family = r.Alone
	if len(r.Wholes) > 0 {
		s.Family = r.Wholes[0].Family.Current()
	}
	for k := range s.kins(r) {
		k.Add(s.Member)
	}
	for _, w := range r.Wholes {
		w.parts += s.counted()
		s.Family = Unite(s.Family, w.Family)
	}
}

// Move gives an entity another own state and card, wherever it is counted.
func (s *Standing) Move(to Own, card uint64, r Relatives) {
	if s.Scope {
		s.Own = to
		return
	}
	before := s.Member
	if s.Idle && to != s.Own {
		s.Idle = false
		s.rank(r.Wholes)
	}
	s.Own, s.Card = to, card
	for k := range s.kins(r) {
		k.Remove(before)
		k.Add(s.Member)
	}
	for _, w := range r.Wholes {
		w.parts += s.counted() - before.counted()
	}
}

// Leave takes an entity out of all that counts it.
func (s *Standing) Leave(r Relatives) {
	for k := range s.kins(r) {
		k.Remove(s.Member)
	}
	for _, w := range r.Wholes {
		w.parts -= s.counted()
	}
}

// rank numbers a part among the parts of its whole to which something was done.
func (s *Standing) rank(wholes []*Standing) {
	for _, w := range wholes {
		s.Nth = w.Changed
		w.Changed++
	}
}

// kins yields all that counts an entity.
func (s *Standing) kins(r Relatives) iter.Seq[*Kin] {
	return func(yield func(*Kin) bool) {
		if !yield(&s.Family.Current().Kin) || !yield(r.All) {
			return
		}
		for _, scope := range r.Scopes {
			if !yield(scope.Members()) {
				return
			}
		}
	}
}

// Tied is an entity that a request names, as the ties to the others see it.
type Tied[E comparable] struct {
	Entity E
	Scopes []E
	*Standing
}

// AppendTies appends how each two of the entities that a request names belong together: 0 with 1, 0
// with 2, 1 with 2 and so on.
func AppendTies[E comparable](ties []Tie, named []Tied[E]) []Tie {
	for i, x := range named {
		for _, y := range named[:i] {
			ties = append(ties, tieOf(x, y))
		}
	}
	return ties
}

func tieOf[E comparable](x, y Tied[E]) Tie {
	switch {
	case x.Scope && slices.Contains(y.Scopes, x.Entity), y.Scope && slices.Contains(x.Scopes, y.Entity):
		return SameScope
	case x.Scope || y.Scope:
		return Apart
	case x.Family.Current() == y.Family.Current():
		return SameFamily
	case slices.ContainsFunc(x.Scopes, func(s E) bool { return slices.Contains(y.Scopes, s) }):
		return SameScope
	}
	return Apart
}

// APIState is the state of one API as a whole.
type APIState struct {
	Own Own // moved by writes that name nothing
	All Kin // all entities but scopes
}

// ViewOf digests what an answer may depend on beside the own states of what the request names: the
// families of these, and where a transfer has made one of several families, the parts of each that is
// named. For a read that names only scopes it is their members, for a read that names nothing all
// entities of the API; for a write that names no more it is the API's own state.
func ViewOf(reads bool, named []*Standing, api *APIState) View {
	var families, scopes uint64
	var room [8]*Family
	done := room[:0]
	for _, s := range named {
		if s.Scope {
			scopes = mix(scopes, uint64(s.Members().View()))
			continue
		}
		if f := s.Family.Current(); !slices.Contains(done, f) {
			done = append(done, f)
			families = mix(families, uint64(f.View()))
		}
		if s.Family.Current().of > 0 { // whose card is which, the family does not tell
			families = mix(families, s.parts)
		}
	}
	switch {
	case len(done) > 0:
		return View(families)
	case !reads:
		return View(mix(0, uint64(api.Own)))
	case len(named) == 0:
		return View(mix(uint64(api.Own), uint64(api.All.View())))
	}
	return View(scopes)
}
