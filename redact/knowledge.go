package redact

import (
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/words"
)

// fieldKnowledge is all that is known of a leaf before its value is looked at.
type fieldKnowledge struct {
	field profile.Field
	known bool       // by a profile
	prose bool       // the key names a text for people
	hint  words.Hint // of the key
	above profile.Field
}

// knowledgeCache remembers what is known of leaves by their place in a call: messages of one kind
// have the same leaves, and a list has them many times over. Without it BenchmarkBodies takes 40
// percent longer for JSON and forms.
type knowledgeCache struct {
	leaf.Unprinted
	mu     sync.RWMutex // guards places
	places map[place]*fieldKnowledge
}

// place is where in which call a leaf stands.
type place struct {
	call       profile.CallKey
	dir        profile.Direction
	header     bool
	shape, key string
}

// Bounds of what is remembered. Keys are data: a client may have as many as it likes.
const (
	maxPlaces    = 1 << 12
	longestShape = 256 // in bytes
)

// of returns what is known of a place, which nobody changes. What learn returns is remembered.
func (k *knowledgeCache) of(p place, learn func() *fieldKnowledge) *fieldKnowledge {
	k.mu.RLock()
	got, known := k.places[p]
	k.mu.RUnlock()
	if known {
		return got
	}
	got = learn()
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(p.shape) > longestShape {
		return got
	}
	if k.places == nil || len(k.places) == maxPlaces {
		k.places = map[place]*fieldKnowledge{}
	}
	p.shape, p.key = strings.Clone(p.shape), strings.Clone(p.key) // and not the body they lie in
	k.places[p] = got
	return got
}

// ofHeader reports whether a leaf is a header of a message or of a part of one.
func ofHeader(l *leaf.Leaf) bool { return l.Place == leaf.Header || l.Place == leaf.Part }

// knowledgeOf returns what is known of a leaf that has no name beside it.
func (c *cleaning) knowledgeOf(m *message, l *leaf.Leaf) *fieldKnowledge {
	at := place{m.call.Key(), m.dir, ofHeader(l), l.Shape, l.Key}
	return c.knowledge.of(at, func() *fieldKnowledge {
		got := &fieldKnowledge{prose: words.IsProse(l.Key)}
		if ofHeader(l) {
			got.field, got.known = c.Profiles.HeaderField(m.call, m.dir, l.Key)
		} else {
			at := profile.At{Key: l.Key, Shape: l.Shape}
			got.field, got.known = c.Profiles.Field(m.call, m.dir, at)
			if !got.known && got.field.Secret.Personal() && got.prose {
				// One operation has the name of a person under a key for texts (TEXT of
				// paymentorder.do): elsewhere such a key has texts.
				got.field.Secret, got.field.Rule = profile.NotSecret, ""
			}
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
