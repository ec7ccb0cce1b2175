package machine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/paytape/paytape/match/tape"
)

// bear adds an entity that a recording bears.
func (b *builder) bear(r *Recording, e *tape.Entity, effect uint64, n int, hidden bool) {
	birth := Birth{BirthKind: b.birthKind(r, e, hidden), Entity: e, Own: BornBy(e.Kind, effect, n)}
	if hidden {
		birth.Own = BornBy(e.Kind, effect, 1000)
	}
	if r.Reads {
		birth.Own = Unborn(e.Kind, "read ", r.Op)
	}
	b.m.births[birth.Own] = true
	r.Births = b.slabs.births.Append(r.Births, birth)
	b.note(birth.Own, 0, r.Did(), r)
	s := b.state.of(e)
	if s != nil && s.same == nil && s.born != nil {
		b.found(r, e.Kind, s.Own)
		if birth.Keyed {
			b.move(e, birth.Own) // as for an entity with the same key, below
		}
		return
	}
	card := b.cardOf(r)
	if card == 0 && hidden {
		card = b.cardNear(r)
	}
	if birth.Keyed {
		several := e.Type.OneOfSeveral(e.Facts())
		if same := b.alike(e, card); same != nil && same != e && !several {
			_, s := b.of(same)
			b.found(r, e.Kind, s.Own)
			b.state.put(e, always).same = same
			b.move(same, birth.Own) // the entity is as if born now
			return
		}
	}
	came := b.state.sinces.Put(since{moved: r.Answered(), born: r.Recording, by: b.causing(r)})
	st := b.state.put(e, came)
	st.Member, st.Scope = Member{Own: birth.Own, Card: card, Idle: r.Reads}, e.Scope
	b.late = append(b.late, e)
}

// Found is what a write brings that was there already, such as the binding of a card that pays again.
type Found struct {
	Kind string
	// Own is the state in which it was; 0 for one that was as it is born. A binding that is switched
	// off is switched on by the next payment.
	Own Own
}

// found notes what a write brings and has found.
func (b *builder) found(r *Recording, kind string, own Own) {
	has := r.rarely(&b.slabs)
	has.old = b.m.Found(has.old, kind, own)
}

// Found adds to what a write has found, which is sorted and has nothing twice.
func (m *Machine) Found(found []Found, kind string, own Own) []Found {
	if m.births[own] {
		own = 0
	}
	f := Found{kind, own}
	at, there := slices.BinarySearchFunc(found, f, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Own, b.Own))
	})
	if there {
		return found
	}
	return slices.Insert(found, at, f)
}

// joinBirths adds all entities that a recording has borne to their relatives. It comes after bear,
// because a part may be born before its whole.
func (b *builder) joinBirths() {
	for _, e := range b.late {
		b.joinRelatives(e, b.state.of(e))
	}
	b.late = b.late[:0]
}

// cardNear digests the card that was brought to what a recording names.
func (b *builder) cardNear(r *Recording) uint64 {
	for _, e := range r.Roles {
		if _, s := b.of(e); s.Card != 0 {
			return s.Card
		}
	}
	return 0
}

// alike returns the entity in the same scope or family that agrees with a new entity in the key of
// their kind, or nil.
func (b *builder) alike(e *tape.Entity, card uint64) *tape.Entity {
	for _, up := range slices.Concat(e.Scopes(), e.Wholes()) {
		_, s := b.of(up)
		for o := range b.withCard(s.roster(e.Kind), card) {
			if SameFacts(o.Facts(), e.Facts()) {
				return o
			}
		}
	}
	return nil
}

// SameFacts reports whether two entities agree in all that is known of both.
func SameFacts(a, b map[string]string) bool {
	for k, v := range a {
		if w, both := b[k]; both && v != w {
			return false
		}
	}
	return true
}

// birthKind returns what the birth of an entity by a recording shares with others. Births of one kind by
// the calls of one operation are the same but for a few ways.
func (b *builder) birthKind(r *Recording, e *tape.Entity, hidden bool) *BirthKind {
	k := BirthKind{
		Kind: e.Kind, Type: e.Type, Scope: e.Scope, Hidden: hidden, Keyed: keyed(e),
		Facts: e.Facts(), Up: b.ups(r, e),
	}
	at := bearing{r.Op, e.Kind}
	for _, same := range b.births[at] {
		if same.equal(&k) {
			return same
		}
	}
	own := b.slabs.kinds.Put(k)
	own.Up = b.slabs.ups.Clone(k.Up)
	if len(b.births[at]) < few {
		b.births[at] = append(b.births[at], own)
	}
	return own
}

