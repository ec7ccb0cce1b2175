package profile

import (
	"maps"
	"net/http"
	"slices"
)

// Rule is a row that can take something out of what is stored.
type Rule struct {
	ID     string // as in Field: "gateway/paymentorder.do/request/$PAN"
	Key    string // in lower case
	Secret Sensitivity
	// Given names the profile if the user has written the row; empty for ours, and for those of ours
	// on top of which a profile of the user's lies.
	Given string
}

// Rules lists the rows that can take something out, in order of precedence of their profiles,
// the HTTP rows last. A row of a set is listed for every operation that includes the set.
func (s *Set) Rules() []Rule {
	var rules []Rule
	for i, p := range s.profiles {
		rules = append(rules, p.rules(i < s.users)...)
	}
	if s.http != nil {
		rules = append(rules, s.http.rules(s.givenHTTP())...)
	}
	return rules
}

func (p *Profile) rules(given bool) []Rule {
	halves := []*fields{&p.request, &p.response}
	for _, o := range p.described() {
		halves = append(halves, &o.request, &o.response)
	}
	var rules []Rule
	for _, half := range halves {
		for _, rows := range []rowGroup{{half.rows, half.rowsAt}, {half.headers, half.headersAt}} {
			for _, key := range slices.Sorted(maps.Keys(rows.rows)) {
				f := rows.rows[key]
				if f.Secret == NotSecret {
					continue
				}
				r := Rule{ID: f.Rule, Key: key, Secret: f.Secret}
				if given && p.Wrote(rows.at[key]) {
					r.Given = p.Name
				}
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// Given reports whether rows of the user's may say something of a call.
func (s *Set) Given(c Call) bool {
	return slices.Contains(s.profiles[:s.users], c.Profile) || s.givenHTTP()
}

// givenHTTP reports whether the HTTP rows are the user's.
func (s *Set) givenHTTP() bool { return s.ours != nil && s.ours.http != s.http }

// own returns what the request is without the user's profiles.
func (c Call) own() Call {
	if c.ours == nil {
		return Call{}
	}
	return *c.ours
}

// CallKey tells calls apart of which different things may be known.
type CallKey struct {
	profile, ourProfile     *Profile
	operation, ourOperation *Operation
}

// Key returns the key of the call.
func (c Call) Key() CallKey {
	own := c.own()
	return CallKey{c.Profile, own.Profile, c.Operation, own.Operation}
}

// weak reports whether ours have to be asked about a field: there are rows of the user's, and
// the one that was found takes nothing out, or personal data at most.
func (s *Set) weak(f Field) bool {
	return s.ours != nil && (f.Secret == NotSecret || f.Secret.Personal())
}

// strengthen takes over the secret of another row, unless that is none or personal.
func (f *Field) strengthen(other Field) {
	if other.Secret != NotSecret && !other.Secret.Personal() {
		f.Secret, f.Rule, f.Decides = other.Secret, other.Rule, other.Decides
	}
}

// nameRules gives every row that can take something out its name, once all has been read: the
// row as a profile would place it. The rows of a set have one in each operation.
func (r *reader) nameRules() {
	p := r.profile
	p.request.nameRules(p.Name+"/request", r.spelling)
	p.response.nameRules(p.Name+"/response", r.spelling)
	for _, o := range p.described() {
		o.request.nameRules(p.Name+"/"+o.Name+"/request", r.spelling)
		o.response.nameRules(p.Name+"/"+o.Name+"/response", r.spelling)
	}
}

func (f *fields) nameRules(place string, spelling map[string]string) {
	spelled := func(key string) string { return spelling[key] }
	f.rows = named(f.rows, place+"/", spelled)
	f.headers = named(f.headers, place+"Headers/", http.CanonicalHeaderKey)
}

func named(rows map[string]Field, prefix string, spelled func(string) string) map[string]Field {
	out := make(map[string]Field, len(rows))
	for key, f := range rows {
		if f.Secret != NotSecret || f.Form == Mask || f.Form == Last {
			f.Rule = prefix + spelled(key)
		}
		out[key] = f
	}
	return out
}
