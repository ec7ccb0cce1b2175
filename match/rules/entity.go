package rules

import (
	"hash/maphash"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// entity is what requests name: an order, a card. Its names are known by digests alone.
type entity struct {
	history
	number   uint64    // from 1, among those of its session, and the session
	declined *declined // nil: no rule has declined it
}

// declined is that a rule has declined the payment of an entity, of which the tape has no branch.
type declined struct {
	rule *Rule
	code string
}

// history is which calls were made.
type history []call

// call is a call that was made, as patterns of operations look at it.
type call struct {
	op *profile.Operation // nil for a call that no profile knows
	// method and path are those of the request; of an operation the path is its pattern.
	method, path string
}

// longestHistory bounds the calls of one history; of equal ones it has one.
const longestHistory = 64

// note adds a call.
func (h *history) note(c call) {
	if len(*h) < longestHistory && !slices.Contains(*h, c) {
		*h = append(*h, c)
	}
}

// has reports whether one of several patterns means a call of the history.
func (h history) has(ps []opPattern) bool {
	return slices.ContainsFunc(h, func(c call) bool { return meansAny(ps, c.op, c.method, c.path) })
}

// callOf returns what a history notes of a request.
func callOf(r *request.Request) call {
	if o := r.Call.Operation; o != nil {
		return call{o, r.Method, o.Path}
	}
	return call{nil, r.Method, pathOf(r)}
}

// name is a name of an entity, by a digest.
type name uint64

// nameOfEntity digests a name. Sessions and APIs have names of their own.
func nameOfEntity(session string, kind, text string) name {
	var h maphash.Hash
	h.SetSeed(nameSeed)
	for _, s := range [...]string{session, kind, text} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	return name(h.Sum64())
}

// namesIn returns the names that a request has of the entity that it is about: of the first kind in
// the order of the profile of which it names one. Of an API that no profile knows, what stands
// where ids stand and looks like an id is a name.
func namesIn(r *request.Request) []name {
	var names []name
	kind := len(kinds(r.Call.Profile))
	for i := range r.Params {
		p := &r.Params[i]
		if r.Call.Profile == nil {
			if p.NamesID() && request.IDLike(p.Text) {
				names = append(names, nameOfEntity(r.Session, "", p.Text))
			}
			continue
		}
		k := kindOf(r.Call.Profile, p.Field)
		if k < 0 || k > kind || p.Text == "" {
			continue
		}
		if k < kind {
			names, kind = names[:0], k
		}
		names = append(names, nameOfEntity(r.Session, kindName(r.Call.Profile, k),
			request.Canonical(p.Field, p.Text)))
	}
	return names
}

// namesOut returns the names that an answer has of what the request is about: of the kind that the
// request names or, where it names none, of the first kind that the answer names.
func namesOut(set *profile.Set, r *request.Request, m *leaf.Message) []name {
	p := r.Call.Profile
	kind := len(kinds(p))
	for i := range r.Params {
		if k := kindOf(p, r.Params[i].Field); k >= 0 {
			kind = min(kind, k)
		}
	}
	named := kind < len(kinds(p))
	var names []name
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if p == nil {
			if request.NamesID(l) && request.IDLike(l.Value) {
				names = append(names, nameOfEntity(r.Session, "", l.Value))
			}
			continue
		}
		f, _ := set.Meaning(r.Call, profile.Response, request.At(l))
		k := kindOf(p, f)
		if k < 0 || k > kind || named && k != kind || l.Value == "" {
			continue
		}
		if k < kind {
			names, kind = names[:0], k
		}
		names = append(names, nameOfEntity(r.Session, kindName(p, k), request.Canonical(f, l.Value)))
	}
	return names
}

// kinds returns the entities of a profile.
func kinds(p *profile.Profile) []*profile.Entity {
	if p == nil {
		return nil
	}
	return p.Entities
}

// kindOf returns the place of the entity that a field names among those of the profile; -1 for a
// field that names none, or a scope.
func kindOf(p *profile.Profile, f profile.Field) int {
	if p == nil || f.Of == "" || f.From == profile.Rendering {
		return -1
	}
	e := p.Entity(f.Of)
	if e == nil || e.Scope {
		return -1
	}
	return slices.Index(p.Entities, e)
}

func kindName(p *profile.Profile, kind int) string { return p.Name + " " + p.Entities[kind].Name }
