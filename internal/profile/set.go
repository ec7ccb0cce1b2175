package profile

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

//go:embed cardv1.yaml cardv2.yaml gateway.yaml http.yaml
var sources embed.FS

// httpName is the profile whose rows hold for every API, where no other knows better.
const httpName = "http"

// embedded are the names of our own profiles.
var embedded = []string{"cardv1", "cardv2", "gateway", httpName}

// Source returns the YAML of an embedded profile: "cardv1", "cardv2", "gateway" or "http".
func Source(name string) ([]byte, error) {
	data, err := sources.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no profile %q among cardv1, cardv2, gateway and http", name)
	}
	return data, nil
}

// Set is all that is known of all APIs. The zero Set knows nothing. It may be read by many
// goroutines once nothing is added any more.
type Set struct {
	profiles []*Profile // the user's, the last added first, and then ours
	users    int        // how many of them are the user's
	http     *Profile   // rows for all APIs; nil if there are none
	// ours is what was there before the user's first: what it calls secret stays secret. Nil
	// while there is nothing of the user's.
	ours *Set

	remembered remembered // what Meaning has found
	calls      calls      // what Find has found
	notes      atomic.Pointer[Notes]
}

// Builtin returns the set of the embedded profiles: the three APIs and the HTTP rows.
func Builtin() (*Set, error) {
	s := &Set{}
	for _, name := range embedded {
		data, err := Source(name)
		if err != nil {
			return nil, err
		}
		p, err := Parse(name+".yaml", data)
		if err != nil {
			return nil, fmt.Errorf("reading our own profile: %w", err)
		}
		if name == httpName {
			s.http = p
			continue
		}
		s.profiles = append(s.profiles, p)
	}
	return s, nil
}

// Add puts in a profile of the user's. On a path that one of ours describes too it takes
// precedence; one of ours that has its name goes; the name "http" replaces the HTTP rows. Two
// profiles of the user's that have one name, or one path, are an error. Elsewhere the last added is the
// first: where a pattern of one ("/shop/{call}") covers a path of another, and for the rows for all
// operations below a prefix that two of them have.
//
// A profile of the user's may call more fields secret than ours do, and keep personal data. It
// cannot make public what ours call a secret (see Field).
func (s *Set) Add(p *Profile) error {
	if p == nil || p.routes == nil {
		return errors.New("adding a profile: expected one that was parsed, found none")
	}
	s.forget()
	if err := s.named(p); err != nil {
		return err
	}
	for _, other := range s.profiles[:s.users] {
		if err := apart(p, other); err != nil {
			return err
		}
	}
	if s.ours == nil {
		s.ours = &Set{profiles: s.profiles, http: s.http}
	}
	if p.Name == httpName {
		s.http = p
		return nil
	}
	s.profiles = slices.DeleteFunc(slices.Clone(s.profiles), func(o *Profile) bool {
		return o.Name == p.Name // of ours
	})
	s.profiles = slices.Concat([]*Profile{p}, s.profiles)
	s.users++
	return nil
}

// named returns an error if the user has given a profile of the name before.
func (s *Set) named(p *Profile) error {
	for _, other := range s.GivenProfiles() {
		if other.Name == p.Name {
			return fmt.Errorf("%s: expected a name that no other file has, found %q of %s too: let one "+
				"extend the other (extends: FILE), or give it a name of its own (profile: NAME)",
				p.Origin.Position(), p.Name, other.Origin.File)
		}
	}
	return nil
}

// apart returns an error if two profiles of different names describe the same calls.
func apart(p, other *Profile) error {
	for _, o := range p.Operations {
		for _, theirs := range other.Operations {
			if clash(o, theirs) {
				return fmt.Errorf("%s: operation %q: expected a path that no other file describes, "+
					"found that of %q (%s)", o.Origin.Position(), o.Name, theirs.Name,
					theirs.Origin.Position())
			}
		}
	}
	return nil
}

// Profiles returns the profiles of APIs in order of precedence. The HTTP rows belong to no
// API and are not among them.
func (s *Set) Profiles() []*Profile { return slices.Clone(s.profiles) }

// HTTP returns the rows for all APIs; nil if there are none.
func (s *Set) HTTP() *Profile { return s.http }

