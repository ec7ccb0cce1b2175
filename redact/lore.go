package redact

import (
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/words"
)

// lore is all that is known of a leaf before its value is looked at.
type lore struct {
	key   string
	field profile.Field
	known bool       // by a profile
	hint  words.Hint // of the key
	above profile.Field
}

// lores remembers the lore of leaves by their place in a call: messages of one kind have the same
// leaves, and a list has them many times over.
type lores struct {
	leaf.Unprinted
	mu    sync.RWMutex // guards calls
	calls map[loreKey]*shapes
}

type loreKey struct {
	call profile.CallKey
	dir  profile.Direction
}

// shapes is the lore of the leaves of one kind of message, by their shape; headers have theirs
// apart.
type shapes struct {
	leaf.Unprinted
	mu      sync.RWMutex // guards both
	leaves  map[string]lore
	headers map[string]lore
}

// Bounds of what is remembered. Keys are data: a client may have as many as it likes.
const (
	maxCalls  = 1024
	maxShapes = 4096 // of one kind of message
)

// of returns what is remembered of a kind of message; of kinds over the bound nothing is.
func (l *lores) of(call profile.Call, dir profile.Direction) *shapes {
	key := loreKey{call.Key(), dir}
	l.mu.RLock()
	known := l.calls[key]
	l.mu.RUnlock()
	if known != nil {
		return known
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known = l.calls[key]; known != nil {
		return known
	}
	known = &shapes{leaves: map[string]lore{}, headers: map[string]lore{}}
	if l.calls == nil {
		l.calls = map[loreKey]*shapes{}
	}
	if len(l.calls) < maxCalls {
		l.calls[key] = known
	}
	return known
}

// leaf returns the lore of a leaf that has no name beside it. What learn returns is remembered.
func (s *shapes) leaf(l *leaf.Leaf, learn func() lore) lore {
	places, shape := s.leaves, l.Shape
	if ofHeader(l) {
		places = s.headers
	}
	s.mu.RLock()
	known, ok := places[shape]
	s.mu.RUnlock()
	if ok && known.key == l.Key {
		return known
	}
	known = learn()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !ok && len(places) < maxShapes && len(shape) <= longestShape {
		places[shape] = known
	}
	return known
}

// ofHeader reports whether a leaf is a header of a message or of a part of one.
func ofHeader(l *leaf.Leaf) bool { return l.Place == leaf.Header || l.Place == leaf.Part }

// longestShape bounds the shapes that are remembered, in bytes.
const longestShape = 256

// lore returns what is known of a leaf by its place.
func (c *cleaning) lore(m *message, l *leaf.Leaf) lore {
	if m.shapes == nil {
		m.shapes = c.lores.of(m.call, m.dir)
	}
	return m.shapes.leaf(l, func() lore {
		got := lore{key: l.Key}
		if ofHeader(l) {
			got.field, got.known = c.Profiles.HeaderField(m.call, m.dir, l.Key)
		} else {
			at := profile.At{Key: l.Key, Shape: l.Shape}
			got.field, got.known = c.Profiles.Field(m.call, m.dir, at)
			got.above = c.above(m, l.Shape)
		}
		if !c.open(m, got.field, got.known) || got.field.Secret != profile.NotSecret {
			got.above = profile.Field{}
		}
		if c.open(m, got.field, got.known) {
			got.hint = words.HintOf(l.Key)
		}
		return got
	})
}
