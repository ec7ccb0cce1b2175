package profile_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// Whatever the bytes: a profile or an error with file and line, never both; and what was
// parsed can be added and finds each of its operations.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		minimal, layers, acting, worded, httpRows, "",
		phrased("a[b ${c|d}]"), "profile: x\noutcome: {codes: {a: {include: declines}}, words: [{}]}", "# nothing\n", "---\n---\n", "a: &a [*a]",
		"<<: {profile: x}",
		"profile: x\nsets: {a: {include: []}}", "\xff\xfe", "profile: !!binary eA==", "? [a]\n: b",
		"%YAML 1.2\n---\nprofile: x", "profile: x\npaths: [\"\"]", "profile: x\ndenied: [{}]",
		"profile: x\nentities: {a: {names: [a], of: b}, b: {names: [b], of: a}}",
		"profile: x\nfailed: [{status: +400+}]\nentities: {a: {names: [], key: {a: {}}}}",
		"extends: gateway\nsets: {error: {errorCode: remove}}", "extends: http\ncommon: remove",
		"extends: cardv2\noperations: {POST /cards: remove}\nentities: {card: {names: [a]}}",
		one("x", "/", "o", "/{a}/b/{c}"), "profile: x\ncommon: {request: {? : exact}}",
	} {
		f.Add([]byte(seed))
	}
	place := regexp.MustCompile(`^fuzz\.yaml:[0-9]+:[0-9]+: `)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := profile.Parse("fuzz.yaml", data)
		if err != nil {
			if p != nil || !place.MatchString(err.Error()) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("profile %v, error %q", p != nil, err)
			}
			return
		}
		checkEntities(t, p)
		s := set(t, p)
		if p.Name == "http" {
			return // rows for all APIs, of which none is looked for by path
		}
		for _, o := range p.Operations {
			checkFound(t, s, o)
		}
	})
}

// checkEntities looks whether all that is said of entities leads to one.
func checkEntities(t *testing.T, p *profile.Profile) {
	t.Helper()
	known := map[string]bool{}
	for _, e := range p.Entities {
		known[e.Name] = true
		for _, noun := range e.Names {
			if p.Entity(noun) != e {
				t.Fatalf("noun %q of %q is of another", noun, e.Name)
			}
		}
	}
	var named []string
	for _, e := range p.Entities {
		named = append(named, e.Of...)
	}
	for _, o := range p.Operations {
		named = append(named, o.Uses...)
		if o.List != nil && p.Entity(o.List.Noun) == nil {
			t.Fatalf("a list of %q", o.List.Noun)
		}
	}
	for _, name := range named {
		if !known[name] {
			t.Fatalf("nobody is called %q", name)
		}
	}
}

// checkFound fills the parameters of a pattern and expects the operation, or one whose
// pattern is more special and happens to have the filling.
func checkFound(t *testing.T, s *profile.Set, o *profile.Operation) {
	t.Helper()
	segments := strings.Split(o.Path, "/")
	for i := range segments[1:] {
		if o.Segment(i) != "" {
			segments[i+1] = "filling"
		}
	}
	path := strings.Join(segments, "/")
	for _, m := range o.Methods {
		c := s.Find(m, path)
		if c.Operation != o && !strings.Contains(c.Operation.Path, "filling") {
			t.Fatalf("%s %s finds %q, not %q", m, path, c.Operation.Name, o.Name)
		}
	}
}

// Names of any length and alphabet are looked up without trouble, and a row is found by the
// name it was written with.
func FuzzField(f *testing.F) {
	f.Add("orderId", "a.b", "mdOrder")
	f.Add(strings.Repeat("long", 40), "жЖ", "\xff")
	s := builtin(f)
	call := s.Find("POST", "/payment/rest/getOrderStatusExtended.do")
	f.Fuzz(func(t *testing.T, key, shape, name string) {
		at := profile.At{Key: key, Shape: shape, Name: name}
		got, known := s.Field(call, profile.Response, at)
		at.Key, at.Shape = upper(key), upper(shape)
		// A list is known by its exact key, so only a leaf outside lists may change case.
		again, knownAgain := s.Field(call, profile.Response, at)
		if name == "" && (got != again || known != knownAgain) {
			t.Fatalf("case counts in %q, %q", key, shape)
		}
		if !known && got != (profile.Field{}) {
			t.Fatalf("an unknown field is %+v", got)
		}
		at.Key, at.Shape = key, shape
		means, meant := s.Meaning(call, profile.Response, at)
		if again, _ := s.Meaning(call, profile.Response, at); again != means {
			t.Fatalf("%q, %q means another thing the second time", key, shape)
		}
		if known && !meant {
			t.Fatalf("%q, %q has a row and no meaning", key, shape)
		}
	})
}

// upper writes ASCII letters as capitals.
func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// BenchmarkLookup is what a request costs: its operation, two fields that the operation
// knows, one by name in a list, and one that nobody knows.
func BenchmarkLookup(b *testing.B) {
	s := builtin(b)
	ats := []profile.At{
		{Key: "orderNumber", Shape: "orderNumber"},
		{Key: "maskedPan", Shape: "cardAuthInfo.maskedPan"},
		{Key: "value", Name: "mdOrder", Shape: "attributes.value"},
		{Key: "colour", Shape: "some.object.of.no.profile.colour"},
	}
	b.ReportAllocs()
	for b.Loop() {
		c := s.Find("POST", "/payment/rest/getOrderStatusExtended.do")
		for _, at := range ats {
			s.Field(c, profile.Response, at)
		}
	}
}

// BenchmarkMeaning asks the same as BenchmarkLookup, and for a field that only other operations
// know.
func BenchmarkMeaning(b *testing.B) {
	s := builtin(b)
	ats := []profile.At{
		{Key: "orderNumber", Shape: "orderNumber"},
		{Key: "maskedPan", Shape: "cardAuthInfo.maskedPan"},
		{Key: "value", Name: "mdOrder", Shape: "attributes.value"},
		{Key: "colour", Shape: "some.object.of.no.profile.colour"},
	}
	for _, look := range []struct {
		name string
		at   []profile.At
		ask  func(profile.Call, profile.Direction, profile.At) (profile.Field, bool)
	}{
		{"Field", ats, s.Field}, {"Meaning", ats, s.Meaning},
		{"elsewhere", []profile.At{{Key: "panMaskedTo", Shape: "panMaskedTo"}}, s.Meaning},
	} {
		b.Run(look.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := s.Find("POST", "/payment/rest/getOrderStatusExtended.do")
				for _, at := range look.at {
					look.ask(c, profile.Response, at)
				}
			}
		})
	}
}

// BenchmarkBuiltin is what every start of the program pays.
func BenchmarkBuiltin(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		builtin(b)
	}
}
