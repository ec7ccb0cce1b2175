package profile

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
)

// Origin is where a row is written. A row that a set of rows has lent is written in the set.
type Origin struct {
	File string // as it was named when it was read; of a built-in profile "gateway.yaml"
	Line int    // from 1
	// Column is where the line has it, in characters from 1. 0: nobody has said.
	Column int
	Key    string // as it is spelled there
}

// Position names the place to a column, as editors find it: "mybank.yaml:12:7"; "" for none.
func (o Origin) Position() string {
	if o.File == "" || o.Column == 0 {
		return o.String()
	}
	return o.String() + ":" + strconv.Itoa(o.Column)
}

// String names the place as compilers do: "gateway.yaml:753"; "" for none.
func (o Origin) String() string {
	if o.File == "" {
		return ""
	}
	return o.File + ":" + strconv.Itoa(o.Line)
}

// Row is a row in force, of a profile or on top of all profiles.
type Row struct {
	Profile   string     // its name
	Operation *Operation // nil: the row holds for all operations of the profile
	Dir       Direction
	Header    bool // the row is of a header, and not of a field
	Field     Field
	Origin    Origin
}

// Rows returns all rows in force, in order of precedence of their profiles, the HTTP rows last; in
// an operation by the names of their fields. A row of a set is listed for each operation that
// includes the set.
func (s *Set) Rows() []Row {
	var all []Row
	profiles := s.profiles
	if s.http != nil {
		profiles = append(slices.Clone(profiles), s.http)
	}
	for _, p := range profiles {
		all = p.appendRows(all, nil)
		for _, o := range p.described() {
			all = p.appendRows(all, o)
		}
	}
	return all
}

// appendRows appends the rows of an operation; nil stands for those of all operations.
func (p *Profile) appendRows(to []Row, o *Operation) []Row {
	for _, dir := range [...]Direction{Request, Response} {
		half := p.half(dir)
		if o != nil {
			half = o.half(dir)
		}
		for _, key := range slices.Sorted(maps.Keys(half.rows)) {
			to = append(to, Row{p.Name, o, dir, false, half.rows[key], half.rowsAt[key]})
		}
		for _, key := range slices.Sorted(maps.Keys(half.headers)) {
			to = append(to, Row{p.Name, o, dir, true, half.headers[key], half.headersAt[key]})
		}
	}
	return to
}

// OriginOf returns where the row is written that says what a leaf means, and whether there is one:
// that which Meaning follows.
func (s *Set) OriginOf(c Call, dir Direction, at At) (Origin, bool) {
	var found Origin
	l := s.layers(c, dir)
	l.hit = &found
	_, known := l.meaning(c.Profile, dir, at)
	return found, known
}

// OriginOfHeader is OriginOf for a header: the row that HeaderField follows.
func (s *Set) OriginOfHeader(c Call, dir Direction, name string) (Origin, bool) {
	var buf [64]byte
	folded := fold(buf[:0], name)
	rows := s.layers(c, dir).headers(folded)
	if rows == nil {
		return Origin{}, false
	}
	return rows.headersAt[string(folded)], true
}

// origin returns where the row is written that find finds.
func (f *fields) origin(shape, key []byte) Origin {
	names := [...]string{string(shape), string(shape[bytes.LastIndexByte(shape, '>')+1:]), string(key)}
	for _, name := range names {
		if _, found := f.rows[name]; found {
			return f.rowsAt[name]
		}
	}
	return Origin{}
}
