package match

import "slices"

// values are the live values of the variables of one reading, in the order in which they were
// bound. A thread has a dozen, for which a list is smaller and faster than a map; more than
// maxListed get an index. The zero values are none.
type values struct {
	list   []binding
	places map[*variable]int      // in the list; nil while that is short
	named  map[string][]*variable // by value; nil until something asked for it
}

// maxListed is how many values are looked through one by one.
const maxListed = 16

// get returns the value of a variable, if it has one.
func (vs *values) get(v *variable) (string, bool) {
	if vs == nil {
		return "", false
	}
	if i := vs.place(v); i >= 0 {
		return vs.list[i].value, true
	}
	return "", false
}

func (vs *values) place(v *variable) int {
	if vs.places != nil {
		if i, ok := vs.places[v]; ok {
			return i
		}
		return -1
	}
	for i := range vs.list {
		if vs.list[i].v == v {
			return i
		}
	}
	return -1
}

// set gives a variable a value in place of the one it had.
func (vs *values) set(v *variable, value string) {
	i := vs.place(v)
	switch {
	case i >= 0 && vs.list[i].value == value:
		return
	case i >= 0:
		vs.unname(vs.list[i])
		vs.list[i].value = value
	default:
		vs.list = append(vs.list, binding{v, value})
		vs.enter(len(vs.list) - 1)
	}
	if vs.named != nil {
		vs.named[value] = append(vs.named[value], v)
	}
}

// enter notes the place of a new value.
func (vs *values) enter(at int) {
	switch {
	case vs.places != nil:
		vs.places[vs.list[at].v] = at
	case len(vs.list) > maxListed:
		vs.places = make(map[*variable]int, 2*len(vs.list))
		for i := range vs.list {
			vs.places[vs.list[i].v] = i
		}
	}
}

// having returns the variables that have a value.
func (vs *values) having(value string) []*variable {
	if vs.named == nil {
		vs.named = make(map[string][]*variable, len(vs.list))
		for _, b := range vs.list {
			vs.named[b.value] = append(vs.named[b.value], b.v)
		}
	}
	return vs.named[value]
}

func (vs *values) unname(b binding) {
	if vs.named != nil {
		vs.named[b.value] = slices.DeleteFunc(vs.named[b.value], func(v *variable) bool {
			return v == b.v
		})
	}
}

// clone returns a copy that shares nothing that changes.
func (vs *values) clone() values {
	var out values
	out.addAll(vs)
	return out
}

// addAll sets all values of others.
func (vs *values) addAll(others *values) {
	vs.list = slices.Grow(vs.list, len(others.list))
	for _, b := range others.list {
		vs.set(b.v, b.value)
	}
}
