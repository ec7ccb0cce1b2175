package tape

import (
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
	for _, tok := range n.tokens {
		issued := unsaid && surrogate.IsToken(tok.Text) // the rows for all APIs know no more
		if rowed && !f.Address && tok.Text == l.Value && !issued || a.covered(l, tok) {
			continue // a place's own row beats equality
		}
		k, ok := a.values.find("", tok.Text, a.isNear(l))
		if ok && len(tok.Text) < request.EmbedLength && !a.isNear(l)(k.value) {
			ok = false
		}
		if !ok && !decimal && tok.At >= behind && (a.survey.Born(tok, l, a.place, open, unsaid) ||
			open && unsaid && a.survey.OneOfEach(tok, l, a.place, a.inferred())) {
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

// covered reports whether a hole of the leaf covers a token already.
func (a *answerReader) covered(l *leaf.Leaf, tok request.Token) bool {
	for _, s := range a.pieces[l] {
		if tok.At < s.to && s.from < tok.At+len(tok.Text) {
			return true
		}
	}
	return false
}
