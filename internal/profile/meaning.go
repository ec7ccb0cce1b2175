package profile

import (
	"maps"
	"slices"
)

// Meaning returns what is known of a leaf as Field does, and beyond: a leaf of which neither
// its operation nor the rows for all operations know anything has the meaning that its key has
// elsewhere in the API. So the rrn in the answer of an operation whose answer no document shows
// is that of its transaction.
//
// The rows elsewhere count if all of them in the same direction agree about provenance and
// noun, and else if all in the other direction do; their sensitivities may differ. They do not
// count inside a text or an object that is ignored, or the client's without a noun.
func (s *Set) Meaning(c Call, dir Direction, at At) (Field, bool) {
	if at.Name != "" {
		return s.askMeaning(c, dir, at)
	}
	return s.remembered.of(c, dir, at, func() (Field, bool) { return s.askMeaning(c, dir, at) })
}

// askMeaning is Meaning as the rows say it.
func (s *Set) askMeaning(c Call, dir Direction, at At) (Field, bool) {
	f, known := s.layers(c, dir).meaning(c.Profile, dir, at)
	if s.weak(f) {
		ours, _ := s.ours.row(c.own(), dir, at)
		f.strengthen(ours)
	}
	return f, known
}

// meaning is Meaning for the rows of a set that is whole.
func (l layers) meaning(api *Profile, dir Direction, at At) (Field, bool) {
	own := layers{operation: l.operation, common: l.common, hit: l.hit}
	f, known := own.row(api, at)
	if !known {
		return l.distant(api, dir, at)
	}
	return f, known
}

// distant returns what is known of a leaf that has no row of its own in the API.
func (l layers) distant(api *Profile, dir Direction, at At) (Field, bool) {
	if api != nil {
		l.elsewhere = &api.elsewhere[dir]
	}
	around := layers{l.operation, l.common, l.elsewhere, l.http, nil}.around(api, at.Shape)
	far := layers{elsewhere: l.elsewhere, http: l.http, hit: l.hit}
	if around != Exact {
		far.elsewhere = nil
	}
	f, known := far.row(api, at)
	if !known {
		f.From = around
	}
	return f, known
}

// carryOver finds the rows that hold in the whole API.
func (p *Profile) carryOver() {
	agreed := [2]rowGroup{p.agreed(Request), p.agreed(Response)}
	for dir := range p.elsewhere {
		both := rowGroup{maps.Clone(agreed[1-dir].rows), maps.Clone(agreed[1-dir].at)}
		both.add(agreed[dir])
		p.elsewhere[dir].rows, p.elsewhere[dir].rowsAt = both.rows, both.at
	}
}

// agreed returns the rows of one direction about which all operations that have them agree, and
// the rows for all operations with them. Of different sensitivities it takes one that everybody
// has to keep secret, else the first.
func (p *Profile) agreed(dir Direction) rowGroup {
	agreed, disputed := map[string]Field{}, map[string]bool{}
	at := map[string]Origin{}
	halves := []*fields{p.half(dir)}
	for _, o := range p.Operations {
		halves = append(halves, o.half(dir))
	}
	for _, half := range halves {
		for _, key := range slices.Sorted(maps.Keys(half.rows)) {
			row := half.rows[key]
			first, found := agreed[key]
			switch {
			case !found:
				agreed[key], at[key] = row, half.rowsAt[key]
			case !first.means(row):
				disputed[key] = true
			case first.Secret == NotSecret || first.Secret.Personal():
				first.strengthen(row)
				agreed[key] = first
			}
		}
	}
	maps.DeleteFunc(agreed, func(key string, _ Field) bool { return disputed[key] })
	return rowGroup{agreed, at}
}

// means reports whether two rows say the same, but for secrets and for what one operation alone
// may refuse.
func (f Field) means(other Field) bool {
	f.Secret, f.Rule, f.Decides = other.Secret, other.Rule, other.Decides
	f.Max, f.As, f.Deadline, f.Signs = other.Max, other.As, other.Deadline, other.Signs
	return f == other
}
