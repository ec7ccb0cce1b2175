package tape

import (
	"slices"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
)

// A client may send back a date that an answer has told, or that it has chosen when the entity was born:
// the expiry of the card from which it pays. It must then be that of the live entity, and any other is
// another question.

// Tie is a date of an entity that requests send back beside its name. If its Source is a Value,
// the client has chosen the date, and the entity has it in the Slot. Any other Source is an event,
// and the date tells when the event took place (see Of).
type Tie struct {
	*Source
	// moved is the date that Of returns for one fixed time. Two ties with the same moved write the
	// same date.
	moved string
}

// Of returns the date of a live entity of which the event took place at a time.
func (t *Tie) Of(at time.Time) string { return dates.Move(t.Form, t.Text, t.At(), at) }

// tie notes whether a parameter is a date that an answer told of the entity named beside it.
func (a *asker) tie(asked []Asked, p *Asked) {
	if p.Field.From != profile.Date || p.Text == "" {
		return
	}
	for i := range asked {
		n := &asked[i]
		if n.Beside(p) {
			e := a.rec.Roles[n.Names[0].Role]
			s := e.dates[dated{p.Field.Form, p.Text, ""}]
			if s != nil && s.K >= 0 && (s.What == Event || s.What == Now) {
				p.Tied, p.tie = true, s
			} else if v := e.bornWith(p); v != nil {
				a.tape.want(v.slot)
				p.Tied, p.tie = true, a.source(Filling{What: Value, Slot: v.slot}, "", time.Time{})
			}
		}
	}
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

// Beside reports whether a parameter names an entity in the object in which another parameter
// stands.
func (a *Asked) Beside(o *Asked) bool {
	return a != o && a.Whole() && request.Parent(a.Path) == request.Parent(o.Path)
}

// tied notes a date that is sent back at a place.
func (p *Place) tied(s *Source) {
	t := Tie{Source: s}
	if s.What == Value {
		if !slices.ContainsFunc(p.Ties, func(o Tie) bool { return o.What == Value && o.Slot == s.Slot }) {
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
