package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// spread has rows that agree, that do not, and that are in one direction alone. The operation
// "bare" has none.
const spread = `profile: shop
paths: [/shop/]
lists: [params]
common:
  request: {common: minted common, value: client shared}
operations:
  pay:
    methods: [POST]
    path: /shop/pay
    carrier: json
    request: {rrn: minted sent, only: client unique only, disputed: exact, blob: "ignored, blob",
              note: client shared, both: minted request, payer: "client shared, name",
              day: date yyyymmdd, card: "client shared card, pan", third: exact}
    response: {rrn: minted rrn, a.deep: minted deep, "text>inner": minted inner,
               home: "exact, address", both: exact, params(tip): minted tip}
  hold:
    methods: [POST]
    path: /shop/hold
    carrier: json
    request: {disputed: ignored, payer: client shared, day: date iso, card: client shared card}
    response: {rrn: "minted rrn, token", disputed: minted outcome, both: ignored, third: exact}
  look:
    methods: [POST]
    path: /shop/look
    carrier: json
    request: {third: minted third}
    response: {home: exact, third: ignored}
  bare:
    methods: [POST]
    path: /shop/bare
    carrier: json
`

func TestMeaning(t *testing.T) {
	t.Parallel()
	const http = `profile: http
common: {request: {password: "client shared credential, token", card: "ignored, pan"}}`
	s := set(t, parse(t, spread), parse(t, http))
	minted := func(of string) profile.Field { return profile.Field{From: profile.Minted, Of: of} }
	bare, pay := s.Find("POST", "/shop/bare"), s.Find("POST", "/shop/pay")
	other, foreign := s.Find("POST", "/shop/other"), s.Find("POST", "/bank/x")
	shape := func(key, shape string) profile.At { return profile.At{Key: key, Shape: shape} }
	shared := profile.Field{From: profile.Shared}
	tests := []struct {
		name  string
		call  profile.Call
		dir   profile.Direction
		at    profile.At
		want  profile.Field
		known bool
	}{
		{"a row of its own", pay, profile.Request, key("rrn"), minted("sent"), true},
		{"a row for all operations", bare, profile.Request, key("common"), minted("common"), true},
		{"rows that agree but for their secrets", bare, profile.Response, key("rrn"),
			profile.Field{From: profile.Minted, Of: "rrn", Secret: profile.Token}, true},
		{"in another case", bare, profile.Response, key("RRN"),
			profile.Field{From: profile.Minted, Of: "rrn", Secret: profile.Token}, true},
		{"however deep", bare, profile.Response, shape("rrn", "a.b.rrn"),
			profile.Field{From: profile.Minted, Of: "rrn", Secret: profile.Token}, true},
		{"the same direction first", bare, profile.Request, key("rrn"), minted("sent"), true},
		{"then the other", bare, profile.Response, key("only"),
			profile.Field{From: profile.Unique, Of: "only"}, true},
		{"the other where rows of the same disagree", bare, profile.Request, key("disputed"),
			minted("outcome"), true},
		{"or of the same where the other's do", bare, profile.Request, key("both"),
			minted("request"), true},
		{"the other, whose rows are more", bare, profile.Response, key("both"),
			minted("request"), true},
		{"nothing where both disagree", bare, profile.Response, key("third"), profile.Field{}, false},
		{"forms of dates disagree too", bare, profile.Request, key("day"), profile.Field{}, false},
		{"an address and none", bare, profile.Response, key("home"), profile.Field{}, false},
		{"a personal secret and none", bare, profile.Request, key("payer"),
			profile.Field{From: profile.Shared, Secret: profile.Name}, true},
		{"before the HTTP rows", bare, profile.Request, key("card"),
			profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}, true},
		{"then the HTTP rows", bare, profile.Request, key("password"),
			profile.Field{From: profile.Shared, Of: "credential", Secret: profile.Token}, true},
		{"a path that is not described", other, profile.Response, key("only"),
			profile.Field{From: profile.Unique, Of: "only"}, true},
		{"an API that is not known", foreign, profile.Response, key("rrn"), profile.Field{}, false},
		{"a row by shape", bare, profile.Response, shape("deep", "a.deep"), minted("deep"), true},
		{"for no other shape", bare, profile.Response, shape("deep", "b.deep"),
			profile.Field{}, false},
		{"a row inside a text", bare, profile.Response, shape("inner", "x.text>inner"),
			profile.Field{}, false},
		{"at its place", bare, profile.Response, shape("inner", "text>inner"), minted("inner"), true},
		{"inside what is ignored", pay, profile.Request, shape("only", "blob>only"),
			profile.Field{From: profile.Unique, Of: "only"}, true},
		{"inside what is ignored elsewhere", bare, profile.Request, shape("only", "blob>only"),
			profile.Field{From: profile.Ignored}, false},
		{"inside the client's own object", bare, profile.Request, shape("only", "note.only"),
			shared, false},
		{"in a list by its place, which all have", bare, profile.Request,
			profile.At{Key: "value", Name: "only", Shape: "params.value"}, shared, true},
		{"in a list by its name", bare, profile.Response,
			profile.At{Key: "value", Name: "only", Shape: "params.value"},
			profile.Field{From: profile.Unique, Of: "only"}, true},
		{"in a list by list and name", bare, profile.Response,
			profile.At{Key: "value", Name: "tip", Shape: "params.value"}, minted("tip"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, known := s.Meaning(tt.call, tt.dir, tt.at)
			if diff := cmp.Diff(tt.want, got, anyRule); diff != "" || known != tt.known {
				t.Errorf("known %v, %s", known, diff)
			}
			field, known := s.Field(tt.call, tt.dir, tt.at)
			if known && tt.call != bare && field != got {
				t.Errorf("the row is %+v", field)
			}
		})
	}
}