// GivenProfiles returns the user's profiles, in order of precedence, the rows for all APIs last if they are
// the user's.
func (s *Set) GivenProfiles() []*Profile {
	given := slices.Clone(s.profiles[:s.users])
	if s.givenHTTP() {
		given = append(given, s.http)
	}
	return given
}

// Call is what a request is recognised as. Both are nil for an API that no profile knows;
// Operation alone is nil for a path that belongs to a profile which does not describe it.
type Call struct {
	Profile   *Profile
	Operation *Operation
	// ours is what the request is without the user's profiles. Nil: the same.
	ours *Call
}

// Find recognises a request. The path is raw, without query, and its case matters (domain
// facts, On the wire).
func (s *Set) Find(method, path string) Call {
	return s.calls.of(method, path, func() Call {
		c := s.find(method, path)
		if s.ours != nil {
			ours := s.ours.find(method, path)
			c.ours = &ours
		}
		return c
	})
}

// forget forgets what was worked out of the rows, because they change.
func (s *Set) forget() {
	s.remembered.forget()
	s.calls.forget()
	s.notes.Store(nil)
}

func (s *Set) find(method, path string) Call {
	for _, p := range s.profiles {
		if o := p.routes.find(method, path); o != nil {
			return Call{Profile: p, Operation: o}
		}
	}
	return Call{Profile: s.owner(path)}
}

// owner returns the profile with the longest prefix of a path; of equals, the first.
func (s *Set) owner(path string) *Profile {
	var owner *Profile
	longest := 0
	for _, p := range s.profiles {
		for _, prefix := range p.Paths {
			if len(prefix) > longest && under(prefix, path) {
				owner, longest = p, len(prefix)
			}
		}
	}
	return owner
}

// half returns the rows of one direction.
func (p *Profile) half(dir Direction) *fields {
	if dir == Request {
		return &p.request
	}
	return &p.response
}

func (o *Operation) half(dir Direction) *fields {
	if dir == Request {
		return &o.request
	}
	return &o.response
}

// Field returns what is known of the leaf at a place, and whether anything is: the rows of
// the operation decide, then those of its profile, then the HTTP rows; of the rows for one
// shape and for one key the shape's. Case does not count.
//
// In a name/value list the value goes by its list and name ("params(email)"), or its name
// alone; only if no row has the name does it go by its place ("params.value"). An API whose
// lists no profile knows gets the HTTP rows by name, so that a card number in such a list does
// not depend on being found by its shape.
//
// What nothing is known of is ignored inside a text or an object that is, such as a client's
// own data in a packed message, and the client's inside one that is the client's without a
// noun. Still nothing is known of it.
//
// Personal data is the exception: a key, or a name in a list, that names personal data elsewhere in
// the API does so wherever nothing else is known of its secrecy, at any depth and in any document.
//
// What our own profiles call secret, other than personal data, stays so whatever a row of the
// user's says.
func (s *Set) Field(c Call, dir Direction, at At) (Field, bool) {
	f, known := s.Secrecy(c, dir, at)
	if !known {
		f.From = s.layers(c, dir).around(c.Profile, at.Shape)
	}
	return f, known
}

// Secrecy is Field without what an object around a leaf says of where its value comes from. It takes
// no longer for a leaf that lies deep than for another one.
func (s *Set) Secrecy(c Call, dir Direction, at At) (Field, bool) {
	f, known := s.row(c, dir, at)
	if f.Secret == NotSecret && c.Profile != nil {
		switch {
		case at.Name != "" && c.Profile.Lists[listKey(at.Shape)]:
			f.personal(c.Profile, dir, at.Name) // whatever is known of the values of the list
		case !known:
			f.personal(c.Profile, dir, at.Key)
		}
	}
	if s.weak(f) {
		ours, _ := s.ours.row(c.own(), dir, at)
		f.strengthen(ours)
	}
	return f, known
}

// personal takes over what a name says of personal data elsewhere in the API.
func (f *Field) personal(api *Profile, dir Direction, name string) {
	var buf [64]byte
	row := api.elsewhere[dir].rows[string(fold(buf[:0], name))]
	if row.Secret.Personal() {
		f.Secret, f.Rule = row.Secret, row.Rule
	}
}

