package profile

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// List tells where the answer of an operation lists members of a scope, of a family or of the
// whole session.
type List struct {
	// Items are the shapes that the array of items may have in the answer: "bindings",
	// "transactions.transaction". Several where documents disagree; an answer has one of them.
	Items []string
	Noun  string // that names the entity of an item
	// Of is the entity, by Name, whose members they are; "": all of this login. If the request
	// names scopes besides, they are members of those too: sales of a merchant at one terminal.
	Of string
	// Total, Page and Size are fields of the answer or the request: how many members there are
	// in all, the number of the page, and how many items a page has. "": there is none.
	Total, Page, Size string
	// From and To are the fields of the request that bound a period; "": there is none. Date is
	// the field of an item that the period is about: when the member was born.
	From, To, Date string
	// Backwards is "refused" if the API refuses a period that ends before it begins. "": such a
	// period has no members.
	Backwards string
	// Filters are fields of the request that choose among the members by state or kind. What
	// they choose shows in recorded lists.
	Filters []string
	Order   Order // "": as the lists on tape have it
	// Empty is what stands in place of the array if no member is left, as JSON. "": the
	// documents do not say.
	Empty string
}

// Order is how the items of a list follow one another.
type Order string

// The orders of items. Both are by the birth of the members, which is not the time at which
// somebody has changed them.
const (
	OldestFirst Order = "birth"
	LatestFirst Order = "latest"
)

// Refused is what a list says of periods that its API refuses.
const Refused = "refused"

func (r *reader) listInto(o *Operation) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		l := &List{}
		o.List = l
		return p.members(n, []member{
			{"items", true, textsInto(&l.Items, "shapes")},
			{"noun", true, func(p place, n *yaml.Node) error {
				r.later(p, n, "a noun that names an entity", func() []string {
					return slices.Collect(maps.Keys(r.profile.nouns))
				})
				return wordInto(&l.Noun)(p, n)
			}},
			{"of", false, func(p place, n *yaml.Node) error {
				r.later(p, n, "the name of an entity", r.entityNames)
				return wordInto(&l.Of)(p, n)
			}},
			{"total", false, r.fieldInto(&l.Total, o, Response)},
			{"page", false, r.fieldInto(&l.Page, o, Request)},
			{"size", false, r.fieldInto(&l.Size, o, Request)},
			{"from", false, r.fieldInto(&l.From, o, Request)},
			{"to", false, r.fieldInto(&l.To, o, Request)},
			{"date", false, r.fieldInto(&l.Date, o, Response)},
			{"backwards", false, func(p place, n *yaml.Node) error {
				l.Backwards = text(n)
				if l.Backwards != Refused || l.From == "" || l.To == "" {
					return p.expected(n, `"refused", behind from and to`)
				}
				return nil
			}},
			{"filters", false, r.fieldsInto(&l.Filters, o)},
			{"order", false, func(p place, n *yaml.Node) error {
				l.Order = Order(text(n))
				if l.Order != OldestFirst && l.Order != LatestFirst {
					return p.expected(n, "birth or latest")
				}
				return nil
			}},
			{"empty", false, textInto(&l.Empty)},
		})
	}
}

// fieldInto reads the key of a field, which must have a row: a key that is spelled otherwise
// than its row is a mistake.
func (r *reader) fieldInto(key *string, o *Operation, dir Direction) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		r.hasRow(p, n, o, dir)
		return textInto(key)(p, n)
	}
}

func (r *reader) fieldsInto(keys *[]string, o *Operation) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		for _, item := range listed(n) {
			r.hasRow(p, item, o, Request)
		}
		return textsInto(keys, "fields")(p, n)
	}
}

// hasRow asks, when all has been read, for a row of the operation or its profile.
func (r *reader) hasRow(p place, n *yaml.Node, o *Operation, dir Direction) {
	r.haveRow(p, n, func() []*Operation { return []*Operation{o} }, dir)
}

// haveRow asks, when all has been read, for a row of one of some operations or of the profile.
func (r *reader) haveRow(p place, n *yaml.Node, of func() []*Operation, dir Direction) {
	r.checks = append(r.checks, func() error {
		shape := fold(nil, text(n))
		key := shape[strings.LastIndexAny(string(shape), ".>")+1:]
		halves := []*fields{r.profile.half(dir)}
		for _, o := range of() {
			halves = append(halves, o.half(dir))
		}
		var keys []string
		for _, half := range halves {
			if _, known := half.find(shape, key); known {
				return nil
			}
			for key := range half.rows {
				keys = append(keys, r.spelling[key])
			}
		}
		return p.noneOf(n, "a field that has a row", keys)
	})
}
