package tape

import (
	"iter"
	"strings"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/slab"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
)

// index finds the values of a cassette, or of one entity, by what all ways of writing them have in common.
// The values of one key are a chain, which begins at the latest.
type index struct {
	chains digests.Map[chain]
	links  slab.Of[chain]
	// inferred says that some value is there of which no row told what it is where it was born.
	inferred bool
}

// chain is a value, and the values before it with the same key.
type chain struct {
	value  *value
	before *chain // nil for none
}

// all yields the values that may be written as a text, the latest first, and no more than
// maxNamesakes of them.
func (ix *index) all(text string) iter.Seq[*value] {
	return func(yield func(*value) bool) {
		at := ix.chains.Find(request.Folded(text))
		for n := 0; at != nil && n < maxNamesakes && yield(at.value); n++ {
			at = at.before
		}
	}
}

// known is a value that was found, and how the text renders it.
type known struct {
	*value
	Rendering
}

// maxNamesakes bounds the values of one text that are looked through, the latest first: an approval
// code may be the same in every payment.
const maxNamesakes = 64

func (ix *index) add(v *value) {
	ix.inferred = ix.inferred || v.inferred
	ix.put(v.text, v)
	if tail := unprefixed(v); tail != "" {
		ix.put(tail, v)
	}
	if v.secret != profile.PAN {
		return
	}
	if ends, ok := pan.Ends(v.text); ok {
		ix.put(ends, v)
	}
}

func (ix *index) put(text string, v *value) {
	latest := ix.chains.At(request.Folded(text))
	if latest.value != nil {
		latest.before = ix.links.Put(*latest)
	}
	latest.value = v
}

// unprefixed returns what stands behind the prefix that names the kind of an id ("tr_"), if
// that is long enough to be found alone; addresses show it so. Else it returns "".
func unprefixed(v *value) string {
	kind, tail, _ := strings.Cut(v.text, "_")
	long := len(tail) >= request.EmbedLength && (request.Embeddable(tail) || fresh.InBothCases(tail))
	if !v.minted || !long || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz") != "" ||
		strings.Contains(tail, "_") {
		return ""
	}
	return tail
}

// is returns how a text writes the value, if it does: known by its noun, or by none where
// the text is long enough to be recognised anywhere.
func (v *value) is(noun, text string) (known, bool) {
	anyNoun := noun == "" && (v.inferred || request.Embeddable(text) || fresh.InBothCases(text))
	if noun != v.noun && !anyNoun {
		return known{}, false
	}
	if text == v.text {
		return known{value: v}, true
	}
	for _, r := range renderings(v.text) {
		if r.Apply(v.text) == text {
			return known{v, r}, true
		}
	}
	if tail := unprefixed(v); tail != "" && tail == text {
		return known{v, Rendering{How: Last, Like: tail}}, true
	}
	if v.secret != profile.PAN {
		return known{}, false
	}
	if ends, ok := pan.Ends(v.text); ok && ends == text {
		return known{v, Rendering{How: Masked}}, true
	}
	return known{}, false
}

// find returns the value that a text is: of those that a predicate prefers the latest, else the
// latest of all. prefer may be nil.
func (ix *index) find(noun, text string, prefer func(*value) bool) (known, bool) {
	var best known
	found := false
	for v := range ix.all(text) {
		k, ok := v.is(noun, text)
		switch {
		case !ok:
		case prefer == nil || prefer(v):
			return k, true
		case !found:
			best, found = k, true
		}
	}
	if found {
		return best, true
	}
	return ix.padded(noun, text)
}

// padded returns the value that a text writes with zeros in front which it has not.
func (ix *index) padded(noun, text string) (known, bool) {
	bare := strings.TrimLeft(text, "0")
	if len(bare) == len(text) || len(text) < request.EmbedLength {
		return known{}, false
	}
	for v := range ix.all(bare) {
		if v.text == bare && (noun == v.noun || noun == "") {
			return known{v, Rendering{How: Padded, Like: strings.Clone(text)}}, true
		}
	}
	return known{}, false
}
