package tape

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// parts makes holes of what turns up inside a longer text: ids, and at its beginning an
// address that the client gave. Long values of which no profile knows anything, and those in
// addresses, are inferred to be minted here if a later request carries them.
// It reports whether it found anything.
func (a *answerReader) parts(l *leaf.Leaf, f profile.Field, n *leafNote) bool {
	rowed := n.known
	before := len(a.pieces[l])
	open := !rowed || f.Address
	decimal := l.Kind == leaf.Number && strings.ContainsAny(l.Value, "-.eE")
	behind := 0 // what is found so far: inside an id is no other
	unsaid := a.unsaid(l)
	a.embedded(l)
	for _, tok := range n.tokens {
		issued := unsaid && surrogate.IsToken(tok.Text) // the rows for all APIs know no more
		if rowed && !f.Address && tok.Text == l.Value && !issued || a.covered(l, tok) {
			continue // a place's own row beats equality
		}
		if slices.Contains(a.numbers, tok.Text) {
			a.hole(l, tok.At, tok.At+len(tok.Text), a.perOne(tok.Text, profile.Field{}, Rendering{}))
			continue
		}
		if tok.Text == a.req.Idempotency {
			if header := a.req.IdempotencyHeader(); header != "" {
				quoted := a.source(Filling{What: Header, Param: header}, a.tape.slabs.drafts.Clone(tok.Text), a.rec.Answered())
				a.hole(l, tok.At, tok.At+len(tok.Text), a.filled(quoted, Rendering{}))
				continue
			}
		}
		k, ok := a.values.find("", tok.Text, a.isNear(l))
		if ok && len(tok.Text) < request.EmbedLength && !a.isNear(l)(k.value) {
			ok = false
		}
		if !ok && !decimal && tok.At >= behind && a.bearsToken(l, tok, open) {
			a.idKeys[l.Key] = a.idKeys[l.Key] || tok.Text == l.Value
			h := a.mint(l, tok.Text, true)
			a.hole(l, tok.At, tok.At+len(tok.Text), h)
			behind = tok.At + len(tok.Text)
			continue
		}
		if ok {
			a.beside(l, k.entity)
			h := a.filled(a.valueOf(k.value), k.Rendering)
			a.hole(l, tok.At, tok.At+len(tok.Text), h)
			behind = tok.At + len(tok.Text)
		}
	}
	if strings.Contains(l.Value, "://") {
		a.given(l)
	}
	return len(a.pieces[l]) > before
}

// bearsToken reports whether a token of a leaf is an id that the sandbox has made for this answer. open says
// that no row settles what the leaf holds.
func (a *answerReader) bearsToken(l *leaf.Leaf, tok request.Token, open bool) bool {
	if !a.unsaid(l) {
		return a.survey.Born(tok, l, a.place, open, false)
	}
	if !a.survey.Born(tok, l, a.place, open, true) {
		return open && a.survey.OneOfEach(tok, l, a.place, a.inferred()) || a.survey.IssuedAlike(tok, l, a.inferred())
	}
	return !a.survey.NumberOfAll(a.inferred(), l)
}

// embedded makes holes of the names that the request gives to what it bears and that stand inside a text:
//
//	POST /orders {"ref":"SO-77120"}    {"note":"Order SO-77120"}
//
// The values of entities do not have these names yet.
func (a *answerReader) embedded(l *leaf.Leaf) {
	for _, p := range a.sends() {
		if !p.embeddable() {
			continue
		}
		for at := range request.Inside(l.Value, p.Text) {
			if tok := (request.Token{Text: p.Text, At: at}); !a.covered(l, tok) {
				a.hole(l, at, at+len(p.Text), a.filled(a.sent(p), Rendering{}))
			}
		}
	}
}

// embedsName reports whether a text of the request holds a name which the request gives to what it bears.
func (p Params) embedsName(text string) bool {
	for _, given := range p.open {
		if !given.embeddable() {
			continue
		}
		for range request.Inside(text, given.Text) {
			return true
		}
	}
	return false
}

// embeddable reports whether a parameter gives a name to what the request bears that may be recognised
// inside text.
func (a *Asked) embeddable() bool { return a.Unborn && request.Embeddable(a.Text) }

// covered reports whether a hole of the leaf covers a token already.
func (a *answerReader) covered(l *leaf.Leaf, tok request.Token) bool {
	for _, s := range a.pieces[l] {
		if tok.At < s.to && s.from < tok.At+len(tok.Text) {
			return true
		}
	}
	return false
}
