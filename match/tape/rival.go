package tape

import (
	"strconv"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// Two values of a client may be equal on tape, and others in replay: an order may lead to one address when it
// is paid and when it is not. Which of the two an answer shows, an answer before may tell, where they
// differ. Else it is a guess, which counts where they differ in replay: see Filling.Rival.

// ofSent returns the source of one of several equal parameters that a leaf may show; nil for none. before is how
// many of them the leaf has shown: "Test Test" shows two.
func (a *answerReader) ofSent(l *leaf.Leaf, before int, equal []*Asked) *Source {
	name := func(p *Asked) Slot { return Slot{Name: p.Path} }
	p, rival := pick(a, l, before, equal, name)
	if p == nil {
		return nil
	}
	return a.against(a.sent(*p), rival)
}

// ofValues is ofSent for several equal values of an entity.
func (a *answerReader) ofValues(l *leaf.Leaf, before int, equal []*value) *Source {
	name := func(v *value) Slot { return v.slot }
	v, rival := pick(a, l, before, equal, name)
	if v == nil {
		return nil
	}
	a.tape.want(rival)
	return a.against(a.valueOf(*v), rival)
}

// against returns a source with its rival.
func (c *compiler) against(s *Source, rival Slot) *Source {
	if rival != (Slot{}) {
		f := *s.Filling
		f.Rival = rival
		s.Filling = c.tape.words.filling(f)
	}
	return s
}

// pick returns one of several that have one text: that whose name an answer before has shown in the place of a
// leaf, else the first behind those that the leaf has shown, and the name of another that it may be. Nil:
// there is none.
func pick[T any](a *answerReader, l *leaf.Leaf, before int, equal []T, name func(T) Slot) (one *T, rival Slot) {
	if len(equal) == 0 {
		return nil, Slot{}
	}
	at := request.Digest(a.rec.Op, l.Place.String(), l.Shape, strconv.Itoa(before))
	one = &equal[before%len(equal)]
	first := name(*one)
	for i := range equal {
		switch other := name(equal[i]); {
		case other.Name == first.Name:
		case other.Name == a.proven[at]:
			return &equal[i], Slot{}
		case rival == Slot{}:
			rival = other
		}
	}
	switch {
	case rival == Slot{}:
		a.proven[at] = first.Name
	case a.proven[at] == first.Name:
		rival = Slot{}
	}
	return one, rival
}
