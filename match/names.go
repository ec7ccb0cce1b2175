package match

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// A name on a card is a rendering of two other values: the client's first and last name, in
// capitals. So is any text whose every word is a part of names that the client sent.

// longestNames is how many words a text has at most that is looked at as one made of names.
const longestNames = 6

// named is a stretch of a text and the value that it shows.
type named struct {
	from, to int
	hole     *hole
}

// joined makes holes of the names that a text is made of, and reports whether it is. Where no
// profile has a row for the field, the text is made of several.
func (a *answerCompiler) joined(l *leaf.Leaf, f profile.Field, rowed bool) bool {
	spaces := strings.Count(strings.TrimSpace(l.Value), " ")
	if spaces >= longestNames || spaces == 0 && !rowed || rowed && f.Secret != profile.Name ||
		a.echo(l) != nil {
		return false
	}
	var found []named
	near := a.near(l)
	for at := pastSpace(l.Value, 0); at < len(l.Value); {
		n := a.nameAt(near, l.Value[at:])
		if n.hole == nil {
			return false
		}
		n.from, n.to = at, at+n.to
		found, at = append(found, n), pastSpace(l.Value, n.to)
	}
	if len(found) == 0 || !rowed && len(found) == 1 {
		return false
	}
	for _, n := range found {
		a.add(l, n.from, n.to, n.hole)
	}
	return true
}

// pastSpace returns the offset behind what stands between two names.
func pastSpace(s string, at int) int {
	return len(s) - len(strings.TrimLeft(s[at:], " ,"))
}

// nameAt returns the longest name with which a text begins.
func (a *answerCompiler) nameAt(near []*thread, s string) named {
	for to := len(s); to > 0; to-- {
		if to < len(s) && strings.IndexByte(" ,", s[to]) < 0 {
			continue
		}
		for _, t := range near {
			if h := a.scopes[t].name(s[:to]); h != nil {
				return named{to: to, hole: h}
			}
		}
	}
	return named{}
}

// name returns the hole of a text that is a name, in any letters.
func (s *scope) name(text string) *hole {
	for _, v := range s.names[strings.ToLower(text)] {
		if letters, ok := lettering(v.text, text); ok {
			return &hole{vars: []*variable{v}, rendering: rendering{letters: letters}}
		}
	}
	return nil
}

// lettering returns in which letters a text writes a value.
func lettering(value, text string) (manner, bool) {
	switch text {
	case value:
		return asIs, true
	case strings.ToUpper(value):
		return upper, true
	case strings.ToLower(value):
		return lower, true
	}
	return asIs, false
}
