package rules_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/rules"
)

// calledBack is a callback of the gateway, or of an API that no profile knows.
func calledBack(t testing.TB, set *profile.Set, api, query, session string) *rules.Asked {
	t.Helper()
	r, ok := request.NewLive(set, request.Incoming{
		Call: set.FindCallback(api), Method: "GET", Target: "/?" + query,
	})
	if !ok {
		t.Fatal("too many parameters")
	}
	r.Session = session
	return &rules.Asked{Request: r}
}

// does tells in words what a ruling says.
func does(c *rules.CallbackRuling, query string) string {
	var words []string
	q, changed := c.Change(rules.Question{Target: "/?" + query})
	if changed {
		words = append(words, q.Target)
	}
	if c.Lost() {
		words = append(words, "lost")
	}
	if s := c.Sending(); s.When != rules.AsItComes {
		words = append(words, fmt.Sprintf("moment %d %s", s.When, s.Wait))
	}
	if n, every := c.Repeats(); n > 0 {
		words = append(words, fmt.Sprintf("again %d %s", n, every))
	}
	if n := c.Copies(); n > 0 {
		words = append(words, fmt.Sprintf("copies %d", n))
	}
	if s := c.Signing(); s != rules.Signed {
		words = append(words, "signed "+string(s))
	}
	if text := c.Explanation(); text != "" {
		words = append(words, "by "+text)
	}
	return strings.Join(words, ", ")
}

// TestRulesOnCallbacks has two orders call back: A is deposited twice and refunded, B deposited.
func TestRulesOnCallbacks(t *testing.T) {
	t.Parallel()
	queries := []string{
		"mdOrder=a&operation=deposited&status=1", "mdOrder=b&operation=deposited&status=1",
		"mdOrder=a&operation=deposited&status=1", "mdOrder=a&operation=refunded&status=1",
	}
	for _, test := range []struct {
		name, rules string
		want        [4]string
	}{
		{"of one kind", `{name: x, op: callback, where: {operation: refunded}, then: {sign: none}}`,
			[4]string{3: "signed none, by x(1)"}},
		{"of one API", `{name: x, op: gateway/callback, where: {query:mdOrder: b}, then: {sign: wrong}}`,
			[4]string{1: "signed wrong, by x(1)"}},
		{"the first of each order", `{name: x, op: callback, when: first 1, then: {lose: callback}}`,
			[4]string{"lost, by x(1/1)", "lost, by x(1/1)"}},
		{"the second of the deck", `{name: x, op: callback, per: deck, when: nth 2, then: {repeat: 2 every 1s}}`,
			[4]string{1: "again 2 1s, by x(2)"}},
		{"by a field", `{name: x, op: callback, per: operation, when: first 1, then: {parallel: 2}}`,
			[4]string{0: "copies 1, by x(1/1)", 3: "copies 1, by x(1/1)"}},
		{"skipped", `{name: x, op: callback, when: [skip 1, every 2], then: {send: +40s}}`,
			[4]string{3: "moment 4 40s, by x(3)"}},
		{"the later wins", `
- {name: x, op: callback, where: {mdOrder: b}, then: {send: now, parallel: 3, sign: none, set: {status: 7}}}
- {name: y, op: callback, where: {mdOrder: b}, then: {send: before-answer, parallel: 2, sign: wrong, set: {status: 0}}}`,
			[4]string{1: "/?mdOrder=b&operation=deposited&status=0, moment 2 0s, copies 1, signed wrong, by x(1), y(1)"}},
		{"the first loses", `
- {name: x, op: callback, where: {operation: refunded}, then: {lose: callback}}
- {name: y, op: callback, where: {operation: refunded}, then: {lose: callback}}`,
			[4]string{3: "lost, by x(1), y(1; outranked)"}},
		{"what stops", `
- {name: x, op: callback, where: {mdOrder: b}, then: stop}
- {name: y, op: callback, then: {sign: none}}`,
			[4]string{"signed none, by y(1)", "by x(1)", "signed none, by y(2)", "signed none, by y(3)"}},
		{"changes", `{name: x, op: callback, where: {operation: refunded},
  then: {set: {status: "${request.mdOrder}", nowhere: 1}, delete: operation}}`,
			[4]string{3: "/?mdOrder=a&status=a, by x(1; field not found)"}},
		{"after calls", `{name: x, op: callback, when: seen refund.do, then: {send: after refund.do}}`,
			[4]string{}},
		{"when it was asked for", `{name: x, op: callback, when: asked, then: {sign: none}}`, [4]string{}},
		{"rules on calls", `{name: x, then: {status: 500}}`, [4]string{}},
		{"a glob", `{name: x, op: "*", then: {status: 500}}`, [4]string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := test.rules
			if !strings.HasPrefix(text, "\n") {
				text = "\n- " + text
			}
			e, set := newEngine(t, "rules:"+text)
			var got [4]string
			for i, query := range queries {
				got[i] = does(e.Callback(calledBack(t, set, "gateway", query, "")), query)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A callback belongs to the order that the shop has registered, by any of its names, and looks at
// what the shop has called about it.
func TestCallbacksOfAnOrder(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - {name: seen, op: callback, when: seen deposit.do, then: {sign: none}}
  - {name: late, op: callback, then: {send: after refund.do}}
`)
	r := e.Begin(form(set, "register.do", "orderNumber=A-1&amount=100"))
	r.Answered(rules.Answer{Code: 200, Body: `{"orderId":"3f2a"}`})
	query := "orderNumber=A-1&operation=deposited"
	before := does(e.Callback(calledBack(t, set, "gateway", query, "")), query)
	e.Begin(form(set, "deposit.do", "orderId=3f2a&amount=100"))
	c := e.Callback(calledBack(t, set, "gateway", query, ""))
	other := does(e.Callback(calledBack(t, set, "gateway", query, "another")), query)
	want := []string{"moment 3 0s, by late(1)", "moment 3 0s, signed none, by seen(1), late(2)", "moment 3 0s, by late(1)"}
	if diff := cmp.Diff(want, []string{before, does(c, query), other}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s := c.Sending()
	for op, awaits := range map[string]bool{"refund.do": true, "deposit.do": false} {
		a := form(set, op, "")
		if s.Awaits(a.Call.Operation, a.Method, "/payment/rest/"+op) != awaits {
			t.Errorf("%s: awaited is %v", op, !awaits)
		}
	}
}

// Callbacks of an API that no profile knows are ruled too, by any fields.
func TestCallbacksOfAnyAPI(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - {name: x, op: callback, where: {kind: paid}, then: {set: {kind: lost}}}
  - {name: y, op: gateway/callback, then: {lose: callback}}
`)
	if !e.OnCallbacks() {
		t.Error("no rule is on callbacks")
	}
	if got := does(e.Callback(calledBack(t, set, "", "kind=paid", "")), "kind=paid"); got != "/?kind=lost, by x(1)" {
		t.Error(got)
	}
	e.Remove(rules.FromTest, "")
	if e.OnCallbacks() || e.Callback(calledBack(t, set, "", "kind=paid", "")) != nil {
		t.Error("there are rules on callbacks")
	}
}

// A rule that waits to be asked for fires as often as it was armed; counts and conditions of time
// are those of any rule.
func TestArmedOnCallbacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, set := newEngine(t, `
rules:
  - {name: armed, op: callback, when: asked, then: {lose: callback}}
  - {name: soon, op: callback, when: for 20s, then: {sign: none}}
`)
		if err := e.Arm("armed", 1); err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 3 {
			got = append(got, does(e.Callback(calledBack(t, set, "gateway", "mdOrder=a", "")), "mdOrder=a"))
			time.Sleep(15 * time.Second)
		}
		want := []string{"lost, signed none, by armed(1), soon(1)", "signed none, by soon(2)", ""}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, s := range e.Report() {
			if s.Name == "soon" && (s.Matched != 3 || s.Fired != 2 || s.Failed != "for 20s" || s.Does != "sign none") {
				t.Errorf("%+v", s)
			}
		}
	})
}

