package match

import (
	"strings"
	"unicode"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// A name on a card is a rendering of two other values: the client's first and last name, in
// capitals. So is any text whose every word is a part of something that the client sent.

const (
	longestName  = 64 // bytes of a name that the client sent
	longestNames = 6  // words of a text that is looked at as one made of names
)

// nameLike reports whether a text may be a name: words, one of which has a letter. A number is
// as good a word as another, as in "Clara 2".
func nameLike(text string) bool {
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .'-", r)
	}
	return text != "" && len(text) <= longestName && !strings.ContainsFunc(text, other) &&
		strings.ContainsFunc(text, unicode.IsLetter)
}

// named is a stretch of a text and the value that it shows.
type named struct {
	from, to int
	hole     *hole
}

// joined makes holes of the names that a text is made of, and reports whether it is. Where a
// profile has a row for the field, they are of its kind; else the text is made of several.
func (a *answerCompiler) joined(l *leaf.Leaf, f profile.Field, rowed bool) bool {
	spaces := strings.Count(strings.TrimSpace(l.Value), " ")
	if spaces >= longestNames || spaces == 0 && !rowed || a.echo(l) != nil {
		return false
	}
	if !rowed {
		f.Secret = profile.Name
	}
	var found []named
	near := a.near(l)
	for at := pastSpace(l.Value, 0); at < len(l.Value); {
		n := a.nameAt(near, f.Secret, l.Value[at:])
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
func (a *answerCompiler) nameAt(near []*thread, kind profile.Sensitivity, s string) named {
	for to := len(s); to > 0; to-- {
		if to < len(s) && strings.IndexByte(" ,", s[to]) < 0 {
			continue
		}
		for _, t := range near {
			if h := a.scopes[t].name(kind, s[:to]); h != nil {
				return named{to: to, hole: h}
			}
		}
	}
	return named{}
}

// name returns the hole of a text that is a name of a kind, in any letters.
func (s *scope) name(kind profile.Sensitivity, text string) *hole {
	for _, v := range s.names[strings.ToLower(text)] {
		if letters, ok := lettering(v.text, text); ok && v.secret == kind {
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
