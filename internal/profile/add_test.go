package profile_test

import (
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// one is a profile with one operation.
func one(name, prefix, operation, path string) string {
	return "profile: " + name + "\npaths: [" + prefix + "]\noperations:\n  " + operation +
		": {methods: [POST], path: \"" + path + "\", carrier: form}"
}

func TestAdd(t *testing.T) {
	t.Parallel()
	const register = "/payment/rest/register.do"
	tests := []struct {
		name  string
		add   []string
		path  string
		want  string // profile of the call
		count int
	}{
		{"nothing", nil, register, "gateway", 3},
		{"a path that ours has", []string{one("mine", "/payment/", "x", register)},
			register, "mine", 4},
		{"a general path over ours", []string{one("mine", "/payment/", "x", "/payment/rest/{call}")},
			register, "mine", 4},
		{"a neighbour", []string{one("mine", "/payment/", "x", "/payment/rest/y.do")},
			register, "gateway", 4},
		{"whose prefix is the same, where neither describes the call",
			[]string{one("mine", "/payment/", "x", "/payment/y")}, "/payment/z", "mine", 4},
		{"whose prefix is shorter", []string{one("mine", "/", "x", "/y")},
			"/payment/z", "gateway", 4},
		{"whose prefix is longer", []string{one("mine", "/payment/rest/", "x", "/payment/rest/y")},
			"/payment/rest/z", "mine", 4},
		{"in place of ours", []string{one("gateway", "/gw/", "x", "/gw/x")}, register, "", 3},
		{"two", []string{one("mine", "/a/", "x", "/a/x"), one("yours", "/b/", "x", "/b/x")},
			"/a/x", "mine", 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := builtin(t)
			for _, text := range tt.add {
				if err := s.Add(parse(t, text)); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			if p := s.Find("POST", tt.path).Profile; p != nil {
				got = p.Name
			}
			if got != tt.want || len(s.Profiles()) != tt.count {
				t.Errorf("%s is %q's, %d profiles; want %q, %d",
					tt.path, got, len(s.Profiles()), tt.want, tt.count)
			}
		})
	}
}

func TestAddErrors(t *testing.T) {
	t.Parallel()
	s := set(t, parse(t, one("mine", "/a/", "x", "/a/{id}")))
	tests := []struct {
		name string
		add  *profile.Profile
		want string
	}{
		{"none", nil, "adding a profile: expected one that was parsed, found none"},
		{"not parsed", &profile.Profile{Name: "mine"},
			"adding a profile: expected one that was parsed, found none"},
		{"a path of another", parse(t, one("yours", "/a/", "y", "/a/{any}")),
			`test.yaml:4:3: operation "y": expected a path that no other file describes, ` +
				`found that of "x" (test.yaml:4:3)`},
		{"a name of another", parse(t, one("mine", "/b/", "y", "/b/y")),
			`test.yaml:1:1: expected a name that no other file has, found "mine" of test.yaml too: let ` +
				`one extend the other (extends: FILE), or give it a name of its own (profile: NAME)`},
	}
	for _, tt := range tests {
		err := s.Add(tt.add)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if got := len(s.Profiles()); got != 1 {
		t.Errorf("%d profiles after errors", got)
	}
}

// The HTTP rows can be replaced like any profile.
func TestAddHTTP(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	if err := s.Add(parse(t, httpRows)); err != nil {
		t.Fatal(err)
	}
	if _, known := s.HeaderField(profile.Call{}, profile.Request, "X-Http"); !known {
		t.Error("the new rows are not there")
	}
	if _, known := s.HeaderField(profile.Call{}, profile.Request, "Cookie"); known {
		t.Error("the old rows are still there")
	}
	if got := len(s.Profiles()); got != 3 {
		t.Errorf("%d profiles of APIs", got)
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cardv1", "cardv2", "gateway", "http"} {
		data, err := profile.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		if p := parse(t, string(data)); p.Name != name {
			t.Errorf("%s.yaml holds %q", name, p.Name)
		}
	}
	_, err := profile.Source("../profile")
	const want = `no profile "../profile" among cardv1, cardv2, gateway and http`
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
