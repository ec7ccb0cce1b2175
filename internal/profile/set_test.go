package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

func builtin(t testing.TB) *profile.Set {
	t.Helper()
	s, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	tests := []struct {
		name, method, path string
		profile, operation string
	}{
		{"a call of the gateway", "POST", "/payment/rest/register.do", "gateway", "register.do"},
		{"the same with everything in the query", "GET", "/payment/rest/register.do",
			"gateway", "register.do"},
		{"escaped for no reason", "GET", "/payment/rest/register%2Edo", "gateway", "register.do"},
		{"a bad escape", "GET", "/payment/rest/register%2do%", "gateway", ""},
		{"empty segments do not count", "GET", "/payment//rest/register.do/",
			"gateway", "register.do"},
		{"names are case-sensitive", "POST", "/payment/rest/Register.do", "gateway", ""},
		{"a method that the operation does not have", "PUT", "/payment/rest/register.do",
			"gateway", ""},
		{"methods are case-sensitive", "post", "/payment/rest/register.do", "gateway", ""},
		{"a path parameter", "GET", "/v2/cards/17", "cardv2", "GET /cards/{id}"},
		{"the method chooses", "PATCH", "/v2/cards/17", "cardv2", "PATCH /cards/{id}"},
		{"an escaped parameter", "GET", "/v2/cards/a%2Fb", "cardv2", "GET /cards/{id}"},
		{"a parameter is one segment", "GET", "/v2/cards/1/2", "cardv2", ""},
		{"a parameter is not empty", "GET", "/v2/cards/", "cardv2", ""},
		{"the prefix itself", "GET", "/v2", "cardv2", ""},
		{"no more than its letters", "GET", "/v20/cards/1", "", ""},
		{"version 1", "POST", "/v1/apigate/ws/rest/p2PTransfer", "cardv1", "p2PTransfer"},
		{"version 1 by its title", "POST", "/v1/apigate/ws/rest/p2pTransfer", "cardv1", ""},
		{"nobody's path", "GET", "/favicon.ico", "", ""},
		{"the root", "GET", "/", "", ""},
		{"no path", "OPTIONS", "*", "", ""},
		{"nothing", "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := s.Find(tt.method, tt.path)
			var p, o string
			if c.Profile != nil {
				p = c.Profile.Name
			}
			if c.Operation != nil {
				o = c.Operation.Name
			}
			if p != tt.profile || o != tt.operation {
				t.Errorf("found %q, %q; want %q, %q", p, o, tt.profile, tt.operation)
			}
		})
	}
}

func TestSegment(t *testing.T) {
	t.Parallel()
	o := parse(t, minimal).Operations[0]
	var got []string
	for i := -1; i < 5; i++ {
		got = append(got, o.Segment(i))
	}
	if diff := cmp.Diff([]string{"", "", "id", "", "", ""}, got); diff != "" {
		t.Errorf("segments of %s: %s", o.Path, diff)
	}
}

// layers has a row of each kind for every level, so that the level shows in the noun.
const layers = `profile: shop
paths: [/shop/]
lists: [params]
common:
  request: {common: minted profile, both: minted profile, value: minted any}
  response: {common: minted answer}
  requestHeaders: {X-Common: minted profile, X-Both: minted profile}
operations:
  pay:
    methods: [POST]
    path: /shop/{id}
    carrier: json
    request: {both: minted operation, a.deep: minted shape, text>deep: minted inner,
              deep: minted key, note: minted note, params.value: minted place,
              cards.cvc: minted shaped}
    requestHeaders: {X-Both: minted operation}
`

const httpRows = `profile: http
common:
  request: {both: minted http, secret: minted http}
  requestHeaders: {X-Both: minted http, X-Http: minted http}
`

