package codec

import "math"

// Table is all objects of one type that a file has. A pointer to an object is coded as its number.
type Table[T any] struct {
	code func(*Coder, *T)
	// While writing: the objects by number, and the numbers.
	all    []*T
	number map[*T]uint32
	// While reading: the objects.
	room []T
}

// NewTable returns an empty table whose objects code writes and reads. code takes one byte or more for
// each.
func NewTable[T any](code func(*Coder, *T)) *Table[T] {
	return &Table[T]{code: code, number: map[*T]uint32{}}
}

// Ref codes a pointer to an object, or nil.
func (t *Table[T]) Ref(c *Coder, p **T) {
	if !c.reads {
		c.count(int(t.enter(c, *p)))
		return
	}
	switch n := c.uvarint(); {
	case n == 0:
		*p = nil
	case n <= uint64(len(t.room)):
		*p = &t.room[n-1]
	default:
		c.Fail(ErrDamaged)
	}
}

// enter returns the number of an object, from 1; 0 for nil.
func (t *Table[T]) enter(c *Coder, p *T) uint32 {
	if p == nil {
		return 0
	}
	n, known := t.number[p]
	if !known {
		if len(t.all) >= math.MaxUint32 {
			c.Fail(errTooMany)
		}
		t.all = append(t.all, p)
		n = uint32(len(t.all))
		t.number[p] = n
	}
	return n
}

// Objects yields what was read, by number.
func (t *Table[T]) Objects() []T { return t.room }

// table is a Table of any type.
type table interface {
	len() int                       // of what is to be written
	make(n int)                     // room for what is to be read
	codeAll(c *Coder, from, to int) // of either
}

func (t *Table[T]) len() int   { return len(t.all) }
func (t *Table[T]) make(n int) { t.room = make([]T, n) }

func (t *Table[T]) codeAll(c *Coder, from, to int) {
	if !c.reads {
		for _, p := range t.all[from:to] {
			t.code(c, p)
		}
		return
	}
	room := t.room[from:to]
	clear(room) // where a page is looked at before it is written to, the system maps it twice
	for i := range room {
		t.code(c, &room[i])
	}
}

// texts are the strings of a file, by number.
type texts struct {
	all     []string
	numbers map[string]uint32 // while writing
}

// number returns the number of a string.
func (t *texts) number(s string) uint32 {
	n, known := t.numbers[s]
	if !known {
		n = uint32(len(t.all))
		t.all = append(t.all, s)
		t.numbers[s] = n
	}
	return n
}
