package profile

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// remembered keeps what leaves mean by the place that they have in a call: messages of one kind have the
// same leaves, and what a leaf means may take a search in four groups of rows for it and for each object
// around it. It has places for each hash, for the leaves that were asked for last of those that have the
// hash, so a client that sends other keys each time takes no more memory, and nobody waits for another.
type remembered [1 << 8]meantPlaces

// meantPlaces have the leaf that was remembered last first. With one place for each of 1,024 hashes, two
// leaves of one message made each other be asked for anew in one process of sixteen.
type meantPlaces [4]atomic.Pointer[meant]

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
	places := &r[hash%uint64(len(r))]
	for i := range places {
		if m := places[i].Load(); m != nil && m.call == call && m.dir == dir && m.shape == at.Shape &&
			m.key == at.Key {
			return m.field, m.known
		}
	}
	m := &meant{call: call, dir: dir}
	m.shape, m.key = strings.Clone(at.Shape), strings.Clone(at.Key) // and not the body they lie in
	m.field, m.known = ask()
	for i := len(places) - 1; i > 0; i-- {
		places[i].Store(places[i-1].Load())
	}
	places[0].Store(m)
	return m.field, m.known
}

// forget forgets everything, because rows have changed.
func (r *remembered) forget() {
	for i := range r {
		for j := range r[i] {
			r[i][j].Store(nil)
		}
	}
}
