package profile_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// ruled has a row that can take something out at every level.
const ruled = `profile: shop
paths: [/shop/]
sets:
  card: {cardNo: "client shared card, pan", amount: exact}
common:
  request: {passWord: "exact, token"}
  responseHeaders: {X-Key: "exact, key"}
operations:
  pay:
    methods: [POST]
    path: /shop/pay
    carrier: json
    request: {include: [card]}
    response: {masked: mask of card, owner: "client shared, name"}
  hold:
    methods: [POST]
    path: /shop/hold
    carrier: json
    request: {include: [card]}
`

func TestRuleNames(t *testing.T) {
	t.Parallel()
	s := set(t, parse(t, ruled), parse(t, "profile: http\ncommon: {request: {Pin: \"exact, pin\"}}"))
	pay := s.Find("POST", "/shop/pay")
	for place, want := range map[profile.At]string{
		key("cardno"):   "shop/pay/request/cardNo",
		key("PASSWORD"): "shop/request/passWord",
		key("pin"):      "http/request/Pin",
		key("amount"):   "",
		key("unknown"):  "",
	} {
		if f, _ := s.Field(pay, profile.Request, place); f.Rule != want {
			t.Errorf("%s: rule %q, want %q", place.Key, f.Rule, want)
		}
	}
	if f, _ := s.Field(pay, profile.Response, key("masked")); f.Rule != "shop/pay/response/masked" {
		t.Errorf("a mask has rule %q", f.Rule)
	}
	if f, _ := s.HeaderField(pay, profile.Response, "x-key"); f.Rule != "shop/responseHeaders/X-Key" {
		t.Errorf("a header has rule %q", f.Rule)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	s := set(t, parse(t, ruled))
	want := []profile.Rule{
		{ID: "shop/request/passWord", Key: "password", Secret: profile.Token, Given: "shop"},
		{ID: "shop/responseHeaders/X-Key", Key: "x-key", Secret: profile.Key, Given: "shop"},
		{ID: "shop/pay/request/cardNo", Key: "cardno", Secret: profile.PAN, Given: "shop"},
		{ID: "shop/pay/response/owner", Key: "owner", Secret: profile.Name, Given: "shop"},
		{ID: "shop/hold/request/cardNo", Key: "cardno", Secret: profile.PAN, Given: "shop"},
	}
	if diff := cmp.Diff(want, s.Rules()); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

// Every rule of ours has a name of its own, and none is the user's.
func TestBuiltinRules(t *testing.T) {
	t.Parallel()
	rules := builtin(t).Rules()
	ids := map[string]bool{}
	for _, r := range rules {
		if ids[r.ID] || r.ID == "" || r.Given != "" {
			t.Errorf("rule %+v", r)
		}
		ids[r.ID] = true
	}
	for _, id := range []string{
		"gateway/paymentorder.do/request/$PAN", "http/requestHeaders/X-Api-Key",
		"cardv1/generatePin/response/pinValue",
	} {
		if !ids[id] {
			t.Errorf("there is no rule %q", id)
		}
	}
}

// weaker says of fields of ours that they are no secret.
const weaker = `profile: mine
paths: [/payment/]
operations:
  pay:
    methods: [POST]
    path: /payment/rest/paymentorder.do
    carrier: form
    request: {$PAN: exact, $CVC: "client shared, name", password: exact, seToken: exact,
              email: exact, MDORDER: exact, note: "exact, token", text: exact}
    requestHeaders: {Authorization: exact, X-Own: exact}
  other:
    methods: [POST]
    path: /payment/other
    carrier: form
    request: {password: exact, note: exact}
`

// A profile of the user's makes no secret of ours public, wherever ours has it. It may keep
// personal data, and add secrets.
func TestRowsDoNotWeakenOurs(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	for _, text := range []string{weaker, "profile: http\ncommon: {request: {cvc: exact}}"} {
		if err := s.Add(parse(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	pay := s.Find("POST", "/payment/rest/paymentorder.do")
	if pay.Profile.Name != "mine" || !s.Given(pay) {
		t.Fatalf("the call is %q's", pay.Profile.Name)
	}
	other, unknown := s.Find("POST", "/payment/other"), s.Find("POST", "/elsewhere")
	tests := []struct {
		reason string
		call   profile.Call
		key    string
		want   profile.Sensitivity
		rule   string
	}{
		{"a card number of ours", pay, "$PAN", profile.PAN, "gateway/paymentorder.do/request/$PAN"},
		{"called a name", pay, "$cvc", profile.CVC, "gateway/paymentorder.do/request/$CVC"},
		{"a password", pay, "password", profile.Token, "gateway/paymentorder.do/request/password"},
		{"personal data", pay, "email", profile.NotSecret, ""},
		{"a secret more", pay, "note", profile.Token, "mine/pay/request/note"},
		{"no secret of anybody's", pay, "MDORDER", profile.NotSecret, ""},
		{"what holds for all of an API", other, "password", profile.Token, "gateway/request/password"},
		{"a field of the user's alone", other, "note", profile.NotSecret, ""},
		{"the HTTP rows, replaced", unknown, "cvc", profile.CVC, "http/request/cvc"},
		{"the HTTP rows, left out", unknown, "cvv", profile.CVC, "http/request/cvv"},
	}
	for _, tt := range tests {
		f, _ := s.Field(tt.call, profile.Request, key(tt.key))
		if f.Secret != tt.want || f.Rule != tt.rule {
			t.Errorf("%s: %q by %q, want %q by %q", tt.reason, f.Secret, f.Rule, tt.want, tt.rule)
		}
	}
	for name, want := range map[string]profile.Sensitivity{
		"Authorization": profile.Token, "Cookie": profile.Token, "X-Own": profile.NotSecret,
	} {
		if f, _ := s.HeaderField(pay, profile.Request, name); f.Secret != want {
			t.Errorf("header %s: %q, want %q", name, f.Secret, want)
		}
	}
	given := slices.DeleteFunc(s.Rules(), func(r profile.Rule) bool { return r.Given == "" })
	if len(given) != 2 {
		t.Errorf("rules of the user's: %v", given)
	}
}