// keyed reports whether no entity is born where one is that agrees in the key of the kind.
func keyed(e *tape.Entity) bool { return e.Type != nil && len(e.Type.Key) > 0 }

// equal reports whether two kinds of birth of one kind of entity are equal.
func (k *BirthKind) equal(o *BirthKind) bool {
	return k.Type == o.Type && k.Scope == o.Scope && k.Hidden == o.Hidden && k.Keyed == o.Keyed &&
		maps.Equal(k.Facts, o.Facts) && slices.EqualFunc(k.Up, o.Up, Up.equal)
}

// ups returns the ways from the roles of a recording to the wholes and scopes of an entity that the
// recording bears. It is good until the next are asked for.
func (b *builder) ups(r *Recording, e *tape.Entity) []Up {
	out := b.upRoom[:0]
	for _, targets := range [2][]*tape.Entity{e.Wholes(), e.Scopes()} {
		for _, target := range targets {
			if up, ok := wayUp(r, target); ok {
				up.Scope = target.Scope
				out = append(out, up)
			}
		}
	}
	b.upRoom = out
	return out
}

// bearing is an operation by which an entity of a kind is born.
type bearing struct{ op, kind string }

func (u Up) equal(o Up) bool {
	return u.Role == o.Role && u.Birth == o.Birth && u.Scope == o.Scope &&
		slices.Equal(u.Steps, o.Steps)
}

// mostHops bounds the entities that a way is looked for through.
const mostHops = 64

// wayUp finds the shortest way from a role to one of its wholes or scopes.
func wayUp(r *Recording, target *tape.Entity) (Up, bool) {
	type hop struct {
		e     *tape.Entity
		role  int
		steps []tape.Step
	}
	if i := slices.Index(r.Recording.Births, target); i >= 0 {
		return Up{Role: i, Birth: true}, true
	}
	if i := slices.Index(r.Roles, target); i >= 0 && i < mostHops {
		return Up{Role: i}, true
	}
	var queue []hop
	for i, e := range r.Roles {
		queue = append(queue, hop{e: e, role: i})
	}
	for i := 0; i < len(queue) && i < mostHops; i++ {
		h := queue[i]
		if h.e == target {
			return Up{Role: h.role, Steps: h.steps}, true
		}
		for _, to := range []tape.Relation{tape.ToWhole, tape.ToScope} {
			es := h.e.Wholes()
			if to == tape.ToScope {
				es = h.e.Scopes()
			}
			for n, e := range es {
				step := tape.Step{To: to, Kind: e.Kind, N: nth(es[:n], e.Kind)}
				queue = append(queue, hop{e, h.role, append(slices.Clip(h.steps), step)})
			}
		}
	}
	return Up{}, false
}

// nth counts the entities of a kind.
func nth(es []*tape.Entity, kind string) int {
	n := 0
	for _, e := range es {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// bearHidden bears the entities that no call on tape has shown. A write has made an entity of a
// kind if a write like it, which is in the same row and case and has the same answer, has made
// such an entity.
func (b *builder) bearHidden(r *Recording, alike like, effect uint64) {
	for _, model := range b.known[alike] {
		if slices.ContainsFunc(r.Births, func(o Birth) bool { return o.Kind == model.Kind }) {
			continue
		}
		wholes, scopes := b.uppers(r, model)
		b.bear(r, tape.Hidden(model, r.Recording, wholes, scopes), effect, 0, true)
	}
}

// uppers returns the wholes and scopes of a hidden entity. They are entities near the roles of the
// recording that have the kinds of the wholes and scopes of a model, which a write like it has
// made.
func (b *builder) uppers(r *Recording, model *tape.Entity) (wholes, scopes []*tape.Entity) {
	var queue []*tape.Entity
	queue = append(queue, r.Roles...)
	for i := 0; i < len(queue) && i < mostHops; i++ {
		e := queue[i]
		is := func(o *tape.Entity) bool { return o.Kind == e.Kind }
		if slices.ContainsFunc(model.Wholes(), is) && !slices.Contains(wholes, e) {
			wholes = append(wholes, e)
		}
		if slices.ContainsFunc(model.Scopes(), is) && !slices.Contains(scopes, e) {
			scopes = append(scopes, e)
		}
		queue = append(queue, e.Wholes()...)
		queue = append(queue, e.Scopes()...)
	}
	return wholes, scopes
}
