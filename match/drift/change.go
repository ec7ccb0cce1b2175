package drift

import (
	"cmp"
	"slices"
)

// Change is one difference that several exchanges of an operation have: a field that a sandbox has added
// is in each of its answers.
type Change struct {
	Operation string `json:"operation"`
	// Finding is that of the first exchange. Its path has no indexes.
	Finding
	Exchanges int `json:"exchanges"` // that have it
	First     int `json:"first"`     // the number of the first one, on the old tape if it is there
}

// Changes collects findings. The zero Changes has none.
type Changes struct {
	by map[changeKey]*Change
}

type changeKey struct {
	operation, side, path string
	grade                 Grade
}

// Add adds the findings of an exchange.
func (c *Changes) Add(operation string, number int, findings []Finding) {
	if c.by == nil {
		c.by = map[changeKey]*Change{}
	}
	seen := map[changeKey]bool{}
	for _, f := range findings {
		f.Path = withoutIndexes(f.Path)
		key := changeKey{operation, f.Side, f.Path, f.Grade}
		switch {
		case seen[key]: // of another item
		case c.by[key] == nil:
			c.by[key] = &Change{operation, f, 1, number}
		default:
			c.by[key].Exchanges++
		}
		seen[key] = true
	}
}

// List returns the changes in the order of the exchanges that have them first.
func (c *Changes) List() []Change {
	all := []Change{}
	for _, change := range c.by {
		all = append(all, *change)
	}
	slices.SortFunc(all, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Side, b.Side),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Grade, b.Grade))
	})
	return all
}
