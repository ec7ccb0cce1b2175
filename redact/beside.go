package redact

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/words"
)

// object names an object of a message: the leaves of one object have the same.
type object struct {
	place leaf.Place
	path  string // of the object, with array indexes; empty at the top of the message
}

// objectOf returns the object that a leaf is a member of, and the key of the object.
func objectOf(l *leaf.Leaf) (o object, key string) {
	end := len(l.Path)
	for end > 0 && !endsMember(l.Path, end-1) {
		end--
	}
	o = object{l.Place, l.Path[:max(0, end-1)]}
	parts := components(l.Shape)
	for i := len(parts) - 2; i >= 0 && key == ""; i-- {
		key = parts[i].name
	}
	return o, key
}

// endsMember reports whether the character path[i] separates a member from what it is a member of.
func endsMember(path string, i int) bool {
	return path[i] == '>' || path[i] == '.' && (i == 0 || path[i-1] != '\\')
}

// besideCard returns what the key of a leaf names if the leaf is a member of a card: a "number" that
// fails Luhn beside an expiry, an "sc" beside a number. Keys and the shapes of values tell, which are
// the same on tape.
func (c *cleaning) besideCard(m *message, l *leaf.Leaf, hint *words.Hint) words.Name {
	b := hint.Beside(l.Value)
	if b.Kind == profile.NotSecret || ofHeader(l) {
		return words.Name{}
	}
	if m.evidence == nil {
		m.evidence = evidenceIn(m.Message)
	}
	o, key := objectOf(l)
	if !b.Counts(m.evidence[o] | words.EvidenceOfObject(key)) {
		return words.Name{}
	}
	return b.Name
}

// evidenceIn returns what the objects of a message have of a card.
func evidenceIn(m *leaf.Message) map[object]words.Evidence {
	found := map[object]words.Evidence{}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header || l.Place == leaf.Path || strings.TrimSpace(l.Value) == "" {
			continue
		}
		if e := words.EvidenceOf(l.Key, l.Value); e != 0 {
			o, _ := objectOf(l)
			found[o] |= e
		}
	}
	return found
}
