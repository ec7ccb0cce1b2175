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
		n, h := a.nameIn(near, l, at)
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

// nameIn returns the longest name that stands in a leaf from an offset on, and its length.
func (a *answerReader) nameIn(near []*Entity, l *leaf.Leaf, at int) (int, *Hole) {
	for to := len(l.Value); to > at; to-- {
		if to < len(l.Value) && strings.IndexByte(" ,", l.Value[to]) < 0 {
			continue
		}
		if h := a.nameOf(near, l, at, to); h != nil {
			return to - at, h
		}
	}
	return 0, nil
}

// nameOf returns the hole of a text in a leaf that is a name which the client sent, in any letters. Where a
// leaf has one text twice, as for Test Test, it has two names of the client.
func (a *answerReader) nameOf(near []*Entity, l *leaf.Leaf, at, to int) *Hole {
	text := l.Value[at:to]
	before := strings.Count(l.Value[:at], text)
	var sent []*Asked
	for _, p := range a.sends() {
		if p.Field.Secret != profile.Name || len(sent) > 0 && sent[0].Text != p.Text {
			continue
		}
		if _, ok := lettering(p.Text, text); ok {
			sent = append(sent, p)
		}
	}
	if s := a.ofSent(l, before, sent); s != nil {
		letters, _ := lettering(s.Text, text)
		return a.filled(s, Rendering{Letters: letters})
	}
	for _, e := range near {
		var known []*value
		for _, v := range e.namesOfPeople() {
			if v.secret != profile.Name || v.minted || len(known) > 0 && known[0].text != v.text {
				continue
			}
			if _, ok := lettering(v.text, text); ok {
				known = append(known, v)
			}
		}
		if s := a.ofValues(l, before, known); s != nil {
			letters, _ := lettering(s.Text, text)
			return a.filled(s, Rendering{Letters: letters})
		}
	}
	return nil
}