func TestField(t *testing.T) {
	t.Parallel()
	p := parse(t, layers)
	s := set(t, p, parse(t, httpRows))
	pay := s.Find("POST", "/shop/1")
	owned, unknown := s.Find("GET", "/shop/1"), s.Find("GET", "/elsewhere")
	named := func(list, name string) profile.At {
		return profile.At{Key: "value", Name: name, Shape: list + ".value"}
	}
	tests := []struct {
		name string
		call profile.Call
		dir  profile.Direction
		at   profile.At
		want string // noun of the row; "" if none is known
	}{
		{"the operation first", pay, profile.Request, key("both"), "operation"},
		{"then the profile", owned, profile.Request, key("both"), "profile"},
		{"then what holds for all", unknown, profile.Request, key("both"), "http"},
		{"from the operation down", pay, profile.Request, key("secret"), "http"},
		{"directions are apart", pay, profile.Response, key("common"), "answer"},
		{"no row", pay, profile.Request, key("colour"), ""},
		{"case does not count", pay, profile.Request, key("BOTH"), "operation"},
		{"a shape beats a key", pay, profile.Request,
			profile.At{Key: "deep", Shape: "a.deep"}, "shape"},
		{"nor does case in a shape", pay, profile.Request,
			profile.At{Key: "Deep", Shape: "A.Deep"}, "shape"},
		{"a document in a text", pay, profile.Request,
			profile.At{Key: "deep", Shape: "text>deep"}, "inner"},
		{"a shape is whole", pay, profile.Request,
			profile.At{Key: "deep", Shape: "b.a.deep"}, "key"},
		{"a key however deep", pay, profile.Request,
			profile.At{Key: "both", Shape: "x.y.both"}, "operation"},
		{"a value goes by its name", pay, profile.Request, named("params", "note"), "note"},
		{"by its name in a list further in", pay, profile.Request,
			named("order.params", "note"), "note"},
		{"by its name in a text", pay, profile.Request, named("text>params", "NOTE"), "note"},
		{"by its name before all else", pay, profile.Request, named("params", "secret"), "http"},
		{"by its place if the name has no row", pay, profile.Request,
			named("params", "colour"), "place"},
		{"by its key if the place has none", owned, profile.Request,
			named("params", "colour"), "any"},
		{"by its key where it is no such list", pay, profile.Request,
			named("limits", "note"), "any"},
		{"by its name where lists are unknown", unknown, profile.Request,
			named("params", "secret"), "http"},
		{"by no name at the top", pay, profile.Request,
			profile.At{Key: "value", Name: "note", Shape: "value"}, "any"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, known := s.Field(tt.call, tt.dir, tt.at)
			if f.Of != tt.want || known != (tt.want != "") {
				t.Errorf("field of %q, known %v; want %q", f.Of, known, tt.want)
			}
		})
	}
}

func TestHeaderField(t *testing.T) {
	t.Parallel()
	s := set(t, parse(t, layers), parse(t, httpRows))
	pay, owned := s.Find("POST", "/shop/1"), s.Find("GET", "/shop/1")
	tests := []struct {
		name   string
		call   profile.Call
		dir    profile.Direction
		header string
		want   string
	}{
		{"the operation first", pay, profile.Request, "x-both", "operation"},
		{"then the profile", owned, profile.Request, "X-BOTH", "profile"},
		{"from the operation down", pay, profile.Request, "X-Common", "profile"},
		{"then what holds for all", profile.Call{}, profile.Request, "X-Both", "http"},
		{"all the way down", pay, profile.Request, "X-Http", "http"},
		{"directions are apart", pay, profile.Response, "X-Both", ""},
		{"a field is no header", pay, profile.Request, "both", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, known := s.HeaderField(tt.call, tt.dir, tt.header)
			if f.Of != tt.want || known != (tt.want != "") {
				t.Errorf("field of %q, known %v; want %q", f.Of, known, tt.want)
			}
		})
	}
}

// The zero Set knows nothing and says so.
func TestZeroSet(t *testing.T) {
	t.Parallel()
	var s profile.Set
	if c := s.Find("POST", "/payment/rest/register.do"); c != (profile.Call{}) {
		t.Error("found a call")
	}
	if _, known := s.Field(profile.Call{}, profile.Request, key("pan")); known {
		t.Error("knows a field")
	}
	at := profile.At{Key: "value", Name: "pan", Shape: "value"}
	if _, known := s.Field(profile.Call{}, profile.Request, at); known {
		t.Error("knows a named field")
	}
	if _, known := s.HeaderField(profile.Call{}, profile.Request, "Cookie"); known {
		t.Error("knows a header")
	}
}

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
		{"in place of itself", []string{one("mine", "/a/", "x", "/a/x"),
			one("mine", "/payment/", "x", register)}, register, "mine", 4},
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
			`adding profile "yours": operation "y": expected a path that no other profile ` +
				`answers, found that of "x" in profile "mine"`},
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
