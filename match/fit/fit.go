package fit

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// place is a field of an operation, in one half of its exchanges.
type place struct {
	operation *profile.Operation
	dir       profile.Direction
	field     string // as the key of a row
}

// survey is what one look at a tape tells.
type survey struct {
	set *profile.Set
	of  *profile.Profile

	operations map[*profile.Operation]bool
	rows       map[profile.Origin]bool // that some field has followed
	calls      map[string]*seen        // below the paths of the profile, without an operation
	fields     map[place]*seen         // without a row
	secrets    map[place]*secret       // without a row that says so
	named      map[string]profile.Origin
	bound      map[string]bool // nouns that some row has bound on tape
}

// secret is one that cleaning found, and of what kind it is.
type secret struct {
	seen
	kind profile.Sensitivity
}

// Tape tells how a profile, which is one of a set, fits the exchanges of a tape.
func Tape(set *profile.Set, p *profile.Profile, exchanges iter.Seq[*leaf.Exchange]) []Finding {
	s := &survey{
		set: set, of: p, operations: map[*profile.Operation]bool{}, rows: map[profile.Origin]bool{},
		calls: map[string]*seen{}, fields: map[place]*seen{}, secrets: map[place]*secret{},
		named: map[string]profile.Origin{}, bound: map[string]bool{},
	}
	for x := range exchanges {
		s.exchange(x)
	}
	return s.findings()
}

// exchange looks at one exchange.
func (s *survey) exchange(x *leaf.Exchange) {
	callback := x.Meta.Callback != nil
	call := s.set.Find(x.Method, request.PathOf(x.Target()))
	if callback {
		call = s.set.FindCallback(x.Meta.Profile)
	}
	switch {
	case call.Profile != s.of:
		return
	case call.Operation == nil:
		count(s.calls, x.Method+" "+request.PathOf(x.Target())).at(x.Meta.Number)
		return
	}
	s.operations[call.Operation] = true
	s.message(x, call, profile.Request, x.RequestMessage())
	if !callback { // what the shop answers has no rows
		s.message(x, call, profile.Response, x.ResponseMessage())
	}
}

// count returns the count of a key, which it begins.
func count[K comparable](of map[K]*seen, key K) *seen {
	if of[key] == nil {
		of[key] = &seen{}
	}
	return of[key]
}

// message looks at the fields of one half of an exchange.
func (s *survey) message(x *leaf.Exchange, c profile.Call, dir profile.Direction, m *leaf.Message) {
	page := strings.Contains(m.Header.Get("Content-Type"), "html")
	for i := range m.Leaves {
		l := &m.Leaves[i]
		at, isField := s.fieldAt(c.Operation, l)
		if l.Place == leaf.Header {
			s.header(c, dir, l.Key)
			continue
		}
		if !isField {
			continue
		}
		where := place{c.Operation, dir, nameOf(s.of, at)}
		switch origin, known := s.set.OriginOf(c, dir, at); {
		case known:
			s.follow(c, dir, at, origin)
		case s.within(c, dir, at):
		case !page:
			count(s.fields, where).at(x.Meta.Number)
		}
		kind := takenOut(x, dir, l)
		if f, _ := s.set.Secrecy(c, dir, at); kind != profile.NotSecret && f.Secret == profile.NotSecret {
			if s.secrets[where] == nil {
				s.secrets[where] = &secret{kind: kind}
			}
			s.secrets[where].at(x.Meta.Number)
		}
	}
}

// within reports whether a row for an object or a text around a field says what all in it is, and
// notes that the row is followed.
func (s *survey) within(c profile.Call, dir profile.Direction, at profile.At) bool {
	for end := profile.LastBreak(at.Shape); end > 0; end = profile.LastBreak(at.Shape[:end]) {
		around := profile.At{Key: at.Shape[profile.LastBreak(at.Shape[:end])+1 : end], Shape: at.Shape[:end]}
		if origin, known := s.set.OriginOf(c, dir, around); known {
			s.rows[origin] = true
			f, _ := s.set.Field(c, dir, at)
			return f.From != profile.Exact
		}
	}
	return false
}

