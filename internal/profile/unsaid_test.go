package profile_test

import (
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// TestUnsaid tells what is inferred of the calls of a profile.
func TestUnsaid(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text                          string
		infers, asks, denied, failed, nouns bool
	}{
		{"nothing is said", "", true, true, true, true, true},
		{"it reads", "    writes: false\n", true, false, true, true, true},
		{"how it fails", "    failed: [{status: 500}]\n", true, true, true, false, true},
		{"how it is denied", "denied: [{status: 403}]\n", true, true, false, true, true},
		{"nothing is denied", "denied: []\n", true, true, false, true, true},
		{"there is one thing", "entities: {order: {names: [order]}}\n", true, true, true, true, false},
		{"there is no thing", "entities: {}\n", true, true, true, true, false},
		{"all is said", "unsaid: exact\n", false, false, false, false, false},
		{"what is unsaid is inferred", "unsaid: inferred\n", true, true, true, true, true},
	} {
		text := "profile: x\npaths: [/]\noperations:\n  ask:\n    methods: [POST]\n    path: /a\n" +
			"    carrier: json\n    request: {id: minted order}\n" + tt.text
		s := set(t, parse(t, text))
		c := s.Find("POST", "/a")
		got := [...]bool{c.Infers(), c.Asks(), c.DeniedUnsaid(), c.FailureUnsaid(), c.InfersNoun("order")}
		if want := [...]bool{tt.infers, tt.asks, tt.denied, tt.failed, tt.nouns}; got != want {
			t.Errorf("%s: %v, want %v", tt.name, got, want)
		}
		if !s.Said(c, profile.Request, key("id")) || s.Said(c, profile.Request, key("other")) {
			t.Errorf("%s: the row is not what is said", tt.name)
		}
	}
	unknown := (&profile.Set{}).Find("POST", "/a")
	if !unknown.Infers() || !unknown.Asks() || !unknown.InfersNoun("order") || !unknown.DeniedUnsaid() {
		t.Error("an API without a profile is not inferred")
	}
	gateway := builtin(t).Find("POST", "/payment/rest/register.do")
	if gateway.Infers() || gateway.Asks() || gateway.DeniedUnsaid() || gateway.InfersNoun("rrn") {
		t.Error("what ours leave unsaid is inferred")
	}
	rows := builtin(t)
	if rows.Said(profile.Call{}, profile.Request, key("password")) ||
		rows.SaidHeader(profile.Call{}, profile.Request, "Authorization") {
		t.Error("the rows for all APIs say something of an API")
	}
	if rows.InfersLogin(gateway) || !rows.InfersLogin(unknown) {
		t.Error("a login is inferred where a profile tells, or not where none does")
	}
}
