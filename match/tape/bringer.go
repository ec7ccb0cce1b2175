package tape

import (
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// maxBringers bounds the writes that are looked through for the one that brought something.
const maxBringers = 256

// bringer returns the write that has brought an entity which a read shows first: it is about something
// in the same scope or family, the card beside the entity fits and what the write tells of the entity's
// kind, and what it has borne of the kind has no name of the noun yet. Of several it is the latest, or,
// where no card tells, the first, as lists show what is older first. If the write has borne such an entity
// under another noun, that is returned as well. Both results are nil if there is none.
func (a *answerReader) bringer(l *leaf.Leaf, kind, noun string, t *profile.Entity,
) (*Recording, *Entity) {
	mask := ""
	if o := a.maskBeside(l); o != nil {
		mask = o.Value
	}
	a.about = append(append(a.about[:0], a.groups[groupOf(l.Path)]...), a.rec.Roles...)
	of := a.about // what the item is, and the question about
	var best *Recording
	for _, named := range []bool{true, false} {
		for _, op := range t.Brought {
			ws := a.brings[op]
			for i := len(ws) - 1; i >= max(0, len(ws)-maxBringers); i-- {
				w := ws[i]
				later := best == nil || w.Place > best.Place
				if (later == (mask != "") || best == nil) && about(w, of, named) &&
					a.mayBring(w, kind, noun, mask) && !a.showsOther(l, t, w) {
					best = w
				}
			}
		}
		if best != nil {
			break
		}
	}
	if best == nil {
		return nil, nil
	}
	at := slices.IndexFunc(best.Births, func(b *Entity) bool { return b.Kind == kind })
	if at < 0 {
		return best, nil
	}
	return best, best.Births[at]
}

func (a *answerReader) mayBring(w *Recording, kind, noun, mask string) bool {
	if slices.ContainsFunc(w.Births, func(b *Entity) bool {
		return b.Kind == kind && b.has(noun) != nil
	}) {
		return false
	}
	if mask != "" && !slices.ContainsFunc(w.cards(), func(card string) bool {
		return pan.Masks(mask, card)
	}) {
		return false
	}
	return true
}

// about reports whether a write is about some of several entities: names them itself, or what is of one
// family or scope with them.
func about(w *Recording, of []*Entity, named bool) bool {
	var room, ownRoom [8]*Entity
	for _, r := range w.Roles {
		if named {
			if !r.Scope && slices.Contains(of, r) {
				return true
			}
			continue
		}
		ups := upwards(room[:0], r)
		for _, own := range of {
			for _, up := range upwards(ownRoom[:0], own) {
				if slices.Contains(ups, up) {
					return true
				}
			}
		}
	}
	return false
}

// cards returns the card numbers that concern a write: those that the request brings, else those
// that came to what it names.
func (r *Recording) cards() []string {
	var out []string
	for _, p := range r.Request.All() {
		if p.Field.Secret == profile.PAN && p.Text != "" {
			out = append(out, pan.Digits(p.Text))
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, e := range r.Roles {
		for _, v := range e.values {
			if v.secret == profile.PAN {
				out = append(out, v.text)
			}
		}
	}
	return out
}

// maskBeside returns the mask of a card that stands in the same object as a leaf; nil for none.
func (a *answerReader) maskBeside(l *leaf.Leaf) *leaf.Leaf {
	if len(a.notes.masks) == 0 {
		return nil
	}
	if a.masks == nil {
		a.masks = map[inObject]*leaf.Leaf{}
		for _, i := range a.notes.masks {
			o := &a.m.Leaves[i]
			at := inObject{groupOf(o.Path), o.Place}
			if a.masks[at] == nil {
				a.masks[at] = o
			}
		}
	}
	return a.masks[inObject{groupOf(l.Path), l.Place}]
}

// brought adds an entity that an earlier write has made without showing it.
func (a *answerReader) brought(e *Entity, w *Recording) {
	e.Born = w
	a.tell(e, w)
	a.relate(e, w)
	w.Births = a.tape.slabs.relatives.Append(w.Births, e)
	for _, r := range w.Roles {
		if !r.Scope {
			e.link(r, w, a.tape.slabs)
			r.link(e, w, a.tape.slabs)
		}
	}
	a.search.forget()
	a.attach(w, e)
	for _, r := range w.Roles { // and the card, where an earlier call brought it
		for _, v := range r.values {
			if v.secret == profile.PAN && !v.minted && e.has(v.slot.Name) == nil {
				same := *v
				e.addValue(&same, v.slot.Name)
			}
		}
	}
	e.events = append(e.events, w)
}