// follow notes that a field has followed a row.
func (s *survey) follow(c profile.Call, dir profile.Direction, at profile.At, origin profile.Origin) {
	s.rows[origin] = true
	f, _ := s.set.Meaning(c, dir, at)
	switch {
	case f.Of == "":
	case f.From == profile.Unique, f.From == profile.Shared, f.From == profile.Minted && dir == profile.Response:
		s.bound[f.Of] = true
	default:
		if _, first := s.named[f.Of]; !first {
			s.named[f.Of] = origin
		}
	}
}

func (s *survey) header(c profile.Call, dir profile.Direction, name string) {
	if origin, known := s.set.OriginOfHeader(c, dir, name); known {
		s.rows[origin] = true
	}
}

// fieldAt returns where a leaf sits, and whether it is a field that a row may be for.
func (s *survey) fieldAt(o *profile.Operation, l *leaf.Leaf) (profile.At, bool) {
	switch {
	case l.Key == "name" && s.of.Lists[listOf(l.Shape)]: // it names the value beside it
		return profile.At{}, false
	case l.Passage() != nil, l.Place == leaf.Part, l.Kind == leaf.Empty:
		return profile.At{}, false
	case l.Place == leaf.Path:
		i, err := strconv.Atoi(l.Key)
		name := o.Segment(i)
		return profile.At{Key: name, Shape: "{" + name + "}"}, err == nil && name != ""
	}
	return request.At(l), l.Key != ""
}

// nameOf writes a place as the key of a row.
func nameOf(p *profile.Profile, at profile.At) string {
	if at.Name != "" {
		if key := listOf(at.Shape); p.Lists[key] {
			return key + "(" + at.Name + ")"
		}
	}
	return strings.Trim(at.Shape, "{}")
}

// listOf returns the key of the array in whose items a field lies.
func listOf(shape string) string {
	list := shape[:max(profile.LastBreak(shape), 0)]
	return list[profile.LastBreak(list)+1:]
}

// takenOut returns the kind of secret that cleaning took out of a leaf; NotSecret for none.
func takenOut(x *leaf.Exchange, dir profile.Direction, l *leaf.Leaf) profile.Sensitivity {
	path := cmp.Or(strings.TrimPrefix(l.Path, "/"), l.Key)
	prefix := sideOf(dir) + " " + l.Place.String() + " " + path + ": "
	for _, note := range x.Meta.Redactions {
		if what, found := strings.CutPrefix(note, prefix); found {
			word, _, _ := strings.Cut(what, " ")
			if kind, known := profile.SensitivityOf(word); known {
				return kind
			}
		}
	}
	if surrogate.IsCard(l.Value) {
		return profile.PAN
	}
	return profile.NotSecret
}

// findings lists what does not fit: by its kind, and then where the profile or the tape has it.
func (s *survey) findings() []Finding {
	all := slices.Concat(s.unusedOperations(), s.unusedRows(), s.unbound())
	for call, n := range s.calls {
		all = append(all, Finding{
			Kind: UnknownCall, Operation: call, Exchange: n.first, Times: n.times,
			Text: fmt.Sprintf("%s: no operation has this path and method %s", call, n.where()),
		})
	}
	for at, n := range s.secrets {
		row := coveringRow(n.kind, at.dir)
		all = append(all, s.field(at, n.seen, Finding{Kind: UncoveredSecret, Row: row, Text: fmt.Sprintf(
			"%s: %s %s holds a secret (%s) that no row covers; cleaning found it by its look or its name",
			at.operation.Name, sideOf(at.dir), at.field, n.kind)}))
		delete(s.fields, at) // once is enough
	}
	for at, n := range s.fields {
		all = append(all, s.field(at, *n, Finding{Kind: FieldWithoutRow, Text: fmt.Sprintf(
			"%s: %s %s has no row", at.operation.Name, sideOf(at.dir), at.field)}))
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Side, b.Side),
			cmp.Compare(a.Field, b.Field))
	})
	return all
}

// rank is the place of a kind in a list.
func rank(k Kind) int {
	return slices.Index([]Kind{
		UnusedOperation, UnusedRow, UnboundNoun, UnknownCall, UncoveredSecret, FieldWithoutRow,
	}, k)
}

