package match

import (
	"iter"
	"slices"

	"github.com/paytape/paytape/match/request"
)

// nameRef is a name of a live entity.
type nameRef struct {
	entity *entity
	at     int // among the values of the entity
}

func (r nameRef) bound() *bound { return &r.entity.values[r.at] }

// nameIndex finds live entities by what all ways of writing a name have in common. Nearly every name is
// that of one entity: the map of these holds no slices, which a flow would pay for with each of its
// names. The zero nameIndex is empty, and can be asked.
type nameIndex struct {
	latest  map[uint64]nameRef
	earlier map[uint64][]nameRef // of names that several have, without the latest
}

// add notes a name, which is the latest from now on.
func (x *nameIndex) add(r nameRef) {
	if x.latest == nil {
		x.latest, x.earlier = map[uint64]nameRef{}, map[uint64][]nameRef{}
	}
	key := request.Folded(r.bound().text)
	if before, found := x.latest[key]; found {
		x.earlier[key] = append(x.earlier[key], before)
	}
	x.latest[key] = r
}

// of yields the names that a text may write, the latest first.
func (x *nameIndex) of(text string) iter.Seq[nameRef] {
	return func(yield func(nameRef) bool) {
		key := request.Folded(text)
		r, found := x.latest[key]
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
	key := request.Folded(text)
	left := slices.DeleteFunc(x.earlier[key], func(r nameRef) bool { return r.entity == e })
	if r, found := x.latest[key]; found && r.entity == e {
		if len(left) == 0 {
			delete(x.latest, key)
		} else {
			x.latest[key], left = left[len(left)-1], left[:len(left)-1]
		}
	}
	if len(left) == 0 {
		delete(x.earlier, key)
	} else {
		x.earlier[key] = left
	}
}
