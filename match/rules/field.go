package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/similar"
)

// shortestTypo is the length of the shortest name that is an error if it is like a known name:
// shorter names are alike without being meant, as ip and zip, or name and none.
const shortestTypo = 5

// field notes a field that no document of the APIs knows which the rule is about: an error if a
// field has nearly that name, which was meant, and else a warning, because APIs have fields that no
// document has. Such a field may be like a known one by chance, as 110 of the 472 names of our
// profiles are like another: a row under "rewrite" makes its name known. Calls by path, and those
// of APIs that no profile knows, have any fields.
func (r *reader) field(n *yaml.Node, p place) {
	if p.in != aField || p.key == "" || r.ops == nil {
		return
	}
	apis, any := r.apis()
	if len(apis) == 0 {
		return
	}
	name := lastOf(p.key)
	known := map[string]bool{}
	for _, api := range apis {
		for folded, spelled := range api.Names() {
			if folded == name || folded == p.key {
				return
			}
			known[spelled] = true
		}
	}
	if r.rewritten[name] || r.rewritten[p.key] {
		return
	}
	spelled := lastOf(dotted(p.text))
	near := similar.Most(spelled, known)
	switch {
	case near != "" && (any || len(name) < shortestTypo):
		r.warn(n, "no document has a field %s: did you mean %q?", quote(spelled), near)
	case near != "":
		r.wrong(n, "unknown field %s: did you mean %q? A row under rewrite makes a name known",
			quote(spelled), near)
	case !any:
		r.warn(n, "no document has a field %s of these operations", quote(spelled))
	}
}

// apis returns the profiles of the calls that the rule is about which is read, and whether it is
// about those of all APIs. It returns none if some of the calls are meant by their path.
func (r *reader) apis() (apis []*profile.Profile, any bool) {
	if r.callbacks {
		for _, c := range r.callbackCalls() {
			apis = append(apis, c.Profile)
		}
		return apis, slices.ContainsFunc(r.ops, func(p opPattern) bool { return p.profile == "" })
	}
	for i := range r.ops {
		if r.ops[i].path != "" {
			return nil, false
		}
		any = any || r.ops[i].anything()
	}
	for _, p := range r.set.Profiles() {
		for _, o := range p.Operations {
			if meansOperation(r.ops, o) {
				apis = append(apis, p)
				break
			}
		}
	}
	return apis, any
}
