package tape

import (
	"iter"
	"maps"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// A payment with a frequency brings a recurrent binding, and one without an ordinary one: the request tells
// fields of the key of what it brings before any list shows them. A profile says which (profile.Told).

// tell notes what the request tells of an entity that it brings.
func (c *compiler) tell(e *Entity, w *Recording) {
	if facts := c.toldBy(e.Type, w); facts != nil {
		e.need(c.tape.slabs).facts = facts
	}
}

// toldBy returns what a write tells of the fields of the key of an entity that it brings. Nil: nothing.
// Whoever is told the same has the same map, which nobody changes.
func (c *compiler) toldBy(t *profile.Entity, w *Recording) map[string]string {
	if t == nil || len(t.Told) == 0 {
		return nil
	}
	facts := map[string]string{}
	for field, all := range t.Told {
		if value := toldOf(all, w); value != "" {
			facts[field] = value
		}
	}
	for _, known := range c.told {
		if maps.Equal(known, facts) {
			return known
		}
	}
	c.told = append(c.told, facts)
	return facts
}

// toldOf returns what a write tells of a field: by its own request, or by the latest before it about
// what it names, such as the registration of the order that is paid. It returns "" for nothing.
func toldOf(all []profile.Told, w *Recording) string {
	if value := saidBy(all, w); value != "" {
		return value
	}
	value, place := "", 0
	for r := range before(w) {
		if said := saidBy(all, r); said != "" && r.Place > place {
			value, place = said, r.Place
		}
	}
	otherwise := slices.IndexFunc(all, func(t profile.Told) bool { return t.By == nil })
	if value == "" && otherwise >= 0 {
		return all[otherwise].Value
	}
	return value
}

// before yields the writes that have moved what a write names before it did.
func before(w *Recording) iter.Seq[*Recording] {
	return func(yield func(*Recording) bool) {
		for _, e := range w.Roles {
			if e.Scope {
				continue // what was done to other members is in it, too
			}
			for _, r := range e.events {
				if r.Place < w.Place && !yield(r) {
					return
				}
			}
		}
	}
}

// saidBy returns what a request says itself; "" for nothing.
func saidBy(all []profile.Told, r *Recording) string {
	for _, t := range all {
		for _, p := range r.Request.All() {
			if t.By.Has(p.Path, p.Text) {
				return t.Value
			}
		}
	}
	return ""
}

// inObject is where the fields of one object stand: the path of an object of an array, "" outside of
// arrays, and the part of the message.
type inObject struct {
	group string
	place leaf.Place
}

// showsOther reports whether the object around a leaf shows in a field of the key of an entity something
// else than a write tells of what it brings.
func (a *answerReader) showsOther(l *leaf.Leaf, t *profile.Entity, w *Recording) bool {
	if len(t.Told) == 0 {
		return false
	}
	shown := a.keyFields(t)[inObject{groupOf(l.Path), l.Place}]
	if len(shown) == 0 {
		return false
	}
	facts := a.toldBy(t, w)
	return slices.ContainsFunc(shown, func(o *leaf.Leaf) bool {
		value, tells := facts[o.Key]
		return tells && value != o.Value
	})
}

// keyFields returns the fields of which requests tell, by the objects that show them.
func (a *answerReader) keyFields(t *profile.Entity) map[inObject][]*leaf.Leaf {
	if fields, known := a.keys[t]; known {
		return fields
	}
	fields := map[inObject][]*leaf.Leaf{}
	for i := range a.m.Leaves {
		l := &a.m.Leaves[i]
		if _, tells := t.Told[l.Key]; tells {
			at := inObject{groupOf(l.Path), l.Place}
			fields[at] = append(fields[at], l)
		}
	}
	if a.keys == nil {
		a.keys = map[*profile.Entity]map[inObject][]*leaf.Leaf{}
	}
	a.keys[t] = fields
	return fields
}
