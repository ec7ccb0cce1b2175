// Package slab gives out memory for small values that live as long as each other: those of a tape while
// it is compiled, or as long as it is played. Many values are one piece of memory. So the collector
// has little to look at, nothing is lost to rounding, and values that live for long do not keep the
// memory between them that others have left.
//
//	var points slab.Of[point]
//	p := points.Put(point{1, 2})
//	three := points.Make(3) // []point, which is full
//
// A slab lives as long as any value in it. The zero slabs are ready for use, and are not safe for
// concurrent use.
package slab

import (
	"reflect"
	"strings"
)

// A slab has room for a few values at first, for twice as many each time, and at last for as many as
// the largest piece of memory holds that the runtime gives out without rounding it to pages; in front of
// pointers the runtime keeps a word of its own.
const (
	few     = 8
	largest = 32<<10 - 8
)

// Of gives out values of one type.
type Of[T any] struct {
	slab []T
	last int // where in slab begins what was given out last,
	used int // and where it ends
}

// Put returns a copy of a value.
func (s *Of[T]) Put(v T) *T {
	at := s.Make(1)
	at[0] = v
	return &at[0]
}

// Make returns n zero values, without room for more.
func (s *Of[T]) Make(n int) []T {
	if n > len(s.slab)-s.used {
		most := max(1, largest/max(1, int(reflect.TypeFor[T]().Size())))
		if n > most/8 {
			return make([]T, n)
		}
		s.slab, s.used = make([]T, min(max(2*len(s.slab), few, n), most)), 0
	}
	s.last, s.used = s.used, s.used+n
	return s.slab[s.last:s.used:s.used]
}

// Clone returns a copy of values; nil for none.
func (s *Of[T]) Clone(values []T) []T {
	if len(values) == 0 {
		return nil
	}
	made := s.Make(len(values))
	copy(made, values)
	return made
}

// Append appends to a list that mostly stays small: it grows where it lies if it is what was given out
// last.
func (s *Of[T]) Append(to []T, v T) []T {
	switch n := len(to); {
	case cap(to) == 0:
		to = s.Make(1)[:0]
	case n == cap(to) && s.used < len(s.slab) && n == s.used-s.last && &to[0] == &s.slab[s.last]:
		s.used++
		to = s.slab[s.last:s.used:s.used][:n]
	case n == cap(to) && n < few:
		to = append(s.Make(2 * n)[:0], to...)
	}
	return append(to, v)
}

// Texts gives out copies of texts.
type Texts struct {
	room strings.Builder
	next int
}

// Sizes of slabs of texts, and the size from which on a text has memory of its own.
const (
	fewBytes  = 256
	manyBytes = 32 << 10
	longText  = 1 << 10
)

// Clone returns a copy of a text.
func (s *Texts) Clone(text string) string {
	if len(text) > longText || text == "" {
		return strings.Clone(text)
	}
	s.grow(len(text))
	from := s.room.Len()
	s.room.WriteString(text) // there is room: what was given out stays where it is
	return s.room.String()[from:]
}

// CloneBytes returns a copy of bytes as a text.
func (s *Texts) CloneBytes(text []byte) string {
	if len(text) == 0 || len(text) > longText {
		return string(text)
	}
	s.grow(len(text))
	from := s.room.Len()
	s.room.Write(text)
	return s.room.String()[from:]
}

// grow makes room for so many bytes.
func (s *Texts) grow(n int) {
	if s.room.Cap()-s.room.Len() < n {
		s.next = min(max(2*s.next, fewBytes, n), manyBytes)
		s.room = strings.Builder{}
		s.room.Grow(s.next)
	}
}
