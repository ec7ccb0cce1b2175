package profile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Variants tell some calls from others by what their requests say: by the key of a field, or its shape,
// in lower case, the values that count. No values: the field is there, whatever its value. One field
// is enough.
type Variants map[string][]string

// Has reports whether a field of a request, by its shape, says that the call is such a variant. An empty
// text says nothing.
func (v Variants) Has(shape, text string) bool {
	if len(v) == 0 || text == "" {
		return false
	}
	values, counts := v[strings.ToLower(shape[LastBreak(shape)+1:])]
	if !counts {
		values, counts = v[strings.ToLower(shape)]
	}
	return counts && (len(values) == 0 || slices.Contains(values, text))
}

// Told is what a request tells of a field of the thing that it brings, before any answer shows it.
type Told struct {
	// Value is what the field has.
	Value string
	// By are the requests that tell so. Nil: all that tell nothing else.
	By Variants
}

// present stands in the place of the values of a field that counts whenever it is there.
const present = "present"

// variantsInto reads variants: by field, the values, or that it is there. Each field must have a row in
// one of some operations.
func (r *reader) variantsInto(out *Variants, of func() []*Operation) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "values by field")
		*out = Variants{}
		for _, e := range pairs {
			key := string(fold(nil, e.key))
			if _, again := (*out)[key]; again {
				return p.expected(e.at, "each field once")
			}
			var values []string
			if text(e.value) != present {
				if err := textsInto(&values, "values")(p.named("field", e.key), e.value); err != nil {
					return err
				}
			}
			(*out)[key] = values
			r.haveRow(p, e.at, of, Request)
		}
		return err
	}
}

// toldInto reads what requests tell of fields of the key of an entity, which come before.
func (r *reader) toldInto(e *Entity) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "what requests tell by the fields of the key")
		if err != nil {
			return err
		}
		e.Told = map[string][]Told{}
		for _, pair := range pairs {
			if !slices.Contains(e.Key, pair.key) {
				return p.expected(pair.at, "a field of the key")
			}
			if e.Told[pair.key], err = r.told(p.in(pair.key), pair.value); err != nil {
				return err
			}
		}
		return nil
	}
}

// told reads what requests tell of one field.
func (r *reader) told(p place, n *yaml.Node) ([]Told, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, p.expected(n, "a list of what requests tell")
	}
	list := make([]Told, len(n.Content))
	for i, item := range n.Content {
		err := p.members(item, []member{
			{"value", true, textInto(&list[i].Value)},
			{"by", false, r.variantsInto(&list[i].By, r.profile.described)},
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}
