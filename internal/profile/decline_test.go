package profile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

const declining = `profile: shop
paths: [/shop/]
declines:
  field: code
  codes: {"51": No money, "54": Too old}
  answers:
    pay:
      set: {code: "${code}", message: "${text}"}
      body: '{"id":"${mint}","sum":${request.sum},"code":"${code}","at":"${now}"}'
  later:
    status: {set: {state: declined}}
operations:
  pay: {methods: [POST], path: /shop/pay, carrier: json, writes: true}
  status: {methods: [GET], path: /shop/status, carrier: query}
`

func TestDeclines(t *testing.T) {
	t.Parallel()
	p, err := profile.Parse("shop.yaml", []byte(declining))
	if err != nil {
		t.Fatal(err)
	}
	d, pay, status := p.Declines, p.Operations[0], p.Operations[1]
	want := []profile.DeclineField{{Key: "code", Text: "51"}, {Key: "message", Text: "No money"}}
	if diff := cmp.Diff(want, d.Shown(pay, "51", false)); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	want = []profile.DeclineField{{Key: "state", Text: "declined"}}
	if diff := cmp.Diff(want, d.Shown(status, "51", true)); diff != "" {
		t.Errorf("later (-want +got):\n%s", diff)
	}
	if d.Shown(status, "51", false) != nil || d.Shown(pay, "51", true) != nil {
		t.Error("another answer shows the decline")
	}
	if got := d.Body(pay, "54"); got != `{"id":"${mint}","sum":${request.sum},"code":"54","at":"${now}"}` {
		t.Errorf("body %s", got)
	}
	if d.Field != "code" {
		t.Errorf("field %q", d.Field)
	}
}

func TestDeclineErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, new, want string }{
		{"  field: code\n", "", `shop.yaml:4: declines: expected the key "field", found none`},
		{`"51": No money`, `"51": [a]`, `shop.yaml:5: declines: codes: expected a text, found a list`},
		{"    pay:\n", "    play:\n", `shop.yaml:7: declines: answers: expected the name of an operation, found "play"`},
		{"    status: {", "    states: {", `shop.yaml:11: declines: later: expected the name of an operation, found "states"`},
		{"{state: declined}", "{state: [a]}",
			`shop.yaml:11: declines: later: operation "status": set: expected a text, found a list`},
		{"{state: declined}", `{state: "${mint}"}`,
			`shop.yaml:11: declines: later: operation "status": set: expected a text with ${code} and ${text} alone, found "${mint}"`},
		{"{set: {state: declined}}", "{body: x}",
			`shop.yaml:11: declines: later: operation "status": expected set, found "body"`},
		{"${request.sum}", "${answer.sum}", `expected a text with ${code}, ${text}, ${mint}, ${now} and ${request.FIELD} alone`},
		{"${request.sum}", "${request.sum", `expected a text with ${code}`},
		{"    pay:\n      set", "    pay:\n      sets", `expected set or body, found "sets"`},
	} {
		if !strings.Contains(declining, test.old) {
			t.Fatalf("no %q", test.old)
		}
		_, err := profile.Parse("shop.yaml", []byte(strings.Replace(declining, test.old, test.new, 1)))
		if err == nil || !strings.Contains(withoutColumn(err), test.want) {
			t.Errorf("%q: got %v, want %s", test.new, err, test.want)
		}
	}
}

// What our profiles say of declines is of fields that their operations have.
func TestDeclinesAreOfKnownFields(t *testing.T) {
	t.Parallel()
	for _, p := range builtin(t).Profiles() {
		for _, answers := range []map[string]profile.DeclineAnswer{p.Declines.Answers, p.Declines.Later} {
			for op, a := range answers {
				for _, f := range a.Set {
					if p.Names()[strings.ToLower(f.Key)] == "" {
						t.Errorf("%s: %s: no field %q", p.Name, op, f.Key)
					}
				}
			}
		}
		if p.Names()[strings.ToLower(p.Declines.Field)] == "" {
			t.Errorf("%s: no field %q", p.Name, p.Declines.Field)
		}
	}
}
