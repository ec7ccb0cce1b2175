package match

import (
	"iter"
	"slices"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/match/request"
)

// nameRef is a name of a live entity.
type nameRef struct {
	entity *entity
	at     int // among the values of the entity
}

func (r nameRef) bound() *bound { return &r.entity.values[r.at] }

// nameIndex finds live entities by what all ways of writing a name have in common. Nearly every name is
// that of one entity: the table of these holds no slices, which a flow would pay for with each of its
// names. The zero nameIndex is empty, and can be asked.
type nameIndex struct {
	latest  digests.Table[nameRef]
	earlier map[uint64][]nameRef // of names that several have, without the latest
}

// nameKey digests a name for a nameIndex.
func nameKey(text string) uint64 { return max(request.Folded(text), 1) }

// add notes a name, which is the latest from now on.
func (x *nameIndex) add(r nameRef) {
	key := nameKey(r.bound().text)
	if before, found := x.latest.Find(key); found {
		if x.earlier == nil {
			x.earlier = map[uint64][]nameRef{}
		}
		x.earlier[key] = append(x.earlier[key], before)
	}
	x.latest.Put(key, r)
}

// of yields the names that a text may write, the latest first.
func (x *nameIndex) of(text string) iter.Seq[nameRef] {
	return func(yield func(nameRef) bool) {
		key := nameKey(text)
		r, found := x.latest.Find(key)
		if !found || !yield(r) {
			return
		}
		for _, r := range slices.Backward(x.earlier[key]) {
			if !yield(r) {
				return
			}
		}
	}
}

// remove takes out what an entity has in common with a text.
func (x *nameIndex) remove(e *entity, text string) {
	key := nameKey(text)
	left := slices.DeleteFunc(x.earlier[key], func(r nameRef) bool { return r.entity == e })
	if r, found := x.latest.Find(key); found && r.entity == e {
		if last := len(left) - 1; last < 0 {
			x.latest.Remove(key)
		} else {
			x.latest.Put(key, left[last])
			left = left[:last]
		}
	}
	if len(left) > 0 {
		x.earlier[key] = left
	} else {
		delete(x.earlier, key)
	}
}
