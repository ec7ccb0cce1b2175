package profile

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Entity is a kind of thing that an API keeps: an order, a card, the client of a shop. What is
// asked and answered about it depends on what was done to it.
type Entity struct {
	Name string
	// Names are the nouns by which requests and answers name it. An order has its id, the shop's
	// number and the id of its 3-D Secure transaction.
	Names []string
	// Of are the entities, by Name, whose part or member it is: a card is part of an account, an
	// order is a member of a client. Usually one; nil for none.
	Of []string
	// Brought are the operations that bring it without showing it: a payment makes a binding,
	// whose id only a list shows.
	Brought []string
	// Key are nouns, or keys of fields of the item that shows it or of the request that brought
	// it: two births in one scope or family that agree in all of them are one entity. Nil: every
	// birth is another entity.
	Key []string
	// Several are the values of a field of the key with which there may be several after all, however
	// much they agree: a card may have several instalment bindings. Which of them is meant, the
	// key does not say.
	Several map[string][]string
	// Told is what requests tell of fields of the key, before a list shows them: a payment with a frequency
	// makes a recurrent binding. Of what is told of one field the first counts.
	Told map[string][]Told
	// State is the key of the field by which answers of several operations tell the state of the entity,
	// in letters of any case; "" where nothing does.
	State string
	// Scope marks what has members and no parts: a clientId, a merchant. Its members do not
	// change with one another.
	Scope bool

	above []string // the entities in Of and those that these are of, each once
}

// Within reports whether an entity is a part or member of another, or of one that is: a card is
// within its account, and within the customer of the account.
func (e *Entity) Within(other *Entity) bool { return slices.Contains(e.above, other.Name) }

// Entity returns the entity that a noun names. Nil: the noun is of a value only.
func (p *Profile) Entity(noun string) *Entity {
	if p == nil {
		return nil
	}
	return p.nouns[noun]
}

// entity returns the entity of a name, or nil.
func (p *Profile) entity(name string) *Entity {
	i := slices.IndexFunc(p.Entities, func(e *Entity) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return p.Entities[i]
}

func (r *reader) entities(p place, n *yaml.Node) error {
	p.path = "" // `entity "x"` says enough
	pairs, err := p.mapping(n, "entities by name")
	if err != nil {
		return err
	}
	r.profile.Entities = []*Entity{} // none is not unsaid
	var wrong mistakes
	for _, e := range pairs {
		if !isWord(e.key) {
			wrong.add(p.expected(e.at, "an entity's name of small letters, digits and dashes"))
			continue
		}
		wrong.add(r.entity(p.named("entity", e.key), e))
	}
	if len(wrong) == 0 {
		wrong.add(r.wholes(p, pairs))
	}
	return wrong.err()
}

func (r *reader) entity(p place, pair pair) error {
	e := &Entity{Name: pair.key}
	err := p.members(pair.value, []member{
		{"names", true, r.nounsInto(e)},
		{"of", false, r.entitiesInto(&e.Of)},
		{"brought", false, r.broughtInto(&e.Brought)},
		{"key", false, textsInto(&e.Key, "nouns or fields")},
		{"several", false, severalInto(e)},
		{"told", false, r.toldInto(e)},
		{"state", false, textInto(&e.State)},
		{"scope", false, boolInto(&e.Scope)},
	})
	r.profile.Entities = append(r.profile.Entities, e)
	return err
}

// severalInto reads values of fields of the key, which come before.
func severalInto(e *Entity) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "values by the fields of the key")
		e.Several = map[string][]string{}
		for _, pair := range pairs {
			var values []string
			if !slices.Contains(e.Key, pair.key) {
				return p.expected(pair.at, "a field of the key")
			}
			if err := textsInto(&values, "values")(p, pair.value); err != nil {
				return err
			}
			e.Several[pair.key] = values
		}
		return err
	}
}

// OneOfSeveral reports whether there may be several entities with these facts in their key.
func (e *Entity) OneOfSeveral(facts map[string]string) bool {
	if e == nil {
		return false
	}
	for field, values := range e.Several {
		if slices.Contains(values, facts[field]) {
			return true
		}
	}
	return false
}

// nounsInto reads the nouns of an entity, which rows must have and no other entity.
func (r *reader) nounsInto(e *Entity) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		items, err := p.items(n, "nouns")
		if err == nil && len(items) == 0 {
			err = p.fail(n, errors.New("expected a list of nouns, found an empty one"))
		}
		for _, item := range items {
			noun := text(item)
			if other := r.profile.nouns[noun]; other != nil {
				return p.fail(item, fmt.Errorf("expected a noun of one entity, found %q of %q too",
					shorten(noun), other.Name))
			}
			if r.profile.nouns == nil {
				r.profile.nouns = map[string]*Entity{}
			}
			r.profile.nouns[noun] = e
			e.Names = append(e.Names, noun)
			r.later(p, item, "a noun that some row has", r.nouns)
		}
		return err
	}
}

// entitiesInto reads names of entities: a list, or one.
func (r *reader) entitiesInto(names *[]string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if err := textsInto(names, "entities")(p, n); err != nil {
			return err
		}
		for _, item := range listed(n) {
			r.later(p, item, "the name of an entity", r.entityNames)
		}
		return nil
	}
}

// broughtInto reads names of operations, which come further down in the file.
func (r *reader) broughtInto(names *[]string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if err := textsInto(names, "operations")(p, n); err != nil {
			return err
		}
		for _, item := range listed(n) {
			r.later(p, item, "the name of an operation that writes", r.operationNames(true))
		}
		return nil
	}
}

// wholes looks for entities that are of themselves.
func (r *reader) wholes(p place, pairs []pair) error {
	for i, e := range r.profile.Entities {
		e.above = r.above(e, nil)
		if slices.Contains(e.above, e.Name) {
			return p.named("entity", e.Name).in("of").fail(pairs[i].at,
				errors.New("expected another entity, found the entity itself further up"))
		}
	}
	return nil
}

// above appends the names of the wholes and scopes of an entity, and theirs, each once.
func (r *reader) above(e *Entity, names []string) []string {
	for _, of := range e.Of {
		if slices.Contains(names, of) {
			continue
		}
		names = append(names, of)
		if whole := r.profile.entity(of); whole != nil {
			names = r.above(whole, names)
		}
	}
	return names
}

// entityNames are the names of the entities.
func (r *reader) entityNames() []string {
	var names []string
	for _, e := range r.profile.Entities {
		names = append(names, e.Name)
	}
	return names
}
