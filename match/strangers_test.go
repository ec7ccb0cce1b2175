package match_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
)

// TestStrangers tells of profiles that do not meet the tape.
func TestStrangers(t *testing.T) {
	t.Parallel()
	operation := func(path string) string {
		return "  pay: {methods: [POST], path: " + path + ", carrier: json}\n"
	}
	for _, tt := range []struct {
		name, text string
		want       string // how the hint begins; "!" before a warning, "" for none
	}{
		{"it fits", "profile: shop\npaths: [/shop/]\noperations:\n" + operation("/shop/pay"), ""},
		{"a row more", "extends: gateway\ncommon: {request: {zz: ignored}}\n", "no exchange is below " +
			`the paths of profile "gateway" (mine.yaml): /payment/; paytape profile check`},
		{"an operation that the tape does not need", "profile: shop\npaths: [/shop/]\noperations:\n" +
			operation("/shop/pay") + "  look: {methods: [GET], path: /shop/look, carrier: none}\n", ""},
		{"a misspelt path", "profile: shop\npaths: [/shop/]\noperations:\n" + operation("/shop/pya"),
			`!profile "shop" has no operation for #1, and no exchange has /shop/pya (mine.yaml:4:3); `},
		{"elsewhere", "profile: shop\npaths: [/bank/]\noperations:\n" + operation("/bank/pay"),
			`no exchange is below the paths of profile "shop" (mine.yaml): /bank/; paytape`},
		{"rows for all APIs", "extends: http\ncommon: {request: {zz: ignored}}\n", ""},
	} {
		set := ownProfiles(t)
		p, err := profile.Parse("mine.yaml", []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Add(p); err != nil {
			t.Fatal(err)
		}
		xs := tape(`POST /shop/pay {"amount":100} => {"state":"paid"}`)
		tp := match.Compile(match.Options{Profiles: set}, match.Cassette{Name: "t", Exchanges: xs})
		got := ""
		for _, h := range match.Hints(tp) {
			if h.Warning {
				got = "!"
			}
			got += h.Text
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
