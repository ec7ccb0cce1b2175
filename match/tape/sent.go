package tape

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// sentDate reports whether a date is one that the client sent, in this request or in an earlier one about
// an entity near by, and returns its hole; of an expiry whose year and month came in two fields it makes
// the holes of both, and returns nil.
func (a *answerReader) sentDate(l *leaf.Leaf, f profile.Field) (*Hole, bool) {
	for i := range a.sends() {
		p := a.sends()[i]
		if p.Field.From == profile.Date && p.Field.Form == f.Form && p.Text == l.Value {
			return a.filled(a.sent(p), Rendering{}), true
		}
	}
	near := a.near(l)
	for _, e := range near {
		for v := range e.alike(l.Value) {
			if !v.minted && v.form == f.Form && v.form != profile.NoForm && v.text == l.Value {
				return a.filled(a.valueOf(v), Rendering{}), true
			}
		}
	}
	return nil, f.Form == profile.Month && len(l.Value) == len("200601") && a.halves(l, near)
}

// halves makes the holes of an expiry whose year and month the client sent in two fields; false for any
// other.
func (a *answerReader) halves(l *leaf.Leaf, near []*Entity) bool {
	const year = len("2006")
	find := func(form profile.Form, text string) *Source {
		for i := range a.sends() {
			p := a.sends()[i]
			if p.Field.From == profile.Date && p.Field.Form == form && sameNumber(p.Text, text) {
				return a.sent(p)
			}
		}
		for _, e := range near {
			for v := range e.alike(text) {
				if !v.minted && v.form == form && sameNumber(v.text, text) {
					return a.valueOf(v)
				}
			}
		}
		return nil
	}
	y, m := find(profile.Year, l.Value[:year]), find(profile.MonthOfYear, l.Value[year:])
	if y == nil || m == nil {
		return false
	}
	a.hole(l, 0, year, a.filled(y, Rendering{}))
	a.hole(l, year, len(l.Value), a.filled(m, Rendering{How: Padded, Like: "00"}))
	return true
}

func sameNumber(a, b string) bool {
	return strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0") && a != ""
}

// echo returns the hole of a value that the client sent, in this request or in an earlier one about
// an entity near by, under the same name if it can; nil for any other.
func (a *answerReader) echo(l *leaf.Leaf, f profile.Field, text string) *Hole {
	equal := a.equal[:0]
	for i := range a.chosen {
		p := a.chosen[i].Asked
		if a.chosen[i].text != text {
			continue
		}
		if same := request.LastName(p.Path) == l.Key || f.Of != "" && p.Field.Of == f.Of; same {
			return a.filled(a.sent(p), Rendering{})
		} else if f.Of == "" || p.Field.Of == "" {
			equal = append(equal, p)
		}
	}
	a.equal = equal
	if s := a.ofSent(l, 0, equal); s != nil {
		return a.filled(s, Rendering{})
	}
	for _, e := range a.near(l) {
		others := a.others[:0]
		for v := range e.sentAs(text) {
			if f.Of != "" && v.noun != "" && v.noun != f.Of {
				continue
			}
			if v.slot.Name == l.Key || f.Of != "" && v.noun == f.Of {
				return a.filled(a.valueOf(v), Rendering{})
			}
			others = append(others, v)
		}
		a.others = others
		if s := a.ofValues(l, 0, others); s != nil {
			return a.filled(s, Rendering{})
		}
	}
	return nil
}

// sentHere returns the hole of a long value that this request has under whatever name; nil for any
// other.
func (a *answerReader) sentHere(l *leaf.Leaf) *Hole {
	if len(l.Value) < request.EmbedLength {
		return nil
	}
	for i := range a.sends() {
		if p := a.sends()[i]; p.Text == l.Value && bound(p) && len(p.Names) == 0 {
			return a.filled(a.sent(p), Rendering{})
		}
	}
	return nil
}

// chosen is a parameter of the request with a value that is the client's own.
type chosen struct {
	*Asked
	text string // canonical
}

// choices returns what the client has chosen in the request at hand. They are good until the next answer
// is read.
func (a *answerReader) choices() []chosen {
	all := a.chosen[:0]
	for _, p := range a.sends() {
		if bound(p) {
			all = append(all, chosen{p, request.Canonical(p.Field, p.Text)})
		}
	}
	return all
}

// bound reports whether a parameter has a value that is the client's own. A path names a thing, by its id or by
// another of its names: an answer that shows the id does not show the path.
func bound(p *Asked) bool {
	if p.Text == "" {
		return false
	}
	switch p.Field.From {
	case profile.Shared, profile.Unique:
		return p.Field.Secret == profile.NotSecret || p.Field.Secret == profile.PAN ||
			p.Field.Secret.Personal()
	}
	ignored := p.Field.From == profile.Ignored && len(p.Text) >= request.EmbedLength
	return p.Free || p.Whole() && p.Place != leaf.Path || ignored
}

// sent returns the source of a value that the request has.
func (a *answerReader) sent(p *Asked) *Source {
	fill := Filling{What: Sent, Param: p.Path, Secret: p.Field.Secret, Form: p.Field.Form}
	return a.source(fill, request.Canonical(p.Field, p.Text), a.rec.Answered())
}
