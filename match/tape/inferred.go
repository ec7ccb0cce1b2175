package tape

import (
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
)

// Values in answers of which no row tells what they are: what package infer takes them for decides whether they
// are made anew.

// inferred is what package infer asks of the answer.
func (a *answerReader) inferred() infer.Answer {
	return infer.Answer{
		Method: a.rec.Method, Path: a.rec.Target, Call: infer.Called(a.req), At: a.rec.Answered(),
		IDKeys: a.idKeys,
	}
}

// mint makes the hole of a value of an unknown API that is born here. Requests find an entity by
// one that comes back.
func (a *answerReader) mint(l *leaf.Leaf, text string, comesBack bool) *Hole {
	v := a.tape.slabs.values.Put(value{
		text: a.tape.slabs.drafts.Clone(text), noun: a.survey.Noun(text), minted: true, born: a.rec,
		byRead: a.rec.Reads, isName: comesBack, inferred: true,
	})
	name := v.noun
	if name == "" {
		name = a.tape.words.word(l.Shape)
	}
	e := a.owner(l, v.noun)
	if e == nil {
		return a.perOne(text, profile.Field{}, Rendering{})
	}
	if comesBack && e.Type == nil && len(e.values) == 0 && len(a.rec.Roles) == 0 {
		e.Scope = infer.NamesSession(l.Key)
	}
	e.addValue(v, name)
	a.tape.addToSeries(v, "")
	a.values.add(v)
	a.beside(l, e)
	return a.filled(a.valueOf(v), Rendering{})
}

// unsent reports whether a leaf holds an id that was born there and that nobody sends.
func (a *answerReader) unsent(l *leaf.Leaf) bool {
	if a.callback != nil {
		return a.unsaid(l) && a.survey.OfEvent(l, a.callback.at)
	}
	return !a.rec.Reads && a.unsaid(l) && a.survey.Unsent(a.inferred(), l)
}

// unsentInQuery makes holes of ids in the query of an address that were born there and that nobody sends, and
// reports whether it found any.
func (a *answerReader) unsentInQuery(l *leaf.Leaf) bool {
	if a.callback != nil || a.rec.Reads || !a.unsaid(l) {
		return false
	}
	found := false
	for at, inner := range infer.InQuery(l) {
		tok := request.Token{Text: inner.Value, At: at}
		if a.covered(l, tok) || !a.survey.Unsent(a.inferred(), inner) {
			continue
		}
		a.hole(l, at, at+len(tok.Text), a.mint(inner, tok.Text, false))
		found = true
	}
	return found
}

// ownWord makes the hole of a word without a digit that is of the thing which a leaf is about, and reports whether
// it did: a write has brought it, and no request sends it.
func (a *answerReader) ownWord(l *leaf.Leaf) bool {
	if !a.values.inferred || !infer.WordLike(l) {
		return false
	}
	near := a.isNear(l)
	k, ok := a.values.find("", l.Value, near)
	if !ok || !k.inferred || !k.minted || k.born == a.rec || !near(k.value) {
		return false
	}
	a.hole(l, 0, len(l.Value), a.filled(a.valueOf(k.value), k.Rendering))
	return true
}

// noteLone notes a value of which nobody knows whether it is of one thing: see Rest.Makes.
func (a *answerReader) noteLone(l *leaf.Leaf) {
	if a.callback != nil || a.rec.Failed || a.rec.Reads && len(a.lone) == 0 {
		return
	}
	value := request.Digest(l.Value)
	maker := a.lone[value]
	if maker == nil && a.rec.Writes() && a.survey.Lone(a.inferred(), l) {
		a.lone[value], a.rec.Makes = a.rec, append(a.rec.Makes, value)
	}
	if maker != nil && maker != a.rec && !slices.Contains(a.rec.Repeats, value) {
		a.rec.Repeats = append(a.rec.Repeats, value)
	}
}

// numbersAnswer makes the hole of a number that this answer alone has, in a header, and reports whether it
// did. What a field of the body is, too, numbers what the answer is about.
func (a *answerReader) numbersAnswer(l *leaf.Leaf) bool {
	if !ownHeader(l) || !a.unsaid(l) || !a.survey.NumbersAnswer(l) {
		return false
	}
	if slices.ContainsFunc(a.m.Leaves, func(o leaf.Leaf) bool { return !ownHeader(&o) && o.Value == l.Value }) {
		return false
	}
	a.numbers = append(a.numbers, l.Value)
	a.hole(l, 0, len(l.Value), a.perOne(l.Value, profile.Field{}, Rendering{}))
	return true
}