// field completes a finding about a field.
func (s *survey) field(at place, n seen, f Finding) Finding {
	f.Operation, f.Side, f.Field = at.operation.Name, sideOf(at.dir), at.field
	f.Exchange, f.Times = n.first, n.times
	f.Text += " " + n.where()
	return f
}

// coveringRow is a row for a secret of a kind.
func coveringRow(kind profile.Sensitivity, dir profile.Direction) string {
	from := profile.Field{From: profile.Exact}
	switch {
	case kind == profile.PAN && dir == profile.Request:
		from = profile.Field{From: profile.Shared, Of: "card"}
	case kind == profile.PAN:
		from = profile.Field{From: profile.Minted, Of: "card"}
	case kind.Personal(), kind == profile.Token && dir == profile.Request:
		from = profile.Field{From: profile.Shared}
	case dir == profile.Request:
		from = profile.Field{From: profile.Ignored}
	}
	return from.Says() + ", " + kind.String()
}

func (s *survey) unusedOperations() []Finding {
	var all []Finding
	for _, o := range s.of.Operations {
		if s.operations[o] || !s.of.Wrote(o.Origin) {
			continue
		}
		f := at(UnusedOperation, o.Origin)
		f.Operation = o.Name
		f.Text = fmt.Sprintf("operation never used: no exchange on tape has %s %s",
			strings.Join(o.Methods, " or "), o.Path)
		all = append(all, f)
	}
	return all
}

// at begins a finding about what a profile says.
func at(k Kind, o profile.Origin) Finding {
	return Finding{Kind: k, File: o.File, Line: o.Line, Column: o.Column}
}

// unusedRows lists the rows of operations on tape that no field has followed. A row of a set stands
// in the set once, whatever includes the set.
func (s *survey) unusedRows() []Finding {
	var all []Finding
	listed := map[profile.Origin]bool{}
	for _, r := range s.set.Rows() {
		used := s.rows[r.Origin] || listed[r.Origin]
		if used || r.Profile != s.of.Name || !s.of.Wrote(r.Origin) ||
			r.Operation != nil && !s.operations[r.Operation] || r.Operation == nil && len(s.operations) == 0 {
			continue
		}
		listed[r.Origin] = true
		of, what := s.of.Name, "field"
		f := at(UnusedRow, r.Origin)
		if r.Operation != nil {
			of, f.Operation = r.Operation.Name, r.Operation.Name
		}
		if r.Header {
			what = "header"
		}
		f.Side, f.Field = sideOf(r.Dir), r.Origin.Key
		f.Text = fmt.Sprintf("row never used: no %s of %s on tape has the %s %q", f.Side, of, what, f.Field)
		all = append(all, f)
	}
	return all
}

// unbound lists the nouns that requests name and that nothing on tape has brought.
func (s *survey) unbound() []Finding {
	var all []Finding
	for noun, origin := range s.named {
		if s.bound[noun] || !s.of.Wrote(origin) {
			continue
		}
		f := at(UnboundNoun, origin)
		f.Noun, f.Field = noun, origin.Key
		f.Text = fmt.Sprintf("noun never bound: no answer on tape mints a value of %q, and no client "+
			"brings one", noun)
		all = append(all, f)
	}
	return all
}

// File tells what of a profile can be said without a tape: a noun that requests name and that no
// row binds, and a profile without operations.
func File(set *profile.Set, p *profile.Profile) []Finding {
	s := &survey{set: set, of: p, named: map[string]profile.Origin{}, bound: map[string]bool{}}
	var all []Finding
	for _, r := range set.Rows() {
		f := r.Field
		switch {
		case f.Of == "" || r.Profile != p.Name && r.Profile != "http":
		case f.From == profile.Unique, f.From == profile.Shared,
			f.From == profile.Minted && r.Dir == profile.Response:
			s.bound[f.Of] = true
		case r.Profile == p.Name && r.Dir == profile.Request:
			if _, first := s.named[f.Of]; !first {
				s.named[f.Of] = r.Origin
			}
		}
	}
	for _, f := range s.unbound() {
		f.Text = fmt.Sprintf("noun never bound: no row of an answer mints a value of %q, and no client "+
			"brings one", f.Noun)
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Noun, b.Noun))
	})
	return all
}
