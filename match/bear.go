package match

import (
	"iter"

	"github.com/paytape/paytape/match/machine"
)

// newBirth makes the live counterpart of a recorded birth. It has no relations yet: bear adds them.
func (p *Player) newBirth(w *writer, b *machine.Birth, card uint64) *entity {
	e := p.newborn(b.Kind, b.Type, b.Up, b.Passing && !p.spies && !p.tape.opts.RecordedIDs)
	if b.Hidden {
		card = w.q.paidBy(e, card)
	}
	e.Own, e.Card, e.follows = b.Own, card, b.Entity
	if len(b.Facts) > 0 {
		e.relate().facts = b.Facts
	}
	e.Scope, e.Idle = b.Scope, w.r.Recording.Reads
	return e
}

// bear gives an entity that a recording bears its relations, and returns the entity. If an entity
// with the same key of the kind is there already, no entity is born, and bear returns that entity.
func (p *Player) bear(w *writer, b *machine.Birth, e *entity) *entity {
	for _, up := range b.Up {
		from := w.q.ents
		if up.Birth {
			from = w.births
		}
		if up.Role >= len(from) {
			continue
		}
		target := from[up.Role].walk(up.Steps)
		switch {
		case target == nil, target == e:
		case up.Scope:
			e.relate().scopes = append(e.scopes, target)
		default:
			e.relate().wholes = append(e.wholes, target)
		}
	}
	if b.Keyed {
		same, mark := keyed(e)
		w.mark = either(w.mark, mark)
		if same != nil && e.typ.OneOfSeveral(e.facts) {
			same.mark, e.mark, same = assumedWay, assumedWay, nil // the tape does not tell which is meant
		}
		if same != nil {
			if same.Own != e.Own && !sameKeys(same.facts, e.facts) {
				same.mark = either(same.mark, assumedWay) // the same, as far as the tape tells
				w.mark = either(w.mark, assumedWay)
			}
			w.finds(same)
			p.move(same, e.Own, same.Card) // it is as if born now
			return same
		}
	}
	p.happened(e, w.q.now)
	e.since = instantOf(w.q.now)
	if e.passing {
		return e
	}
	p.joinRelatives(e)
	p.followedBy(b.Entity, e)
	return e
}

// keyed returns the entity in a scope or family of a new entity that agrees with the new entity in
// the key of their kind, or nil. The mark is the mark of all entities there that have the card of
// the new entity: if the tape did not tell what they are, it does not tell what the new entity is.
func keyed(e *entity) (same *entity, mark string) {
	for o := range beside(e) {
		if o.kind != e.kind || o.Card != e.Card {
			continue
		}
		mark = either(mark, o.mark)
		if same == nil && machine.SameFacts(o.facts, e.facts) {
			same = o
		}
	}
	return same, mark
}

// beside yields what is of the kind of an entity in its scopes, and all in its wholes.
func beside(e *entity) iter.Seq[*entity] {
	return func(yield func(*entity) bool) {
		for _, s := range e.scopes {
			for _, o := range s.members[e.kind] {
				if !yield(o) {
					return
				}
			}
		}
		for _, w := range e.wholes {
			for _, o := range w.parts {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// sameKeys reports whether as much is known of one thing as of another.
func sameKeys(a, b map[string]string) bool {
	for k := range a {
		if _, both := b[k]; !both {
			return false
		}
	}
	return len(a) == len(b)
}