// Rules on callbacks make nothing of calls, and those on calls nothing of callbacks; an equal seed
// repeats a run.
func TestCallbacksAndCallsAreApart(t *testing.T) {
	t.Parallel()
	const text = `
rules:
  - {name: x, op: callback, when: chance 50%, then: {set: {status: "${mint}"}}}
  - {name: y, op: callback, where: {operation: refunded}, per: deck, when: chance 30%, then: {lose: callback}}
`
	run := func(seed uint64) []string {
		set := builtin(t)
		f, err := rules.Parse("f", []byte(text), rules.Source{Profiles: set})
		if err != nil {
			t.Fatal(err)
		}
		e := rules.New(rules.Options{Profiles: set, Seed: seed})
		if err := e.Set(rules.FromFile, f); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(3, 16))
		var all []string
		for range 200 {
			order := fmt.Sprint("order-", random.IntN(8))
			if r := e.Begin(form(set, "deposit.do", "orderId="+order)); r.Explanation() != "" {
				t.Fatalf("a call is ruled: %s", r.Explanation())
			}
			query := "mdOrder=" + order + "&operation=" + []string{"deposited", "refunded"}[random.IntN(2)] + "&status=1"
			all = append(all, does(e.Callback(calledBack(t, set, "gateway", query, "")), query))
		}
		return all
	}
	if diff := cmp.Diff(run(5), run(5)); diff != "" {
		t.Errorf("equal seeds (-first +second):\n%s", diff)
	}
	if slices.Equal(run(5), run(6)) {
		t.Error("another seed decides the same")
	}
}

