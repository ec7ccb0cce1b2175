package redact

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/words"
)

// inheritedField returns what is known of an object or a text around a leaf that is secret; the
// zero Field if none is. Personal data is not inherited: names of objects are too general for that.
// Nor is a packed message, which is cleaned by what it holds. Of an object that is a card its
// number alone is.
func (c *cleaning) inheritedField(m *message, shape string) profile.Field {
	end := strings.LastIndexAny(shape, ".>")
	if end < 0 {
		return profile.Field{}
	}
	// The leaves of one object stand together.
	if parent := shape[:end+1]; parent != m.parent {
		m.parent = parent
		m.inherited, m.card = c.inheritFrom(m, shape)
	}
	if m.card && !words.IsNumberKey(shape[end+1:]) {
		return profile.Field{}
	}
	return m.inherited
}

// inheritFrom is inheritedField for a leaf that lies in another object than the leaf before it. It
// also returns whether the object is a card.
func (c *cleaning) inheritFrom(m *message, shape string) (f profile.Field, card bool) {
	parts := components(shape)
	for n := len(parts) - 1; n > 0; n-- {
		key := parts[n-1]
		if key.name == "" {
			continue
		}
		at := profile.At{Key: key.name, Shape: shape[:key.end]}
		f, known := c.Profiles.Secrecy(m.call, m.dir, at)
		word := words.NameOf(key.name)
		named := !word.Shaped && c.keysApply(m, f, known) && setNamed(&f, word)
		if alwaysSecret(f.Secret) && f.Secret != profile.Blob {
			return profile.Field{Secret: f.Secret, Rule: f.Rule}, named && words.NamesCard(word.Word)
		}
	}
	return profile.Field{}, false
}

// component is one key of a leaf's shape and where it ends.
type component struct {
	name string
	end  int
}

// components cuts a shape into its keys. Dots inside keys are escaped in it.
func components(shape string) []component {
	var parts []component
	from := 0
	for i := 0; i <= len(shape); i++ {
		end := i == len(shape) || shape[i] == '>' ||
			shape[i] == '.' && (i == 0 || shape[i-1] != '\\')
		if end {
			name := strings.ReplaceAll(shape[from:i], `\.`, ".")
			parts = append(parts, component{name, i})
			from = i + 1
		}
	}
	return slices.Clip(parts)
}

// secretHolder returns the outermost text around a leaf that is secret as a whole, nil if
// there is none: it goes with its keys and all that it holds. A blob is cleaned inside, and so
// is what a field for card numbers holds, because masks stay.
func (c *cleaning) secretHolder(m *message, l *leaf.Leaf) *leaf.Holder {
	h := l.Holder()
	switch {
	case h == nil:
		return nil
	case h == m.holder:
		return m.whole
	}
	m.holder, m.whole = h, nil
	for ; h != nil; h = h.Leaf.Holder() {
		f := c.field(m, &h.Leaf)
		opens := f.Secret == profile.Blob || f.Secret == profile.PAN
		if c.secret(f.Secret) && !opens && !words.IsSetting(h.Leaf.Key, h.Leaf.Value) {
			m.whole = h
		}
	}
	return m.whole
}
