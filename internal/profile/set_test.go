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
		{"the prefix itself", "PUT", "/v2/cards", "cardv2", ""},
		{"another API of a version 2", "GET", "/v2/payments/1", "", ""},
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

// TestSigns: what is signed or hashed holds for the request as its client has sent it.
func TestSigns(t *testing.T) {
	t.Parallel()
	s, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]bool{
		"X-Hash": true, "X-Signature": true, "signature-input": true, "Content-Digest": true,
		"Digest": true, "Content-MD5": true, "Authorization": false, "X-Unknown": false,
	} {
		f, _ := s.HeaderField(s.Find("POST", "/payment/rest/register.do"), profile.Request, header)
		if f.Signs != want {
			t.Errorf("%s signs %v, want %v", header, f.Signs, want)
		}
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
