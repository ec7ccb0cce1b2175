package profile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fields are the rows for one direction. Names are in lower case: documents and clients
// disagree about case (MDORDER, mdOrder), and headers have none.
type fields struct {
	rows    map[string]Field // by leaf key, or by full shape where the row has one
	headers map[string]Field
	// rowsAt and headersAt say where each row is written.
	rowsAt, headersAt map[string]Origin
}

// maxRow is the longest name of a row, in bytes. A leaf may have a longer shape: it lies deeper than
// any row can tell.
const maxRow = 512

// find looks a leaf up by its shape, by its shape in the innermost document, by its key in that
// document, and then by its key, all already in lower case. The shape of a leaf at the top of a
// message is its key, so one map does for all. A row "jsonParams>name" is for the key at any depth of
// the document, as a row "name" is for the key at any depth of the message.
func (f *fields) find(shape, key []byte) (Field, bool) {
	if found, ok := f.rows[string(shape)]; ok {
		return found, true
	}
	if i := bytes.LastIndexByte(shape, '>'); i >= 0 {
		if found, ok := f.rows[string(shape[i+1:])]; ok {
			return found, true
		}
		if len(shape)-i-1 > len(key) {
			var buf [64]byte
			deep := append(append(buf[:0], shape[:i+1]...), key...)
			if found, ok := f.rows[string(deep)]; ok {
				return found, true
			}
		}
	}
	if bytes.Equal(shape, key) {
		return Field{}, false
	}
	found, ok := f.rows[string(key)]
	return found, ok
}

// Names returns the fields and headers that the rows of the profile name: how each is spelled, by its
// name in small letters. Of a row with a whole path it has the last name too, and of
// "params(email)" the name in the parentheses.
func (p *Profile) Names() map[string]string { return p.names }

func names(spelling map[string]string) map[string]string {
	all := maps.Clone(spelling)
	for _, key := range slices.Sorted(maps.Keys(spelling)) {
		spelled := spelling[key]
		last := spelled[strings.LastIndexAny(spelled, ".>(")+1:]
		last = strings.TrimPrefix(strings.TrimSuffix(last, ")"), "@")
		if folded := string(fold(nil, last)); all[folded] == "" {
			all[folded] = last
		}
	}
	return all
}

// Addresses reports whether the API hands out addresses of its own: only then can an answer
// hold one to lead to the deck, and a request one to lead back.
func (p *Profile) Addresses() bool { return p != nil && p.addresses }

func (p *Profile) findAddresses() bool {
	if p.response.addresses() {
		return true
	}
	return slices.ContainsFunc(p.Operations, func(o *Operation) bool {
		return o.response.addresses()
	})
}

func (f *fields) addresses() bool {
	for _, row := range f.rows {
		if row.Address {
			return true
		}
	}
	return false
}

// ComparesHeaders reports whether some header of a request may tell a call from others: whether there is
// a row for one that is not ignored.
func (s *Set) ComparesHeaders(c Call) bool { return s.compared(c) != 0 }

// MayCompare reports whether a header of a request may tell a call from others. It turns away nearly
// every header for which there is no such row, by the length of its name alone.
func (s *Set) MayCompare(c Call, name string) bool { return s.compared(c).has(name) }

// compared returns the lengths of the names of headers for which there is a row that is not ignored.
func (s *Set) compared(c Call) lengths {
	var all lengths
	if s.http != nil {
		all = s.http.compares
	}
	if c.Profile != nil {
		all |= c.Profile.compares
	}
	return all
}

func (p *Profile) findCompared() lengths {
	all := p.request.compared()
	for _, o := range p.described() {
		all |= o.request.compared()
	}
	return all
}

func (f *fields) compared() lengths {
	var all lengths
	for name, row := range f.headers {
		if row.From != Ignored {
			all |= lengthOf(name)
		}
	}
	return all
}

// lengths are the lengths of names, a bit for each. Long names share a bit.
type lengths uint64

func lengthOf(name string) lengths { return 1 << min(len(name), 63) }

func (l lengths) has(name string) bool { return l&lengthOf(name) != 0 }

// LastBreak returns where the last name of a shape or path is parted from the names before; -1 if it is
// the only name.
func LastBreak(shape string) int {
	for i := len(shape) - 1; i >= 0; i-- {
		if c := shape[i]; c == '.' || c == '>' {
			return i
		}
	}
	return -1
}

