package rules_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/rules"
)

// profiles are those of all tests: rules do not change them.
var profiles = sync.OnceValues(profile.Builtin)

func builtin(t testing.TB) *profile.Set {
	t.Helper()
	set, err := profiles()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// newEngine returns an engine with the rules of one file.
func newEngine(t testing.TB, file string) (*rules.Engine, *profile.Set) {
	t.Helper()
	set := builtin(t)
	f, err := rules.Parse("test.yaml", []byte(file), rules.Source{Profiles: set})
	if err != nil {
		t.Fatal(err)
	}
	e := rules.New(rules.Options{Profiles: set, Seed: 1})
	if err := e.Set(rules.FromTest, f); err != nil {
		t.Fatal(err)
	}
	return e, set
}

// form is a request to the gateway with a form.
func form(set *profile.Set, op, body string) *rules.Asked {
	h := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	r := request.New(set, "POST", "/payment/rest/"+op, h, body)
	return &rules.Asked{Request: r, Body: body}
}

func TestTheFirstPollsOfEveryOrderFail(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - name: status-flaky
    op: getOrderStatusExtended.do
    when: first 2
    then: {answer: {status: 503, body: '{"busy":true}'}}
`)
	var got []string
	for _, id := range strings.Fields("a a b a b b a") {
		r := e.Begin(form(set, "getOrderStatusExtended.do", "orderId="+id))
		text := id
		if a, ok := r.Early(); ok {
			text += " " + r.Explanation() + " " + a.Body
		}
		got = append(got, text)
	}
	want := []string{
		`a status-flaky(1/2) {"busy":true}`, `a status-flaky(2/2) {"busy":true}`,
		`b status-flaky(1/2) {"busy":true}`, "a", `b status-flaky(2/2) {"busy":true}`, "b", "a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An order is one entity by the shop's number and by the sandbox's id.
func TestNamesOfOneOrderAreCountedTogether(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - {name: once, op: getOrderStatusExtended.do, when: first 1, then: {status: 500}}
`)
	r := e.Begin(form(set, "register.do", "orderNumber=A-1&amount=100"))
	r.Answered(rules.Answer{Code: 200, Body: `{"orderId":"3f2a","formUrl":"http://x/?mdOrder=3f2a"}`})
	var got []bool
	for _, body := range []string{"orderNumber=A-1", "orderId=3f2a", "orderNumber=B-1"} {
		r := e.Begin(form(set, "getOrderStatusExtended.do", body))
		r.Answered(rules.Answer{Code: 200, Body: `{"orderStatus":0}`})
		got = append(got, r.Changes())
	}
	if diff := cmp.Diff([]bool{true, false, true}, got); diff != "" {
		t.Errorf("fired (-want +got):\n%s", diff)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	const answer = `{"id": 12345678901234567890, "amount": 1.00,  "rrn":"123456789012",` +
		`"rrn":"123456789012","list":[{"a":1},{"a":2}], "note":"x"}`
	for _, test := range []struct{ name, then, want string }{
		{"a text keeps its type", `{set: {rrn: "5"}}`,
			strings.ReplaceAll(answer, `"123456789012"`, `"5"`)},
		{"a number stays a number", `{set: {amount: 2.50}}`, strings.Replace(answer, "1.00", "2.50", 1)},
		{"a path of gjson", `{set: {"body:list.1.a": 7}}`, strings.Replace(answer, `"a":2`, `"a":7`, 1)},
		{"a key in a list", `{set: {list.a: 7}}`,
			strings.NewReplacer(`"a":1`, `"a":7`, `"a":2`, `"a":7`).Replace(answer)},
		{"a member is deleted", `{delete: amount}`, strings.Replace(answer, `"amount": 1.00,  `, "", 1)},
		{"the first member", `{delete: id}`, strings.Replace(answer, `"id": 12345678901234567890, `, "", 1)},
		{"the last member", `{delete: note}`, strings.Replace(answer, `, "note":"x"`, "", 1)},
		{"members of one name", `{delete: [rrn]}`,
			strings.ReplaceAll(answer, `"rrn":"123456789012",`, "")},
		{"an item", `{delete: "body:list.0"}`, strings.Replace(answer, `{"a":1},`, "", 1)},
		{"values of the exchange", `{set: {note: "${request.orderId} ${answer.amount}"}}`,
			strings.Replace(answer, `"x"`, `"42 1.00"`, 1)},
		{"nothing is there", `{set: {nowhere: 1}, delete: nothing}`, answer},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rules: [{name: x, then: "+test.then+"}]")
			r := e.Begin(form(set, "getOrderStatus.do", "orderId=42"))
			a := rules.Answer{Code: 200, Body: answer}
			r.Answered(a)
			if diff := cmp.Diff(test.want, r.Change(a).Body); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
