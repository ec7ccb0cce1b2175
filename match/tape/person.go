package tape

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// longestNames is how many words a text has at most that is looked at as one made of names.
const longestNames = 6

// joined makes holes of the names that a text is made of, and reports whether it is: the name on a
// card is a rendering of the client's first and last name. Where no profile has a row for the field,
// the text is made of several.
func (a *answerReader) joined(l *leaf.Leaf, f profile.Field, rowed bool) bool {
	spaces := strings.Count(strings.TrimSpace(l.Value), " ")
	if spaces >= longestNames || spaces == 0 && !rowed || rowed && f.Secret != profile.Name ||
		a.echo(l, f, l.Value) != nil {
		return false
	}
	var found []span
	near := a.near(l)
	for at := pastSpace(l.Value, 0); at < len(l.Value); {
		n, h := a.nameIn(near, l.Value[at:])
		if h == nil {
			return false
		}
		found = append(found, span{at, at + n, h})
		at = pastSpace(l.Value, at+n)
	}
	if len(found) == 0 || !rowed && len(found) == 1 {
		return false
	}
	for _, n := range found {
		a.hole(l, n.from, n.to, n.hole)
	}
	return true
}

// pastSpace returns the offset behind what stands between two names.
func pastSpace(s string, at int) int {
	return len(s) - len(strings.TrimLeft(s[at:], " ,"))
}

// nameIn returns the longest name with which a text begins, and its length.
func (a *answerReader) nameIn(near []*Entity, s string) (int, *Hole) {
	for to := len(s); to > 0; to-- {
		if to < len(s) && strings.IndexByte(" ,", s[to]) < 0 {
			continue
		}
		if h := a.nameOf(near, s[:to]); h != nil {
			return to, h
		}
	}
	return 0, nil
}

// nameOf returns the hole of a text that is a name which the client sent, in any letters.
func (a *answerReader) nameOf(near []*Entity, text string) *Hole {
	for i := range a.sends() {
		p := a.sends()[i]
		if p.Field.Secret != profile.Name {
			continue
		}
		if letters, ok := lettering(p.Text, text); ok {
			return a.filled(a.sent(p), Rendering{Letters: letters})
		}
	}
	for _, e := range near {
		for _, v := range e.namesOfPeople() {
			if v.secret != profile.Name || v.minted {
				continue
			}
			if letters, ok := lettering(v.text, text); ok {
				return a.filled(a.valueOf(v), Rendering{Letters: letters})
			}
		}
	}
	return nil
}
