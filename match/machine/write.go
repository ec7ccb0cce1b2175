package machine

import (
	"cmp"
	"slices"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// write moves the entities that a recording moves, and adds the entities that it bears.
func (b *builder) write(r *Recording, row Row) {
	class := r.Class
	if r.Lost {
		class = 0x10
	}
	effect := Effect(r.anywhere, r.Deciding, class^b.cardUsed(r))
	r.Births = b.slabs.births.Make(len(r.Recording.Births))[:0]
	if r.Writes() {
		again := b.again(r)
		alike := like{row, r.Deciding, class}
		b.affect(r, effect)
		for i, e := range r.Recording.Births {
			if i >= int(r.Shown) {
				b.hidden[alike] = addKind(b.hidden[alike], e)
			}
			b.bear(r, e, effect, i, i >= int(r.Shown))
		}
		b.bearHidden(r, alike, effect)
		again = slices.DeleteFunc(again, func(a Again) bool {
			return slices.ContainsFunc(r.Births, func(o Birth) bool { return o.Kind == a.Kind })
		})
		if len(again) > 0 {
			r.rarely(&b.slabs).Again = again
		}
		for _, a := range again {
			b.found(r, a.Kind, a.Own)
		}
		b.joinBirths()
		return
	}
	for i, e := range r.Recording.Births {
		b.bear(r, e, effect, i, false)
	}
	b.joinBirths()
}

// addKind adds an entity to a list, unless an entity of its kind is in the list.
func addKind(es []*tape.Entity, e *tape.Entity) []*tape.Entity {
	for _, o := range es {
		if o.Kind == e.Kind {
			return es
		}
	}
	return append(es, e)
}

// affect adds the effect of a write to each entity that it names and does not only use. A write that
// names none and bears none moves the scopes that it names, else the session.
func (b *builder) affect(r *Recording, effect uint64) {
	r.Moves = b.slabs.owns.Clone(r.Owns)
	named := false
	for i, e := range r.Roles {
		if e.Scope {
			continue
		}
		named = true
		if r.Call().Uses(e.Type) || pays(r, i) {
			continue
		}
		_, s := b.of(e)
		r.Moves[i] = Moved(s.Own, effect, i)
		b.note(r.Moves[i], s.Own, r.Did(), r)
		b.brings(r, e)
		b.move(e, r.Moves[i])
		b.state.came(s, r.Answered(), b.causing(r))
	}
	if named || len(r.Recording.Births) > 0 {
		return
	}
	for i, e := range r.Roles {
		_, s := b.of(e)
		r.Moves[i] = Moved(s.Own, effect, i)
		b.note(r.Moves[i], s.Own, r.Did(), r)
		b.move(e, r.Moves[i])
		if r.Call().Operation == nil { // a profile tells what its calls move
			s.alone = r
		}
	}
	if len(r.Roles) == 0 {
		in := b.session(r.Frame.Session).api(API(r.Call()))
		in.Own = Moved(in.Own, effect, 0)
		r.Session = in.Own
	}
}

// pays reports whether a role of a call that its profile does not describe is a card with which the call
// pays for something: it names or bears other things, which later calls name. What it does to them it does
// not do to the card, or no client could pay twice with one.
func pays(r *Recording, role int) bool {
	if r.Call().Operation != nil || r.Roles[role].Config == "" {
		return false
	}
	alone := !slices.ContainsFunc(r.Recording.Births, (*tape.Entity).HasNames)
	for i, e := range r.Roles {
		alone = alone && (i == role || e.Scope)
	}
	if alone {
		return false
	}
	for _, a := range r.Request.All() {
		if a.Field.Secret == profile.PAN && slices.ContainsFunc(a.Names, func(n tape.Named) bool { return n.Role == role }) {
			return true
		}
	}
	return false
}

// causing returns a recording that has caused callbacks; nil for any other.
func (b *builder) causing(r *Recording) *tape.Recording {
	if len(r.Callbacks) == 0 {
		return nil
	}
	b.caused[r.Recording] = r
	return r.Recording
}

// again returns what is there already of what a write brings.
func (b *builder) again(r *Recording) []Again {
	var out []Again
	card := cmp.Or(b.cardOf(r), b.cardNear(r))
	p := r.Call().Profile
	if card == 0 || p == nil {
		return nil
	}
	for _, t := range p.Entities {
		if len(t.Key) == 0 || !slices.Contains(t.Brought, r.Operation()) {
			continue
		}
		kind := tape.KindOf(p, t.Names[0])
		for _, scope := range b.scopes(r) {
			for o := range b.withCard(b.state.of(scope).roster(kind), card) {
				if _, s := b.of(o); s.born != nil {
					out = append(out, Again{kind, s.Own})
				}
			}
		}
	}
	return out
}

// scopes returns those of which something is a member that a recording names.
func (b *builder) scopes(r *Recording) []*tape.Entity {
	var out []*tape.Entity
	for _, e := range r.Roles {
		e, _ = b.of(e)
		for _, s := range e.Scopes() {
			if s, _ = b.of(s); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// cardUsed digests the card of what a call uses: a payment by a binding is one with its card. 0 for none.
func (b *builder) cardUsed(r *Recording) uint64 {
	for _, e := range r.Roles {
		if _, s := b.of(e); s.Card != 0 && r.Call().Uses(e.Type) {
			return s.Card
		}
	}
	return 0
}

// brings gives an entity the card of a request; where it brings none, one that it names something by.
func (b *builder) brings(r *Recording, e *tape.Entity) {
	e, s := b.of(e)
	card := b.cardOf(r)
	if card == 0 && s.Card == 0 {
		card = b.cardNear(r)
	}
	if card != 0 {
		s.Move(s.Own, card, b.relatives(e))
		b.noteChanged(e, s)
	}
}

// cardOf digests the card that a request brings; 0 for none.
func (b *builder) cardOf(r *Recording) uint64 { return b.asked[r.Place].card }

// CardOf digests the card that the parameters of a request bring; 0 for none.
func CardOf(asked []tape.Asked) uint64 {
	for i := range asked {
		if card := cardIn(&asked[i]); card != 0 {
			return card
		}
	}
	return 0
}

// cardIn digests the card that a parameter is the number of, if it names nothing; 0 for none.
func cardIn(p *tape.Asked) uint64 {
	if p.Field.Secret != profile.PAN || len(p.Names) > 0 || p.Text == "" {
		return 0
	}
	return CardDigest(pan.Digits(p.Text))
}
