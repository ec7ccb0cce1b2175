package profile

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// remembered keeps what leaves mean by the place that they have in a call: messages of one kind have the
// same leaves, and what a leaf means may take a search in four groups of rows for it and for each object
// around it. It has a place for each hash, for the leaf that was asked for last of those that have the
// hash, so a client that sends other keys each time takes no more memory, and nobody waits for another.
type remembered [1 << 10]atomic.Pointer[meant]

// meant is what a leaf means.
type meant struct {
	call       CallKey
	dir        Direction
	shape, key string
	field      Field
	known      bool
}

// longestRemembered is the length of the longest shape and key that are kept, in bytes.
const longestRemembered = 256

var meaningSeed = maphash.MakeSeed()

// of returns what a leaf without a name beside it means. What ask returns is kept.
func (r *remembered) of(c Call, dir Direction, at At, ask func() (Field, bool)) (Field, bool) {
	if len(at.Shape)+len(at.Key) > longestRemembered {
		return ask()
	}
	call := c.Key()
	hash := maphash.String(meaningSeed, at.Shape) + uint64(dir)
	if c.Operation != nil {
		hash += c.Operation.hash
	}
	place := &r[hash%uint64(len(r))]
	if m := place.Load(); m != nil && m.call == call && m.dir == dir && m.shape == at.Shape &&
		m.key == at.Key {
		return m.field, m.known
	}
	m := &meant{call: call, dir: dir}
	m.shape, m.key = strings.Clone(at.Shape), strings.Clone(at.Key) // and not the body they lie in
	m.field, m.known = ask()
	place.Store(m)
	return m.field, m.known
}

// forget forgets everything, because rows have changed.
func (r *remembered) forget() {
	for i := range r {
		r[i].Store(nil)
	}
}
