package tape

import (
	"iter"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// Slot names a value of an entity: the N-th, from 0, of a noun or field.
type Slot struct {
	Name string
	N    int
}

// value is a value on tape and the entity that has it.
type value struct {
	text   string // as at its birth; the digits alone for a card
	slot   Slot
	noun   string // of the profile; empty where none
	entity *Entity
	secret profile.Sensitivity
	isName bool // requests find the entity by it
	minted bool // made by the sandbox; else by the client
	byRead bool // a read brought it
	// inferred says that no row tells what it is where it was born. It may have the noun of a request
	// all the same; it is found as a value without a noun would be.
	inferred bool
	form     profile.Form
	born     *Recording
}

// valueIndexes are the indexes of the values of an entity that has many.
type valueIndexes struct {
	count map[string]int // values by name
	// given has for each noun the N, in their slots, of those of its names that writes gave the entity. They
	// ascend.
	given   map[string][]int
	people  []*value // names of people that the client has sent
	texts   index    // the values at the front by what they may be written as,
	indexed int      // and how many these are
	// sent are the values that the client has sent, by text: the latest of each name and noun.
	sent map[string][]*value
}

// noIndexes are those of every entity that has few values. Nobody writes to them.
var noIndexes valueIndexes

// has returns the last value of a name, or nil.
func (e *Entity) has(name string) *value {
	if e.count != nil && e.count[name] == 0 {
		return nil
	}
	for i := len(e.values) - 1; i >= 0; i-- {
		if e.values[i].slot.Name == name {
			return e.values[i]
		}
	}
	return nil
}

// addValue gives the entity another value of a name.
func (e *Entity) addValue(v *value, name string) {
	n := e.count[name]
	if e.count == nil {
		if last := e.has(name); last != nil {
			n = last.slot.N + 1
		}
	}
	v.entity, v.slot = e, Slot{name, n}
	e.values = append(e.values, v)
	if !v.minted && strings.Contains(v.text, "://") {
		e.enterAddress(v)
	}
	switch {
	case e.count != nil:
		e.enter(v)
	case len(e.values) == fewValues:
		e.valueIndexes = &valueIndexes{
			count: map[string]int{}, given: map[string][]int{}, sent: map[string][]*value{},
		}
		for _, o := range e.values {
			e.enter(o)
		}
	}
}

// fewValues is from how many values on those of an entity are found by an index: a client may have
// the values of all orders.
const fewValues = 16

// enter adds a value to the indexes of the entity.
func (e *Entity) enter(v *value) {
	e.count[v.slot.Name] = v.slot.N + 1
	if v.isName && !v.byRead {
		e.given[v.slot.Name] = append(e.given[v.slot.Name], v.slot.N)
	}
	if v.minted {
		return
	}
	if v.secret == profile.Name {
		e.people = append(e.people, v)
	}
	like := func(o *value) bool { return o.slot.Name == v.slot.Name && o.noun == v.noun }
	e.sent[v.text] = append(slices.DeleteFunc(e.sent[v.text], like), v)
}

func (e *Entity) enterAddress(v *value) {
	base, _, _ := strings.Cut(v.text, "#")
	if o := e.addresses[base]; o != nil && len(o.text) >= len(v.text) {
		return
	}
	if e.addresses == nil {
		e.addresses = map[string]*value{}
	}
	e.addresses[base] = v
}

// sentAs yields the values with a text that the client has sent, the latest first. Of those that
// have one name and noun it may yield the latest alone.
func (e *Entity) sentAs(text string) iter.Seq[*value] {
	return func(yield func(*value) bool) {
		values := e.values
		if e.sent != nil {
			values = e.sent[text]
		}
		for _, v := range slices.Backward(values) {
			if !v.minted && v.text == text && !yield(v) {
				return
			}
		}
	}
}

// alike yields the values that may be written as a text, the latest first, and perhaps others or some again.
// First come the latest of all, which nearly always are enough, and then no more than maxNamesakes, of which
// some may be these again.
func (e *Entity) alike(text string) iter.Seq[*value] {
	return func(yield func(*value) bool) {
		latest := max(0, len(e.values)-fewValues)
		for _, v := range slices.Backward(e.values[latest:]) {
			if !yield(v) {
				return
			}
		}
		if latest == 0 {
			return
		}
		for _, v := range e.values[e.indexed:] {
			e.texts.add(v)
		}
		e.indexed = len(e.values)
		for v := range e.texts.all(text) {
			if !yield(v) {
				return
			}
		}
	}
}

// namesOfPeople returns the names of people that the client has sent, in their order, and perhaps other values.
func (e *Entity) namesOfPeople() []*value {
	if e.count != nil {
		return e.people
	}
	return e.values
}

// behind counts the names of one noun that writes gave the entity after a value: 0 is the latest.
func (e *Entity) behind(v *value) int {
	if e.count != nil {
		given := e.given[v.slot.Name]
		after, _ := slices.BinarySearch(given, v.slot.N+1)
		return len(given) - after
	}
	n := 0
	for _, o := range e.values {
		if o.isName && !o.byRead && o.slot.Name == v.slot.Name && o.slot.N > v.slot.N {
			n++
		}
	}
	return n
}
