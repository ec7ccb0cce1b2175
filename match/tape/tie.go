package tape

import (
	"slices"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
)

// A client may send back a date that an answer has told: the expiry of the card from which it pays. It
// must then be that of the live entity, and any other is another question.

// Tie is a date of an entity that requests send back beside its name.
type Tie struct {
	*Source
	// moved is the date of an entity whose event was at a moment that is the same for all ties.
	moved string
}

// Of returns the date of a live entity of which the event took place at a time.
func (t *Tie) Of(at time.Time) string { return dates.Move(t.Form, t.Text, t.At, at) }

// tie notes whether a parameter is a date that an answer told of the entity named beside it.
func (a *asker) tie(asked []Asked, p *Asked) {
	if p.Field.From != profile.Date || p.Text == "" {
		return
	}
	for i := range asked {
		n := &asked[i]
		if n.Beside(p) {
			s := a.rec.Roles[n.Names[0].Role].dates[dated{p.Field.Form, p.Text, ""}]
			if s != nil && s.K >= 0 && (s.What == Event || s.What == Now) {
				p.Tied, p.tie = true, s
			}
		}
	}
}

// Beside reports whether a parameter names an entity in the object in which another stands.
func (a *Asked) Beside(o *Asked) bool {
	return a != o && a.Whole() && request.Parent(a.Path) == request.Parent(o.Path)
}

// tied notes a date that is sent back at a place.
func (p *Place) tied(s *Source) {
	t := Tie{Source: s}
	t.moved = t.Of(time.Date(2000, time.January, 15, 0, 0, 0, 0, time.UTC))
	known := slices.ContainsFunc(p.Ties, func(o Tie) bool { return o.K == t.K && o.moved == t.moved })
	if !known {
		p.Ties = append(p.Ties, t)
	}
}
