package match

import (
	"maps"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// repeated makes the hole of a value that a header of the request had, such as the number by
// which the client knows the request, and reports whether it did. A minted value is the
// sandbox's own where the client sends none.
func (a *answerCompiler) repeated(l *leaf.Leaf, f profile.Field, rowed bool) bool {
	if f.From != profile.Minted && (f.From != profile.Exact || rowed) ||
		!embeddable(l.Value) || !oneRun(l.Value) {
		return false
	}
	k, id := a.ids.look(identity{"", l.Value}, a.e.threads, false)
	if id && k.v.birth != a.e || a.echo(l) != nil {
		return false // it is known from elsewhere
	}
	for _, name := range slices.Sorted(maps.Keys(a.sent)) {
		if !slices.Contains(a.sent[name], l.Value) {
			continue
		}
		h := &hole{rendering: rendering{like: l.Value}}
		switch {
		case id:
			k.v.recurs = true
			h.vars = []*variable{k.v}
		case f.From == profile.Minted:
			h = a.value(l, f)
		}
		h.header = name
		a.add(l, 0, len(l.Value), h)
		return true
	}
	return false
}
