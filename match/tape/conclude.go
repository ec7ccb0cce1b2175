package tape

import (
	"slices"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// conclude notes what an exchange has done: the values of its request stay with the entities that
// it moves and bears, and these entities are linked.
func (c *compiler) conclude(rec *Recording) {
	if !rec.Failed && !rec.Denied && !rec.Lost {
		for _, e := range rec.Roles {
			e.called(rec)
		}
	}
	if rec.Reads || rec.Failed || rec.Denied {
		if rec.Failed && !rec.Reads && len(rec.Births) > 0 {
			c.nameBirths(rec) // a payment that was declined is there all the same
		}
		for _, e := range rec.Births {
			c.relate(e, rec)
			if len(e.events) == 0 {
				e.events = append(e.events, rec)
			}
		}
		return
	}
	c.nameBirths(rec)
	for _, e := range rec.Births {
		c.relate(e, rec)
	}
	moved := slices.Concat(rec.Roles, rec.Births)
	var linked []*Entity // without scopes, each once
	for _, e := range moved {
		if !e.Scope && !slices.Contains(linked, e) {
			linked = append(linked, e)
		}
	}
	for _, e := range moved {
		c.attach(rec, e)
		e.events = append(e.events, rec)
		if !e.Scope {
			e.linkAll(linked, rec, c.tape.slabs)
		}
	}
	if o := rec.call.Operation; o != nil {
		c.brings[o.Name] = append(c.brings[o.Name], rec)
	}
}

// nameBirths gives the entities that an exchange bears the names that the client has chosen for
// them. A request to an API that no profile knows may choose a name of which the answer shows
// nothing. Then an entity with this name is born all the same.
func (c *compiler) nameBirths(rec *Recording) {
	for _, p := range rec.Request.All() {
		if !p.Unborn || rec.Lost {
			continue
		}
		noun, kind := p.Field.Of, c.tape.words.kind(rec.call.Profile, p.Field.Of)
		if noun == "" {
			noun = c.tape.words.word("sent " + request.LastName(p.Path))
		}
		at := slices.IndexFunc(rec.Births, func(e *Entity) bool { return kind == "" || e.Kind == kind })
		if at < 0 {
			if kind == "" {
				kind = rec.Op
			}
			e := c.entity(kind, rec.call.Profile.Entity(p.Field.Of))
			e.Born = rec
			rec.Births = c.tape.slabs.relatives.Append(rec.Births, e)
			at, rec.Shown = len(rec.Births)-1, int32(len(rec.Births))
		}
		v := c.tape.slabs.values.Put(value{
			text: p.Text, noun: p.Field.Of, isName: true, born: rec, secret: p.Field.Secret,
		})
		rec.Births[at].addValue(v, noun)
		c.values.add(v)
		c.tape.want(v.slot)
		rec.Namings = c.tape.slabs.namings.Append(rec.Namings, Naming{Path: p.Path, Noun: noun, Birth: at})
	}
}

// attach gives an entity the values of a request.
func (c *compiler) attach(rec *Recording, e *Entity) {
	for _, p := range rec.Request.All() {
		name, ok := attribute(p)
		if !ok {
			continue
		}
		v := c.tape.slabs.values.Put(value{
			text: request.Canonical(p.Field, p.Text), noun: p.Field.Of, secret: p.Field.Secret,
			born: rec, form: p.Field.Form,
		})
		e.addValue(v, name)
		if !slices.ContainsFunc(rec.Attributes, func(a Attribute) bool { return a.Path == p.Path }) {
			rec.Attributes = c.tape.slabs.attributes.Append(rec.Attributes, Attribute{Path: p.Path, Name: name})
		}
	}
}

// attribute returns the name of the slot in which the value of a parameter is kept, if the client
// chose it and it names nothing.
func attribute(p *Asked) (name string, ok bool) {
	if p.Text == "" || len(p.Names) > 0 || p.Unborn || p.Tied {
		return "", false
	}
	switch p.Field.From {
	case profile.Shared, profile.Unique, profile.Date:
	default:
		if !p.Free {
			return "", false
		}
	}
	if p.Field.Secret != profile.NotSecret && p.Field.Secret != profile.PAN &&
		!p.Field.Secret.Personal() {
		return "", false
	}
	if p.Field.Of != "" {
		return p.Field.Of, true
	}
	return request.LastName(p.Path), true
}
