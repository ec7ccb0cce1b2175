package profile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// minimal is a profile that parses; error rows spoil one line of it.
const minimal = `profile: shop
title: A shop
document: 7
paths: [/shop/]
lists: [extras]
denied: [{status: 401}, {key: code, value: 5}]
sets:
  login: {user: client shared login}
  more: {include: [login], note: client shared}
  other: {user: exact}
common:
  requestHeaders: {X-Key: "client shared credential, token"}
operations:
  pay:
    methods: [POST, PUT]
    path: /shop/{id}/pay
    carrier: json
    writes: true
    opens: payment
    doc: Paying
    request:
      include: [more]
      id: minted payment
    response: {url: "exact, address"}
  look:
    methods: [GET]
    path: /shop/{id}
    carrier: none
    document: a letter
    doc: page 2
`

func TestParse(t *testing.T) {
	t.Parallel()
	p := parse(t, minimal)
	pay := p.Operations[0]
	type facts struct {
		Name, Title, Doc, OtherDoc, Opens string
		Paths, Methods                    []string
		Lists                             map[string]bool
		Denied                            []profile.Condition
		Carrier                           profile.Carrier
		Writes, OtherWrites               bool
	}
	got := facts{
		Name: p.Name, Title: p.Title, Doc: pay.Doc, OtherDoc: p.Operations[1].Doc,
		Opens: pay.Opens, Paths: p.Paths, Methods: pay.Methods, Lists: p.Lists,
		Denied: p.Denied, Carrier: pay.Carrier, Writes: pay.Writes,
		OtherWrites: p.Operations[1].Writes,
	}
	want := facts{
		Name: "shop", Title: "A shop", Doc: "document 7, Paying", OtherDoc: "a letter, page 2",
		Opens: "payment", Paths: []string{"/shop/"}, Methods: []string{"POST", "PUT"},
		Lists:   map[string]bool{"extras": true},
		Denied:  []profile.Condition{{Status: 401}, {Key: "code", Value: "5"}},
		Carrier: profile.CarrierJSON, Writes: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if pay.Profile != p {
		t.Error("the operation does not lead back to its profile")
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		row  string
		want profile.Field
	}{
		{"exact", profile.Field{}},
		{"ignored", profile.Field{From: profile.Ignored}},
		{"ignored, cvc", profile.Field{From: profile.Ignored, Secret: profile.CVC}},
		{"client unique order-number", profile.Field{From: profile.Unique, Of: "order-number"}},
		{"client shared", profile.Field{From: profile.Shared}},
		{"client shared card, pan",
			profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}},
		{"client shared, address", // where somebody lives
			profile.Field{From: profile.Shared, Secret: profile.Address}},
		{"exact, address", profile.Field{Address: true}}, // a URL
		{"exact, token, address", profile.Field{Secret: profile.Token, Address: true}},
		{"minted order", profile.Field{From: profile.Minted, Of: "order"}},
		{"date iso", profile.Field{From: profile.Date, Form: profile.ISO}},
		{"date yyyy-mm-dd", profile.Field{From: profile.Date, Form: profile.Day}},
		{"mask of card",
			profile.Field{From: profile.Rendering, Form: profile.Mask, Of: "card"}},
		{"last of rrn",
			profile.Field{From: profile.Rendering, Form: profile.Last, Of: "rrn"}},
		{"  unpadded   of  rrn ,token ", profile.Field{
			From: profile.Rendering, Form: profile.Unpadded, Of: "rrn", Secret: profile.Token}},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			p := parse(t, "profile: x\npaths: [/]\n"+
				"common: {request: {f: \""+tt.row+"\"}, response: {rrn: minted rrn}}")
			got, known := set(t, p).Field(profile.Call{Profile: p}, profile.Request, key("f"))
			if diff := cmp.Diff(tt.want, got, anyRule); diff != "" || !known {
				t.Errorf("known %v, %s", known, diff)
			}
		})
	}
}

// A special pattern and a general one may both match a path: the special one wins.
func TestPathsThatMayStand(t *testing.T) {
	t.Parallel()
	text := strings.Replace(minimal, "path: /shop/{id}\n", "path: /shop/latest/pay\n", 1)
	text = strings.Replace(text, "[GET]", "[POST]", 1)
	s := set(t, parse(t, text))
	if got := s.Find("POST", "/shop/latest/pay").Operation; got.Name != "look" {
		t.Errorf("found %q", got.Name)
	}
	if got := s.Find("PUT", "/shop/latest/pay").Operation; got.Name != "pay" {
		t.Errorf("found %q", got.Name)
	}
}

func parse(t testing.TB, text string) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// set returns a set of the given profiles and nothing else.
func set(t testing.TB, profiles ...*profile.Profile) *profile.Set {
	t.Helper()
	s := &profile.Set{}
	for _, p := range profiles {
		if err := s.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func key(k string) profile.At { return profile.At{Key: k, Shape: k} }
