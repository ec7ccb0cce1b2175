package codec

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/paytape/paytape/internal/slab"
)

// ErrDamaged is returned for a file that is not as it was written, or has another key.
var ErrDamaged = errors.New("the file is not as it was written")

// Coder writes values or reads them, one after the other. What is read after an error is zero.
type Coder struct {
	reads bool
	buf   []byte // what was written, or what is left to read
	texts *texts
	zones *zones
	slabs map[any]any // where slices lie that are read: a *slab.Of[T] for each type, by a nil *T
	err   error
}

// Reads reports whether values are read rather than written.
func (c *Coder) Reads() bool { return c.reads }

// Fail makes writing or reading end with an error. Nil is no error.
func (c *Coder) Fail(err error) {
	if c.err == nil && err != nil {
		c.err = err
		if c.reads {
			c.buf = nil
		}
	}
}

// integer is what Int takes.
type integer interface {
	~int | ~int64 | ~int32 | ~uint8 | ~uint16 | ~uint32
}

// Int codes a whole number. Small ones are short.
func Int[T integer](c *Coder, v *T) {
	if !c.reads {
		c.buf = binary.AppendVarint(c.buf, int64(*v))
		return
	}
	u := c.uvarint()
	n := int64(u>>1) ^ -int64(u&1)
	if *v = T(n); int64(*v) != n {
		c.Fail(ErrDamaged)
	}
}

// Word codes 64 bits of which each may be set.
func (c *Coder) Word(v *uint64) {
	if !c.reads {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, *v)
		return
	}
	const size = 8
	if len(c.buf) < size {
		c.Fail(ErrDamaged)
		return
	}
	*v, c.buf = binary.LittleEndian.Uint64(c.buf), c.buf[size:]
}

// Bools codes up to eight truth values.
func (c *Coder) Bools(vs ...*bool) {
	if !c.reads {
		var bits byte
		for i, v := range vs {
			if *v {
				bits |= 1 << i
			}
		}
		c.buf = append(c.buf, bits)
		return
	}
	if len(c.buf) == 0 || c.buf[0]>>len(vs) != 0 {
		c.Fail(ErrDamaged)
		return
	}
	for i, v := range vs {
		*v = c.buf[0]>>i&1 != 0
	}
	c.buf = c.buf[1:]
}

// Text codes a string. Equal ones are written once, and share their bytes after reading.
func Text[T ~string](c *Coder, v *T) {
	if !c.reads {
		c.count(int(c.texts.number(string(*v))))
		return
	}
	if n := c.uvarint(); n < uint64(len(c.texts.all)) {
		*v = T(c.texts.all[n])
	} else {
		c.Fail(ErrDamaged)
	}
}

// Slice codes a slice by its elements. Nil and empty ones differ.
func Slice[T any](c *Coder, v *[]T, element func(*Coder, *T)) {
	n, ok := c.length(len(*v), *v == nil)
	if !ok {
		return
	}
	if c.reads {
		*v = room[T](c, n)
	}
	for i := range *v {
		element(c, &(*v)[i])
	}
}

// room returns n zero values. Most slices are short, and there are millions of them.
func room[T any](c *Coder, n int) []T {
	if n == 0 {
		return []T{}
	}
	of := any((*T)(nil))
	s, known := c.slabs[of].(*slab.Of[T])
	if !known {
		if c.slabs == nil {
			c.slabs = map[any]any{}
		}
		s = &slab.Of[T]{}
		c.slabs[of] = s
	}
	return s.Make(n)
}

// Texts codes a slice of strings.
func Texts[T ~string](c *Coder, v *[]T) { Slice(c, v, Text[T]) }

// Map codes a map by its keys, in their order, and values. Nil and empty ones differ.
func Map[K cmp.Ordered, V any](c *Coder, v *map[K]V, key func(*Coder, *K), value func(*Coder, *V)) {
	MapFunc(c, v, cmp.Compare[K], key, value)
}

// MapFunc is Map for keys of which compare tells the order.
func MapFunc[K comparable, V any](c *Coder, v *map[K]V, compare func(a, b K) int,
	key func(*Coder, *K), value func(*Coder, *V),
) {
	n, ok := c.length(len(*v), *v == nil)
	if !ok {
		return
	}
	if !c.reads {
		for _, k := range slices.SortedFunc(maps.Keys(*v), compare) {
			one := (*v)[k]
			key(c, &k)
			value(c, &one)
		}
		return
	}
	*v = make(map[K]V, n)
	for range n {
		var k K
		var one V
		key(c, &k)
		value(c, &one)
		(*v)[k] = one
	}
	if len(*v) != n {
		c.Fail(ErrDamaged)
	}
}

// length codes how many elements something has; ok is false for something that is nil.
func (c *Coder) length(n int, none bool) (length int, ok bool) {
	if !c.reads {
		if none {
			c.count(0)
			return 0, false
		}
		c.count(n + 1)
		return n, true
	}
	u := c.uvarint()
	if u > uint64(len(c.buf))+1 { // no element takes less than a byte
		c.Fail(ErrDamaged)
		return 0, false
	}
	return int(u) - 1, u > 0
}

// count writes a number that is not negative.
func (c *Coder) count(n int) { c.buf = binary.AppendUvarint(c.buf, uint64(n)) }

func (c *Coder) uvarint() uint64 {
	if len(c.buf) > 0 && c.buf[0] < 0x80 { // most are short
		u := uint64(c.buf[0])
		c.buf = c.buf[1:]
		return u
	}
	u, n := binary.Uvarint(c.buf)
	if n <= 0 {
		c.Fail(ErrDamaged)
		return 0
	}
	c.buf = c.buf[n:]
	return u
}
