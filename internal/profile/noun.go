package profile

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// A noun is bound where a value of it comes from: the API mints one, or a client brings one. What
// follows a noun that is never bound, such as a mask of "crd", would follow nothing for ever.

// binds reports whether a row brings values of its noun.
func (f Field) binds() bool {
	return f.Of != "" && (f.From == Minted || f.From == Unique || f.From == Shared)
}

// note takes down the noun of a row: whether the row binds it, or needs that some row does.
func (r *reader) note(p place, n *yaml.Node, f Field) {
	if f.binds() {
		if r.bound == nil {
			r.bound = map[string]bool{}
		}
		r.bound[f.Of] = true
		return
	}
	if f.From != Rendering {
		return
	}
	r.checks = append(r.checks, func() error {
		if r.bound[f.Of] || r.profile.Name != httpName && slices.Contains(boundByHTTP, f.Of) {
			return nil
		}
		complaint := fmt.Errorf("expected a noun that some row mints or a client brings, found %q", f.Of)
		known := slices.AppendSeq(slices.Clone(boundByHTTP), maps.Keys(r.bound))
		return p.fail(n, suggest(complaint, f.Of, known))
	})
}

// boundByHTTP are the nouns that the rows for all APIs bind (http.yaml).
var boundByHTTP = []string{
	"acs-transaction", "card", "correlation-id", "credential", "ds-transaction", "request-id",
	"tds-transaction",
}

// nouns are those that the rows have.
func (r *reader) nouns() []string {
	have := map[string]bool{}
	note := func(f *fields) {
		for _, rows := range []map[string]Field{f.rows, f.headers} {
			for _, row := range rows {
				if row.Of != "" {
					have[row.Of] = true
				}
			}
		}
	}
	note(&r.profile.request)
	note(&r.profile.response)
	for _, o := range r.profile.described() {
		note(&o.request)
		note(&o.response)
	}
	return slices.Sorted(maps.Keys(have))
}
