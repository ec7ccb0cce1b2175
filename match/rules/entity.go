package rules

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// entity is what requests name: an order, a card. Its names are known by digests alone.
type entity struct {
	history
	ordinal  uint64    // from 1, among those of its session
	number   uint64    // made of the ordinal and the session
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

// longestHistory bounds the calls of one history; of equal calls it has one. A call of a profile is
// the operation, so only calls that no profile knows can be so many: then the oldest go.
const longestHistory = 256

// note adds a call.
func (h *history) note(c call) {
	if slices.Contains(*h, c) {
		return
	}
	if len(*h) >= longestHistory {
		*h = slices.Delete(*h, 0, longestHistory/2)
	}
	*h = append(*h, c)
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

// name is a name of an entity by a digest.
type name uint64

// nameOfEntity digests a name of an entity, which is one of a profile by its place there. Sessions
// and APIs have names of their own.
func nameOfEntity(session string, p *profile.Profile, kind int, text string) name {
	var h maphash.Hash
	h.SetSeed(nameSeed)
	api, entity := "", ""
	if p != nil {
		api, entity = p.Name, p.Entities[kind].Name
	}
	for _, s := range [...]string{session, api, entity, text} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	return name(h.Sum64())
}

// naming is that a message names an entity.
type naming struct {
	key    name
	kind   int    // the place of the entity among those of its profile
	noun   string // what of the entity it is: its id, its number
	object string // the object or item in which it stands; "" at the top of the message
}

// mostNamings is how many names of a message are looked at. A message with more is a list.
const mostNamings = 32

// name finds the names that a request has of the entity that it is about: the narrowest, so that a
// call that names a customer and a card counts for the card. Of several of one kind, as the two
// cards of a transfer, it is the first. Of an API that no profile knows, what stands where ids stand
// and looks like an id is a name: the last in the path or, if there is none, the first elsewhere.
func (l *lookup) name() {
	l.namings, l.names = l.namings[:0], l.names[:0]
	r, api := l.asked.Request, l.asked.Call.Profile
	for i := range r.Params {
		p := &r.Params[i]
		if api == nil {
			if p.NamesID() && request.IDLike(p.Text) {
				l.nameID(naming{key: nameOfEntity(r.Session, nil, 0, p.Text)}, p.Place == leaf.Path)
			}
			continue
		}
		if k := kindOf(api, p.Field); k >= 0 && p.Text != "" && len(l.namings) < mostNamings {
			l.namings = append(l.namings, naming{
				key:  nameOfEntity(r.Session, api, k, request.Canonical(p.Field, p.Text)),
				kind: k, noun: p.Field.Of, object: objectOf(api, p.Path),
			})
		}
	}
	if api != nil && len(l.namings) > 0 {
		l.names = appendFirst(l.names, l.namings, narrowest(api, l.namings))
	}
}

// nameID takes over an id in a request that no profile knows.
func (l *lookup) nameID(n naming, inPath bool) {
	if len(l.names) == 0 || inPath {
		l.names = append(l.names[:0], n)
	}
}

// narrowest returns the kind of several names that is within the others, such as a card within its
// account; where none is within another, the first in the order of the profile.
func narrowest(p *profile.Profile, all []naming) int {
	kind := widest(all)
	for i := range all {
		if p.Entities[all[i].kind].Within(p.Entities[kind]) {
			kind = all[i].kind
		}
	}
	return kind
}

// widest returns the kind of several names that is the first in the order of the profile.
func widest(all []naming) int {
	return slices.MinFunc(all, func(a, b naming) int { return a.kind - b.kind }).kind
}

// appendFirst appends to one the names of the first entity of a kind. A second name of one noun is
// that of another entity, and so is a name in another object.
func appendFirst(one, all []naming, kind int) []naming {
	object := ""
	for _, n := range all {
		if n.kind != kind || n.object != "" && object != "" && n.object != object || n.conflicts(one) {
			continue
		}
		if n.object != "" {
			object = n.object
		}
		one = append(one, n)
	}
	return one
}

// conflicts reports whether a name is of another entity than several names are: there is one of the
// same noun.
func (n *naming) conflicts(others []naming) bool {
	return slices.ContainsFunc(others, func(o naming) bool {
		return o.noun == n.noun && o.key != n.key
	})
}

// objectOf returns the object or item in which a value stands; "" at the top. What stands in a list
// of names and values stands where the list does.
func objectOf(p *profile.Profile, path string) string {
	object := request.Parent(path)
	if list, _, _ := strings.Cut(request.LastName(object), "["); p.Lists[list] {
		object = request.Parent(object)
	}
	return object
}

// namesOut returns the names that an answer has of the entity that its request is about. Where the
// request names none, the answer tells of one entity or of none: names of several are a list.
func namesOut(set *profile.Set, r *request.Request, in []naming, m *leaf.Message) []naming {
	p := r.Call.Profile
	switch {
	case r.Call.Operation != nil && r.Call.Operation.List != nil:
		return nil
	case p == nil && len(in) > 0:
		return nil // an order that was made for a customer is not the customer
	}
	var all []naming
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if len(all) == mostNamings {
			return nil
		}
		if p == nil {
			// The thing that was made has its id at the top. What else has one is another thing.
			if l.Path == l.Key && request.NamesID(l) && request.IDLike(l.Value) {
				all = append(all, naming{key: nameOfEntity(r.Session, nil, 0, l.Value)})
			}
			continue
		}
		f, _ := set.Meaning(r.Call, profile.Response, request.At(l))
		k := kindOf(p, f)
		if k < 0 || l.Value == "" {
			continue
		}
		path := l.Path
		if l.Name != "" {
			path = request.Parent(path) // the item of a list of names and values
		}
		all = append(all, naming{
			key:  nameOfEntity(r.Session, p, k, request.Canonical(f, l.Value)),
			kind: k, noun: f.Of, object: objectOf(p, path),
		})
	}
	if p == nil {
		return all[:min(len(all), 1)]
	}
	switch {
	case len(all) == 0:
		return nil
	case len(in) == 0:
		one := appendFirst(nil, all, widest(all))
		if len(one) > 0 && slices.ContainsFunc(all, func(n naming) bool {
			return n.kind == one[0].kind && !slices.Contains(one, n)
		}) {
			return nil
		}
		return one
	}
	return about(in, all)
}

// about returns those of the names in an answer that are of the entity which the request names. An
// object that has another name of a noun than the request tells of another entity.
func about(in, all []naming) []naming {
	other := map[string]bool{}
	for i := range all {
		if all[i].object != "" && all[i].kind == in[0].kind && all[i].conflicts(in) {
			other[all[i].object] = true
		}
	}
	out := slices.Clone(in)
	for _, n := range all {
		if n.kind == in[0].kind && !other[n.object] && !n.conflicts(out) {
			out = append(out, n)
		}
	}
	return out[len(in):]
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
