package redact

import (
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/words"
)

// fieldKnowledge is all that is known of a leaf before its value is looked at.
type fieldKnowledge struct {
	key   string
	field profile.Field
	known bool       // by a profile
	hint  words.Hint // of the key
	above profile.Field
}

// knowledgeCache remembers what is known of leaves by their place in a call: messages of one kind have the same
// leaves, and a list has them many times over.
type knowledgeCache struct {
	leaf.Unprinted
	mu    sync.RWMutex // guards calls
	calls map[callKey]*callKnowledge
}

type callKey struct {
	call profile.CallKey
	dir  profile.Direction
}

// callKnowledge is what is known of the leaves of one kind of message, by their shape. Headers have
// a map of their own.
type callKnowledge struct {
	leaf.Unprinted
	mu      sync.RWMutex // guards both
	leaves  map[string]fieldKnowledge
	headers map[string]fieldKnowledge
}

// Bounds of what is remembered. Keys are data: a client may have as many as it likes.
const (
	maxCalls  = 1024
	maxShapes = 4096 // of one kind of message
)

// ofCall returns what is remembered of a kind of message; of kinds over the bound nothing is.
func (l *knowledgeCache) ofCall(call profile.Call, dir profile.Direction) *callKnowledge {
	key := callKey{call.Key(), dir}
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
	known = &callKnowledge{leaves: map[string]fieldKnowledge{}, headers: map[string]fieldKnowledge{}}
	if l.calls == nil {
		l.calls = map[callKey]*callKnowledge{}
	}
	if len(l.calls) < maxCalls {
		l.calls[key] = known
	}
	return known
}

// leaf returns what is known of a leaf that has no name beside it. What learn returns is remembered.
func (s *callKnowledge) leaf(l *leaf.Leaf, learn func() fieldKnowledge) fieldKnowledge {
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

// fieldKnowledge returns what is known of a leaf by its place.
func (c *cleaning) knowledgeOf(m *message, l *leaf.Leaf) fieldKnowledge {
	if m.known == nil {
		m.known = c.knowledge.ofCall(m.call, m.dir)
	}
	return m.known.leaf(l, func() fieldKnowledge {
		got := fieldKnowledge{key: l.Key}
		if ofHeader(l) {
			got.field, got.known = c.Profiles.HeaderField(m.call, m.dir, l.Key)
		} else {
			at := profile.At{Key: l.Key, Shape: l.Shape}
			got.field, got.known = c.Profiles.Field(m.call, m.dir, at)
			got.above = c.inheritedField(m, l.Shape)
		}
		if !c.keysApply(m, got.field, got.known) || got.field.Secret != profile.NotSecret {
			got.above = profile.Field{}
		}
		if c.keysApply(m, got.field, got.known) {
			got.hint = words.HintOf(l.Key)
		}
		return got
	})
}
