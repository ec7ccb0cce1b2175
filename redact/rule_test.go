package redact_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// fired returns how often the rules of a Redactor took something out, without those that did not.
func fired(r *redact.Redactor) map[string]int {
	counts := map[string]int{}
	for _, rule := range r.Rules() {
		if rule.Hits > 0 {
			counts[rule.ID] = rule.Hits
		}
	}
	return counts
}

// TestRulesCount names the rule for every way in which something is found.
func TestRulesCount(t *testing.T) {
	own := "427600" + "1234567891" // fails Luhn
	tests := []struct {
		name string
		edit edit
		want map[string]int
	}{
		{"rows of an operation", func(x *leaf.Exchange) { *x = *checkout(visa, "123") }, map[string]int{
			"gateway/paymentorder.do/request/$PAN": 1, "gateway/paymentorder.do/request/$CVC": 1,
			"gateway/paymentorder.do/request/password": 1, "gateway/paymentorder.do/request/TEXT": 1}},
		{"rows for every API", sent("X-Api-Key", apiKey), map[string]int{
			"http/requestHeaders/X-Api-Key": 2}},
		{"a keyword", answer(`{"userPassword":"` + password + `","kpin":"7728"}`),
			map[string]int{"keyword/password": 1, "keyword/kpin": 1}},
		{"an object of a keyword", answer(`{"credentials":{"a":"` + password + `"}}`),
			map[string]int{"keyword/credentials": 1}},
		{"a keyword in text", answer("PIN is 7728; password=" + password),
			map[string]int{"keyword/pin": 1, "keyword/password": 1}},
		{"a word of another alphabet", answer("пароль: 773829"), map[string]int{"keyword/пароль": 1}},
		{"a name beside a value", answer(`{"name":"userPin","value":"7728"}`),
			map[string]int{"keyword/userpin": 1}},
		{"a vague word", answer(`{"sid":"s3ss10n-9"}`), map[string]int{"keyword/sid": 1}},
		{"credentials in a header", sent("Authorization", "Bearer "+apiKey), map[string]int{
			"http/requestHeaders/Authorization": 2}},
		{"a shape", answer(`{"x":"` + visa + `"}`), map[string]int{"shape/pan": 1}},
		{"a track", answer("x ;" + visa + "=30122011234567890?"),
			map[string]int{"shape/pan": 1, "shape/track": 1}},
		{"a shape inside base64", answer("see " + base64Of("card "+visa) + "."),
			map[string]int{"shape/pan": 1}},
		{"a keyword inside base64", answer("see " + base64Of("the password="+password) + "."),
			map[string]int{"keyword/password": 1}},
		{"what nobody reads to its end", answer("see " +
			base64Of(gzipOf(strings.Repeat("a", 1<<21))) + "."), map[string]int{"packed": 1}},
		{"a prefix", answer(`{"x":"` + own + `","y":"` + visa + `"}`),
			map[string]int{"prefix/427600": 1, "shape/pan": 1}},
		{"a prefix in a field", answer(`{"pan":"` + own + `"}`),
			map[string]int{"prefix/427600": 1, "http/response/pan": 1}},
		{"a URL's password", target("https://shop:" + password + "@h/x"),
			map[string]int{"shape/userinfo": 1}},
		{"a URL's password in text", answer("see https://shop:" + password + "@h/x"),
			map[string]int{"shape/userinfo": 1}},
		{"a credential of known form", answer(`{"k":"sk_` + `live_4eC39HqLyjWDarjtT1zdp7dc"}`),
			map[string]int{"shape/credential": 1}},
		{"taint", answer(`{"password":"` + password + `","note":"` + password + `"}`),
			map[string]int{"http/response/password": 1, "taint": 1}},
		{"an echo", answer(`{"password":"x7y8","message":"x7y8 is wrong"}`),
			map[string]int{"http/response/password": 1, "echo": 1}},
		{"the gate", answered("X-"+visa, "a"), map[string]int{"gate": 1}},
		{"a key", answer(`{"` + visa + `":1}`), map[string]int{"shape/pan": 1}},
		{"a body", answer("\xff"), map[string]int{"body": 1}},
		{"the status line", func(x *leaf.Exchange) { x.Response.Status = "400 " + visa },
			map[string]int{"shape/pan": 1}},
		{"nothing", answer(`{"x":1}`), map[string]int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{}, "")
			tt.edit(x)
			r := redactor(t, func(o *redact.Options) { o.Prefixes = []string{"427600"} })
			r.Clean(x)
			if diff := cmp.Diff(tt.want, fired(r)); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRulesAreOnce has every rule that may fire in the list, once, the user's first.
func TestRulesAreOnce(t *testing.T) {
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	mine, err := profile.Parse("mine.yaml", []byte("profile: mine\npaths: [/mine/]\n"+
		"common: {request: {loyalty: \"exact, token\", email: \"exact, email\"}}"))
	if err == nil {
		err = set.Add(mine)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New(redact.Options{Profiles: set, Prefixes: []string{"427600"}, KeepPII: true})
	seen := map[string]bool{}
	given := true
	for _, rule := range r.Rules() {
		if seen[rule.ID] {
			t.Errorf("%s is there twice", rule.ID)
		}
		if rule.Given != "" && !given {
			t.Errorf("%s stands behind rules that are always there", rule.ID)
		}
		if rule.Kind.Personal() {
			t.Errorf("%s is off", rule.ID)
		}
		seen[rule.ID], given = true, rule.Given != ""
	}
	for _, id := range []string{"mine/request/loyalty", "prefix/427600", "keyword/cvc", "keyword/sid",
		"keyword/пин", "header/cookie", "shape/pan", "shape/credential", "taint", "gate", "http/request/password"} {
		if !seen[id] {
			t.Errorf("there is no rule %s", id)
		}
	}
}

// TestClassesCannotBeSwitchedOff has a profile of the user's say that nothing is secret.
func TestClassesCannotBeSwitchedOff(t *testing.T) {
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	rows := "{$PAN: exact, $CVC: exact, password: exact, seToken: exact, cardPin: exact, " +
		"terminalTmk: exact, track2EquivalentData: exact, email: exact, userPin: \"client shared, name\"}"
	for _, text := range []string{
		"profile: mine\npaths: [/payment/]\noperations:\n  pay: {methods: [POST], carrier: form, " +
			"path: /payment/rest/paymentorder.do, request: " + rows + "}",
		"profile: http\ncommon: {requestHeaders: {Authorization: exact, X-Api-Key: exact}}",
	} {
		p, err := profile.Parse("mine.yaml", []byte(text))
		if err == nil {
			err = set.Add(p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	x := checkout("400000"+"000000", "784") // too short for a shape
	x.Request.Headers["X-Api-Key"] = []string{apiKey}
	x.Request.Headers["Authorization"] = []string{"Bearer abcd-1"}
	x.Request.Body += "&seToken=abcd-2&cardPin=7728&terminalTmk=abcd-3&track2EquivalentData=abcd-4" +
		"&userPin=7729&email=a@b.example"
	got := redact.New(redact.Options{Profiles: set}).Clean(x).Exchange()
	text := saved(t, got)
	wantNone(t, text, password, apiKey, "400000"+"000000")
	for _, secret := range []string{"784", "abcd-", "7728", "7729"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is still there", secret)
		}
	}
	if !strings.Contains(text, "a@b.example") {
		t.Error("personal data did not stay")
	}
}
