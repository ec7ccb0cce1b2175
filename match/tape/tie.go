package tape

import (
	"slices"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
)

// A client may send back a date that an answer has told, or that it has chosen when the entity was born:
// the expiry of the card from which it pays. Beside a mask of a card, which other cards may have, it may
// send the telephone number under which it has registered the customer. Both must then be those of the
// live entity, and any other is another question.

// Tie is a value of an entity that requests send back beside its name. If its Source is a Value,
// the client has chosen it, and the entity to which the steps of the Source lead has it in the Slot. Any
// other Source is an event, and the value is a date that tells when the event took place (see Of).
type Tie struct {
	*Source
	// moved is the date that Of returns for one fixed time. Two ties with the same moved write the
	// same date.
	moved string
}

// Of returns the date of a live entity of which the event took place at a time.
func (t *Tie) Of(at time.Time) string { return dates.Move(t.Form, t.Text, t.At(), at) }

// tie notes whether a parameter is what the tape has of the entity named beside it.
func (a *asker) tie(asked []Asked, p *Asked) {
	find := a.onRecord
	switch {
	case p.Field.From == profile.Date:
		find = a.dateOf
	case p.Field.Of == "":
		return
	}
	for i := range asked {
		n := &asked[i]
		if !n.Binds(p) {
			continue
		}
		if s := find(a.rec.Roles[n.Names[0].Role], p); s != nil {
			p.Tied, p.tie = true, s
		}
	}
}

// dateOf returns the source of a date that an answer told of an entity, or that the client has chosen for
// it; nil for any other date.
func (a *asker) dateOf(e *Entity, p *Asked) *Source {
	s := e.dates[dated{p.Field.Form, p.Text, ""}]
	if s != nil && s.K >= 0 && (s.What == Event || s.What == Now) {
		return s
	}
	v := e.bornWith(p)
	if v == nil {
		return nil
	}
	a.tape.want(v.slot)
	return a.source(Filling{What: Value, Slot: v.slot}, "", time.Time{})
}

// mostWholes bounds how far up the value is looked for that is on record.
const mostWholes = 4

// onRecord returns the source of the value of a noun with which the client had an entity born, else the
// nearest whole of it: a card may have a telephone number of its own, else it has that of its customer. It
// returns nil if a parameter has another value.
func (a *asker) onRecord(e *Entity, p *Asked) *Source {
	way := &Ref{}
	for range mostWholes {
		for _, v := range e.values {
			if v.slot.Name != p.Field.Of || v.born == nil || v.born != e.Born {
				continue
			}
			if v.text != p.Text {
				return nil
			}
			a.tape.want(v.slot)
			for _, s := range way.Steps {
				a.tape.steps[s.Kind] = true
			}
			return a.source(Filling{What: Value, Slot: v.slot, Ref: way}, "", time.Time{})
		}
		if len(e.Wholes()) == 0 {
			return nil
		}
		e = e.Wholes()[0]
		way.Steps = append(way.Steps, Step{To: ToWhole, Kind: e.Kind})
	}
	return nil
}

// bornWith returns the date that the client chose under the same key when an entity was born, if a
// parameter has it; nil for any other.
func (e *Entity) bornWith(p *Asked) *value {
	for _, v := range e.values {
		if !v.minted && v.form == p.Field.Form && v.born == e.Born && v.born != nil &&
			v.slot.Name == request.LastName(p.Path) && v.text == p.Text {
			return v
		}
	}
	return nil
}

// Binds reports whether a parameter names an entity of which another parameter in the same object must
// tell what is on record, to ask the same: a date, or beside a mask or last digits, which do not say
// alone which entity is meant, a value of a noun by which none is found.
func (a *Asked) Binds(o *Asked) bool {
	if a == o || o.Text == "" || !a.Whole() || request.Parent(a.Path) != request.Parent(o.Path) {
		return false
	}
	told := o.Field.From == profile.Shared && o.Field.Of != "" && len(o.Names) == 0
	return o.Field.From == profile.Date || told && a.Field.From == profile.Rendering
}

// Steps are the way from the entity that a request names to the entity that has the value.
func (t *Tie) Steps() []Step {
	if t.Ref == nil {
		return nil
	}
	return t.Ref.Steps
}

// tied notes a value that is sent back at a place.
func (p *Place) tied(s *Source) {
	t := Tie{Source: s}
	if s.What == Value {
		known := slices.ContainsFunc(p.Ties, func(o Tie) bool {
			return o.What == Value && o.Slot == s.Slot && slices.Equal(o.Steps(), t.Steps())
		})
		if !known {
			p.Ties = append(p.Ties, t)
		}
		return
	}
	t.moved = t.Of(time.Date(2000, time.January, 15, 0, 0, 0, 0, time.UTC))
	known := slices.ContainsFunc(p.Ties, func(o Tie) bool { return o.What != Value && o.K == t.K && o.moved == t.moved })
	if !known {
		p.Ties = append(p.Ties, t)
	}
}