// around returns what the innermost object or text around a leaf of which anything is known
// says of what it holds: all of it is ignored, or the client's free choice; otherwise exact.
func (l layers) around(api *Profile, shape string) Provenance {
	for end := LastBreak(shape); end > 0; end = LastBreak(shape) {
		shape = shape[:end]
		key := shape[LastBreak(shape)+1:]
		f, known := l.row(api, At{Key: key, Shape: shape})
		switch {
		case f.From == Ignored, f.From == Shared && f.Of == "":
			return f.From
		case known:
			return Exact
		}
	}
	return Exact
}

// row returns what the rows say of a leaf.
func (s *Set) row(c Call, dir Direction, at At) (Field, bool) {
	return s.layers(c, dir).row(c.Profile, at)
}

// layers are the rows that may say something of a leaf, in order of precedence. Nil: there are
// none.
type layers struct {
	operation, common, elsewhere, http *fields
	hit                                *Origin // is told where the row is written; nil: nobody asks
}

// layers returns those of a call without the rows elsewhere in its API.
func (s *Set) layers(c Call, dir Direction) layers {
	var l layers
	if c.Operation != nil {
		l.operation = c.Operation.half(dir)
	}
	if c.Profile != nil {
		l.common = c.Profile.half(dir)
	}
	if s.http != nil {
		l.http = s.http.half(dir)
	}
	return l
}

// row returns what the first of the layers that knows a leaf of the API says of it.
func (l layers) row(api *Profile, at At) (Field, bool) {
	var keyBuf, shapeBuf [64]byte
	key, shape := fold(keyBuf[:0], at.Key), fold(shapeBuf[:0], at.short())
	if at.Name == "" {
		return l.find(shape, key)
	}
	var nameBuf [64]byte
	name := fold(nameBuf[:0], at.Name)
	if list := listKey(at.Shape); api != nil && api.Lists[list] {
		var pairBuf [64]byte
		pair := append(append(append(fold(pairBuf[:0], list), '('), name...), ')')
		if f, known := l.find(pair, name); known {
			return f, true
		}
	}
	if f, known := l.find(shape, key); known || l.http == nil {
		return f, known
	}
	return layers{http: l.http, hit: l.hit}.find(name, name)
}

// short returns the shape of a leaf as far as a row can have it: no row is longer than maxRow, and a
// client may nest as deep as it likes.
func (at *At) short() string {
	shape := at.Shape
	if len(shape) > maxRow {
		shape = shape[strings.LastIndexByte(shape, '>')+1:] // in its document
	}
	if len(shape) > maxRow {
		return at.Key
	}
	return shape
}

func (l layers) find(shape, key []byte) (Field, bool) {
	for _, rows := range [...]*fields{l.operation, l.common, l.elsewhere, l.http} {
		if rows == nil {
			continue
		}
		if f, known := rows.find(shape, key); known {
			if l.hit != nil {
				*l.hit = rows.origin(shape, key)
			}
			return f, true
		}
	}
	return Field{}, false
}

// listKey returns the key of the list that a shape ending in ".value" lies in.
func listKey(shape string) string {
	list := shape[:max(strings.LastIndexByte(shape, '.'), 0)]
	return list[LastBreak(list)+1:]
}

// HeaderField returns what is known of a header, and whether anything is: the rows of the
// operation decide, then those of its profile, then the HTTP rows.
func (s *Set) HeaderField(c Call, dir Direction, name string) (Field, bool) {
	f, known := s.header(c, dir, name)
	if s.weak(f) {
		ours, _ := s.ours.header(c.own(), dir, name)
		f.strengthen(ours)
	}
	return f, known
}

func (s *Set) header(c Call, dir Direction, name string) (Field, bool) {
	var buf [64]byte
	folded := fold(buf[:0], name)
	rows := s.layers(c, dir).headers(folded)
	if rows == nil {
		return Field{}, false
	}
	return rows.headers[string(folded)], true
}

// headers returns the first of the layers that has a row for a header, whose name is in lower case;
// nil if none has.
func (l layers) headers(name []byte) *fields {
	for _, rows := range [...]*fields{l.operation, l.common, l.http} {
		if rows == nil {
			continue
		}
		if _, known := rows.headers[string(name)]; known {
			return rows
		}
	}
	return nil
}