func TestMistakesOnCallbacks(t *testing.T) {
	t.Parallel()
	rule := func(text string) string { return "rules:\n- {name: x, op: gateway/callback, " + text + "}" }
	const in = "f.yaml:2:"
	for _, test := range []struct{ file, want string }{
		{rule(`then: {}`), in + `41: expected an effect, found none`},
		{rule(`then: {status: 500}`), in + `50: expected an effect on callbacks, found status, which is one on calls`},
		{rule(`then: {answer: {status: 500}}`), in + `50: expected an effect on callbacks, found answer`},
		{rule(`then: {fail: reset}`), in + `48: expected an effect on callbacks, found fail`},
		{rule(`then: {decline: 116}`), in + `51: expected an effect on callbacks, found decline`},
		{rule(`then: {take: "#1"}`), in + `48: expected an effect on callbacks, found take`},
		{rule(`then: {redirect: /x}`), in + `52: expected an effect on callbacks, found redirect`},
		{rule(`then: {drip: 1s}`), in + `48: expected an effect on callbacks, found drip`},
		{rule(`then: {delay: 1s}`), in + `49: expected an effect on callbacks, found delay`},
		{rule(`then: {request: {set: {amount: 1}}}`), in + `51: expected an effect on callbacks, found request`},
		{rule(`then: {lose: answer}`), in + `48: expected callback, found "answer"`},
		{rule(`then: {lose: callback, parallel: 2}`), in + `41: expected no other effect beside lose`},
		{rule(`then: {send: soon}`), in + `48: expected now, before-answer, after OPERATION or a time such as +40s, found "soon"`},
		{rule(`then: {send: after}`), in + `48: expected now, before-answer`},
		{rule(`then: {send: after refudn.do}`), in + `48: unknown operation "refudn.do": did you mean "refund.do"?`},
		{rule(`then: {send: after callback}`), in + `48: expected an operation that the shop calls, found a callback`},
		{rule(`then: {send: +soon}`), in + `48: expected a time such as 250ms or 20s`},
		{rule(`then: {send: +2h}`), in + `48: expected a time such as 250ms or 20s, an hour at most`},
		{rule(`then: {repeat: often}`), in + `50: expected a number from 1 on, found "often"`},
		{rule(`then: {repeat: 101}`), in + `50: expected 1 to 100 repeats, found 101`},
		{rule(`then: {repeat: 2 every day}`), in + `50: expected a time such as 250ms`},
		{rule(`then: {parallel: 1}`), in + `52: expected 2 to 16 copies, found 1`},
		{rule(`then: {sign: badly}`), in + `48: expected wrong or none, found "badly"`},
		{rule(`then: {set: {statsu: 0}}`), in + `48: unknown field "statsu": did you mean "status"?`},
		{rule(`then: {set: {status: "${answer.status}"}}`), in + `56: expected no reference to the answer`},
		{rule(`where: {oepration: a}, then: stop`), in + `43: unknown field "oepration": did you mean "operation"?`},
		{rule(`answer: {http-status: 200}, then: {sign: none}`), in + `43: expected tests under where`},
		{rule(`when: seen callback, then: {sign: none}`), in + `41: expected an operation that the shop calls`},
		{`rules: [{name: x, op: refund.do, then: {send: now}}]`, `f.yaml:1:47: expected an effect on calls, found send, which is one on callbacks`},
		{`rules: [{name: x, then: {parallel: 2}}]`, `f.yaml:1:36: expected an effect on calls, found parallel`},
		{`rules: [{name: x, then: {lose: callback}}]`, `f.yaml:1:32: expected request or answer, found "callback"`},
	} {
		_, err := parse(t, test.file, "")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\n got %v\nwant %s", test.file, err, test.want)
		}
	}
}

// TestTryOnCallbacks asks which recorded callbacks a rule would hit.
func TestTryOnCallbacks(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, `
rules:
  - {name: x, op: callback, where: {operation: deposited}, when: asked, then: {set: {status: 0}}}
  - {name: y, op: gateway/callback, then: {lose: callback}}
  - {name: z, then: {status: 500}}
`)
	x := &leaf.Exchange{}
	x.Meta.Number, x.Meta.Profile, x.Meta.Callback = 3, "gateway", &leaf.Callback{Operation: "deposited", Attempt: 1}
	x.URL, x.Request.Method = leaf.CallbackOrigin+"/?mdOrder=a&operation=deposited&status=1", "GET"
	got := e.Try(x, rules.TryOptions{Clean: func(x *leaf.Exchange) *leaf.Exchange { return x }})
	want := []rules.Hit{
		{Rule: "x", Number: 3, Operation: "callback", Attempt: 1, Changes: []rules.FieldChange{
			{Field: "status", Request: true, Was: "1", Is: "0"}}},
		{Rule: "y", Number: 3, Operation: "callback", Attempt: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