// fold appends s to buf in lower case. It folds ASCII alone, which is all that the
// documents use in names.
func fold(buf []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return buf
}

// rowGroup are rows, and where they are written.
type rowGroup struct {
	rows map[string]Field
	at   map[string]Origin
}

// add takes over the rows of another group.
func (g rowGroup) add(other rowGroup) {
	maps.Copy(g.rows, other.rows)
	maps.Copy(g.at, other.at)
}

// rowsInto returns a reader of rows that may include sets.
func (r *reader) rowsInto(rows *map[string]Field, at *map[string]Origin,
) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		read, err := r.rows(p, n)
		*rows, *at = read.rows, read.at
		return err
	}
}

// rows reads rows. A row of one's own beats one of an included set; two sets that disagree
// about a row are an error, because no order among them would be plain to the reader.
func (r *reader) rows(p place, n *yaml.Node) (rowGroup, error) {
	pairs, err := p.mapping(n, "rows such as \"amount: exact\"")
	if err != nil {
		return rowGroup{}, err
	}
	own := rowGroup{map[string]Field{}, map[string]Origin{}}
	included := rowGroup{map[string]Field{}, map[string]Origin{}}
	lines := map[string]int{}
	var removed []removal
	var wrong mistakes
	for _, e := range pairs {
		if e.key == "include" && e.value.Kind == yaml.SequenceNode {
			wrong.add(r.include(p.in("include"), e.value, included))
			continue
		}
		if len(e.key) > maxRow {
			wrong.add(p.fail(e.at, fmt.Errorf("expected a name of %d bytes at most", maxRow)))
			continue
		}
		name := string(fold(nil, e.key))
		if first, again := lines[name]; again {
			wrong.add(p.fail(e.at, twice(e.key, first)))
			continue
		}
		lines[name] = e.at.Line
		if held, gone := r.gone[e.value]; gone || r.extends() && removes(e.value) {
			removed = append(removed, removal{e, held})
			continue
		}
		if r.spelling[name] == "" {
			r.spelling[name] = e.key
		}
		own.rows[name], err = r.row(p.named("field", e.key), e.value)
		wrong.add(err)
		own.at[name] = p.origin(e.at, e.key)
	}
	included.add(own)
	for _, gone := range removed {
		name := string(fold(nil, gone.key))
		if _, found := included.rows[name]; !found && !gone.held {
			wrong.add(p.fail(gone.at, errNothingToRemove))
		}
		delete(included.rows, name)
		delete(included.at, name)
	}
	return included, wrong.err()
}

// removal is a row that a profile takes out. held says that its base has the row.
type removal struct {
	pair
	held bool
}

// extends reports whether the profile lies on top of another.
func (r *reader) extends() bool { return len(r.profile.Bases) > 0 }

func (r *reader) row(p place, n *yaml.Node) (Field, error) {
	row := text(n)
	if row == "" {
		return Field{}, p.expected(n, `a row such as "client unique order-number"`)
	}
	f, pattern, err := parseRow(row)
	if err != nil {
		return Field{}, p.fail(n, err)
	}
	r.note(p, n, f)
	if pattern.IsZero() {
		return f, nil
	}
	return f, r.like(p, n, f.Of, pattern)
}

// include copies the rows of the named sets.
func (r *reader) include(p place, n *yaml.Node, into rowGroup) error {
	names, err := p.items(n, "sets")
	if err != nil {
		return err
	}
	for _, name := range names {
		set, found := r.sets[text(name)]
		switch {
		case !found && r.nameless:
			continue
		case !found:
			return p.noneOf(name, "the name of a set", slices.Collect(maps.Keys(r.sets)))
		}
		if key, clash := disagreement(into.rows, set.rows); clash {
			return p.fail(name, fmt.Errorf(
				"expected sets that agree, found another row for %q in set %q",
				key, text(name)))
		}
		into.add(set)
	}
	return nil
}

// disagreement returns the first key of which two groups of rows say different things.
func disagreement(rows, others map[string]Field) (string, bool) {
	for _, key := range slices.Sorted(maps.Keys(others)) {
		if f, both := rows[key]; both && f != others[key] {
			return key, true
		}
	}
	return "", false
}
