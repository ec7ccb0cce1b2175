package tape

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// A field may show a value of another: the mask of a card, its last digits, the name of its network,
// a number without zeros.

// rendered returns the hole of a rendering of a value near by; nil for a mask of a number that is
// nobody's. Other renderings may be shown before their values are: then they are values.
func (a *answerReader) rendered(l *leaf.Leaf, f profile.Field) *Hole {
	if f.Form == profile.Scheme {
		return a.scheme(l, f)
	}
	r := Rendering{How: MannerOf(f.Form), Like: a.tape.slabs.drafts.Clone(l.Value)}
	for i := range a.sends() {
		p := a.sends()[i]
		if p.Field.Of == f.Of && bound(p) && len(p.Names) == 0 &&
			r.Writes(request.Canonical(p.Field, p.Text), l.Value) {
			return a.filled(a.sent(p), r)
		}
	}
	if f.Form == profile.Mask { // a number of its own rather than that of another with this mask
		if h := a.renderedOf(a.around(l, false), l, f, r); h != nil {
			return h
		}
		if h := a.masked(l, f, r); h != nil {
			return h
		}
		if h := a.renderedOf(a.near(l), l, f, r); h != nil {
			return h
		}
		return a.unshown(l, f, r)
	}
	if h := a.renderedOf(a.near(l), l, f, r); h != nil {
		return h
	}
	if f.Form == profile.Unpadded { // the noun's value itself, in another way of writing
		if k, ok := a.values.find(f.Of, l.Value, nil); ok {
			a.beside(l, k.entity)
			return a.filled(a.valueOf(k.value), r)
		}
	}
	return a.value(l, profile.Field{From: profile.Minted, Of: f.Of})
}

// scheme returns the hole of the name of a payment network: that of the card whose mask stands
// beside it. Nil where no mask tells which card that is, or where the name is none that is known.
func (a *answerReader) scheme(l *leaf.Leaf, f profile.Field) *Hole {
	mask := a.maskBeside(l)
	r := Rendering{How: Scheme, Like: a.tape.slabs.drafts.Clone(l.Value)}
	if mask == nil || !r.Writes(mask.Value, l.Value) {
		return nil
	}
	f.Form = profile.Mask
	h := a.rendered(mask, f)
	if h == nil {
		return nil
	}
	return a.filled(h.Source, r)
}

// renderedOf returns the hole of a rendering of a value that one of some entities has.
func (a *answerReader) renderedOf(es []*Entity, l *leaf.Leaf, f profile.Field, r Rendering) *Hole {
	for _, e := range es {
		for i := len(e.values) - 1; i >= 0; i-- {
			if v := e.values[i]; v.noun == f.Of && r.Writes(v.text, l.Value) {
				a.beside(l, v.entity)
				return a.filled(a.valueOf(v), r)
			}
		}
	}
	return nil
}

// masked returns the hole of a mask that is shown before its number is: the number is born with it. Nil
// if the tape never shows the number.
func (a *answerReader) masked(l *leaf.Leaf, f profile.Field, r Rendering) *Hole {
	for _, number := range a.survey.Numbers(l.Value) {
		if _, known := a.values.find(f.Of, number, nil); !known && r.Writes(number, l.Value) {
			return a.ofNumber(number, l, f, r)
		}
	}
	return nil
}

// unshown returns the hole of the mask of a card that a write issues and that no answer shows the number
// of: every card has a number of its own all the same. Nil where cards are no entities of the API.
func (a *answerReader) unshown(l *leaf.Leaf, f profile.Field, r Rendering) *Hole {
	if !a.rec.Writes() || a.req.Call.Profile.Entity(f.Of) == nil {
		return nil
	}
	digits := strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return '0'
		}
		return c
	}, l.Value)
	hidden := len(digits) - pan.KeptLast - 1
	if hidden < pan.KeptFirst || !r.Writes(digits, l.Value) {
		return nil
	}
	return a.ofNumber(pan.WithResidue(digits, hidden, pan.Surrogate), l, f, r)
}

// ofNumber returns the hole of a mask with which a card number is born; nil if it is nobody's.
func (a *answerReader) ofNumber(number string, l *leaf.Leaf, f profile.Field, r Rendering) *Hole {
	e := a.owner(l, f.Of)
	if e == nil {
		return nil
	}
	v := a.tape.slabs.values.Put(value{
		text: number, noun: f.Of, secret: profile.PAN, minted: true, born: a.rec,
		byRead: a.rec.Reads, isName: a.req.Call.Profile.Entity(f.Of) != nil,
	})
	e.addValue(v, f.Of)
	a.values.add(v)
	a.beside(l, e)
	return a.filled(a.valueOf(v), r)
}
