package profile_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// table reads a file of tab-separated rows; "#" begins a comment.
func table(t *testing.T, file string) [][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return rows
}

func TestOperations(t *testing.T) {
	t.Parallel()
	want := table(t, "testdata/operations.txt")
	var got [][]string
	for _, p := range builtin(t).Profiles() {
		for _, o := range p.Operations {
			effect, opens := "reads", "-"
			if o.Writes {
				effect = "writes"
			}
			if o.Opens != "" {
				opens = o.Opens
			}
			got = append(got, []string{p.Name, o.Name, strings.Join(o.Methods, ","), o.Path,
				string(o.Carrier), effect, opens})
			if !strings.HasPrefix(o.Doc, "document ") && !strings.HasPrefix(o.Doc, "domain facts, ") {
				t.Errorf("%s: doc is %q", o.Name, o.Doc)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// documented is a line of testdata/fields.txt.
type documented struct {
	call  profile.Call
	dir   profile.Direction
	place string
	kind  string
}

// look asks the set for the field at the place.
func (d documented) look(s *profile.Set) (profile.Field, bool) {
	kind, name, found := strings.Cut(d.place, " ")
	switch {
	case found && kind == "header":
		return s.HeaderField(d.call, d.dir, name)
	case found: // the segment of a path parameter has no shape of its own
		return s.Field(d.call, d.dir, profile.At{Key: name, Shape: "2"})
	}
	if list, rest, found := strings.Cut(d.place, "("); found {
		return s.Field(d.call, d.dir, profile.At{
			Key: "value", Name: strings.TrimSuffix(rest, ")"), Shape: list + ".value"})
	}
	key := d.place[strings.LastIndexAny(d.place, ".>")+1:]
	at := profile.At{Key: strings.TrimPrefix(key, "@"), Shape: d.place} // "@" is of attributes
	return s.Field(d.call, d.dir, at)
}

func is[T comparable](v T, among ...T) bool { return slices.Contains(among, v) }

func clear(f profile.Field) bool { return f.Secret == profile.NotSecret }

// kinds say what must be known of the fields of a kind.
var kinds = map[string]func(profile.Field) bool{
	"plain": func(f profile.Field) bool {
		return clear(f) && is(f.From, profile.Exact, profile.Shared, profile.Ignored) && f.Of == ""
	},
	"client": func(f profile.Field) bool {
		return clear(f) && is(f.From, profile.Unique, profile.Shared)
	},
	"minted": func(f profile.Field) bool {
		return clear(f) && (f.From == profile.Minted || f.Address ||
			f.From == profile.Rendering && is(f.Form, profile.Last, profile.Unpadded))
	},
	"date": func(f profile.Field) bool { return clear(f) && f.From == profile.Date },
	"mask": func(f profile.Field) bool {
		return clear(f) && f.From == profile.Rendering && f.Of == "card"
	},
	"card": func(f profile.Field) bool {
		return f.Secret == profile.PAN && f.Of == "card" &&
			is(f.From, profile.Shared, profile.Minted)
	},
	"template": func(f profile.Field) bool { return f == profile.Field{} },
	"cvc":      func(f profile.Field) bool { return f.Secret == profile.CVC && f.Of == "" },
	"pin":      func(f profile.Field) bool { return f.Secret == profile.PIN && f.Of == "" },
	"secret": func(f profile.Field) bool {
		return is(f.Secret, profile.Token, profile.Key, profile.Blob) &&
			is(f.Of, "", "credential")
	},
	"personal": func(f profile.Field) bool {
		return is(f.Of, "", "phone") && f.Secret.Personal() && (f.From == profile.Shared ||
			f.From == profile.Ignored && f.Secret == profile.IP)
	},
}

func TestEveryDocumentedField(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	calls := map[string]profile.Call{"http -": {}}
	for _, p := range s.Profiles() {
		calls[p.Name+" -"] = profile.Call{Profile: p}
		for _, o := range p.Operations {
			calls[p.Name+" "+o.Name] = profile.Call{Profile: p, Operation: o}
		}
	}
	directions := map[string]profile.Direction{
		"request": profile.Request, "response": profile.Response,
	}
	for _, row := range table(t, "testdata/fields.txt") {
		call, found := calls[row[0]+" "+row[1]]
		if !found {
			t.Fatalf("no operation %q in profile %q", row[1], row[0])
		}
		d := documented{call: call, dir: directions[row[2]], place: row[3], kind: row[4]}
		f, known := d.look(s)
		switch {
		case !known:
			t.Errorf("%v: no row", row)
		case !kinds[d.kind](f):
			t.Errorf("%v: %+v", row, f)
		}
	}
}

// Whatever is secret in a request and differs by call or must not be stored as equal to
// anything matches anything.
func TestVerificationValuesNeverMatch(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	for _, row := range table(t, "testdata/fields.txt") {
		if row[2] != "request" || !is(row[4], "cvc", "pin") {
			continue
		}
		c := profile.Call{}
		for _, p := range s.Profiles() {
			for _, o := range p.Operations {
				if p.Name == row[0] && o.Name == row[1] {
					c = profile.Call{Profile: p, Operation: o}
				}
			}
		}
		d := documented{call: c, dir: profile.Request, place: row[3]}
		if f, _ := d.look(s); f.From != profile.Ignored {
			t.Errorf("%v: %+v", row, f)
		}
	}
}

func TestDenied(t *testing.T) {
	t.Parallel()
	got := map[string][]profile.Condition{}
	for _, p := range builtin(t).Profiles() {
		got[p.Name] = p.Denied
	}
	want := map[string][]profile.Condition{
		"cardv1": {{Status: 401}}, "cardv2": {{Status: 401}},
		"gateway": {{Key: "errorCode", Value: "5"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
