package rules_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/rules"
)

func mustParse(t testing.TB, name, file string) *rules.File {
	t.Helper()
	f, err := rules.Parse(name, []byte(file), rules.Source{Profiles: builtin(t)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run asks for the status of order 1 and returns the ruling after the answer.
func run(e *rules.Engine, set *profile.Set) (*rules.Ruling, rules.Answer) {
	r := e.Begin(form(set, "getOrderStatus.do", "orderId=1"))
	a := rules.Answer{Code: 200, Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"orderStatus":2,"amount":5,"rrn":"1"}`}
	if early, is := r.Early(); is {
		a = *early
	}
	r.Answered(a)
	return r, r.Change(a)
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, rules       string
		want, body, fails string
		code              int
	}{
		{name: "all that match apply", rules: `
- {name: a, then: {set: {rrn: 2}}}
- {name: b, op: register.do, then: {set: {rrn: 3}}}
- {name: c, then: {set: {amount: 6}, status: 201}}`,
			want: "a(1), c(1)", body: `{"orderStatus":2,"amount":6,"rrn":"2"}`, code: 201},
		{name: "of values for one field the last wins", rules: `
- {name: a, then: {set: {rrn: 2}}}
- {name: b, then: {set: {rrn: "${answer.rrn}3"}}}`,
			want: "a(1), b(1)", body: `{"orderStatus":2,"amount":5,"rrn":"13"}`, code: 200},
		{name: "also where the first waits for the answer", rules: `
- {name: a, answer: {orderStatus: 2}, then: {set: {rrn: 2}}}
- {name: b, then: {set: {rrn: 3}}}`,
			want: "a(1), b(1)", body: `{"orderStatus":2,"amount":5,"rrn":"3"}`, code: 200},
		{name: "the first answer wins, other effects count", rules: `
- {name: a, then: {answer: {status: 503}}}
- {name: b, then: {answer: {status: 504}, delay: 1s}}
- {name: c, then: {redirect: /x, fail: {cut: 1}}}`,
			want: "a(1), b(1; outranked), c(1; outranked)", body: "", code: 503, fails: "cut"},
		{name: "the first failure wins", rules: `
- {name: a, then: {delay: 1s}}
- {name: b, then: {lose: answer}}
- {name: c, then: {fail: garbage}}`,
			want: "a(1), b(1), c(1; outranked)", body: `{"orderStatus":2,"amount":5,"rrn":"1"}`, code: 200, fails: "empty"},
		{name: "also where it waits for the answer", rules: `
- {name: a, answer: {orderStatus: 2}, then: {fail: reset}}
- {name: b, then: {fail: garbage}}`,
			want: "a(1), b(1; outranked)", body: `{"orderStatus":2,"amount":5,"rrn":"1"}`, code: 200, fails: "reset"},
		{name: "an answer that comes first is not lost", rules: `
- {name: a, then: {answer: {status: 503}}}
- {name: b, then: {lose: request, fail: timeout}}`,
			want: "a(1), b(1; outranked)", body: "", code: 503},
		{name: "a lost request is answered by nobody", rules: `
- {name: a, then: {fail: garbage}}
- {name: b, then: {lose: request}}
- {name: c, then: {answer: {status: 503}}}`,
			want: "a(1), b(1), c(1; outranked)", body: "", code: 502, fails: "empty"},
		{name: "stop", rules: `
- {name: a, then: {set: {rrn: 2}, stop: true}}
- {name: b, then: {set: {rrn: 3}}}`,
			want: "a(1)", body: `{"orderStatus":2,"amount":5,"rrn":"2"}`, code: 200},
		{name: "stop in a list", rules: `
- {name: a, then: [stop, {status: 201}]}
- {name: b, then: {status: 202}}`,
			want: "a(1)", body: `{"orderStatus":2,"amount":5,"rrn":"1"}`, code: 201},
		{name: "a rule that does not fire stops nothing", rules: `
- {name: a, when: nth 2, then: {set: {rrn: 2}, stop: true}}
- {name: b, then: {set: {rrn: 3}}}`,
			want: "b(1)", body: `{"orderStatus":2,"amount":5,"rrn":"3"}`, code: 200},
		{name: "another answer in place of the true one", rules: `
- {name: a, answer: {orderStatus: 2}, then: {answer: {status: 500, body: 'was ${answer.amount}'}}}
- {name: b, answer: {orderStatus: 2}, then: {answer: {status: 501}}}
- {name: c, answer: {orderStatus: 3}, then: {answer: {status: 502}}}`,
			want: "a(1), b(1; outranked)", body: "was 5", code: 500},
		{name: "also by a rule that comes first", rules: `
- {name: a, then: {set: {rrn: 2}}}
- {name: b, answer: {orderStatus: 2}, then: {answer: {status: 500, body: '{"rrn":1}'}}}`,
			want: "a(1), b(1)", body: `{"rrn":2}`, code: 500},
		{name: "an early answer is changed as any", rules: `
- {name: a, then: {answer: {status: 503, body: '{"rrn":1}'}}}
- {name: b, then: {set: {rrn: 2}}}`,
			want: "a(1), b(1)", body: `{"rrn":2}`, code: 503},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rules:"+test.rules)
			r, a := run(e, set)
			if got := r.Explanation(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if a.Body != test.body || a.Code != test.code || string(r.Delivery().Fail) != test.fails {
				t.Errorf("got %d %q %q", a.Code, a.Body, r.Delivery().Fail)
			}
		})
	}
}

// Files apply in the order in which they are given, and behind them what came to a running deck.
func TestOrderOfFilesAndOrigins(t *testing.T) {
	t.Parallel()
	one := mustParse(t, "1.yaml", "rules: [{name: one, then: {set: {rrn: one}}}]")
	two := mustParse(t, "2.yaml", "rules: [{name: two, then: {set: {rrn: two}}}]")
	three := mustParse(t, "3.yaml", "rules: [{name: three, then: {set: {rrn: three}}}]")
	set := builtin(t)
	e := rules.New(rules.Options{Profiles: set})
	last := func() string {
		r, a := run(e, set)
		return strings.Join(r.Fired(), " ") + " " + a.Body[strings.LastIndex(a.Body, ":")+1:len(a.Body)-1]
	}
	check := func(err error, want string) {
		t.Helper()
		if got := last(); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	check(e.Set(rules.FromTest, three), `three "three"`)
	check(e.Set(rules.FromFile, two, one), `two one three "three"`)
	check(e.Set(rules.FromTest), `two one "one"`)
	check(e.Set(rules.FromFile, one, two), `one two "two"`)
	check(e.Add(rules.FromAdmin, three), `one two three "three"`)
	check(e.Add(rules.FromAdmin, mustParse(t, "a", "rules: [{name: three, then: {set: {rrn: four}}}]")),
		`one two three "four"`)
	if n := e.Remove(rules.FromAdmin, "one"); n != 0 {
		t.Errorf("%d rules of a file were removed by another", n)
	}
	if n := e.Remove(rules.FromAdmin, "three"); n != 1 {
		t.Errorf("%d rules were removed", n)
	}
	check(nil, `one two "two"`)
	if err := e.Set(rules.FromTest, one); err == nil || !strings.Contains(err.Error(),
		`1.yaml:1:1: expected each name once, found "one" in 1.yaml:1 too`) {
		t.Errorf("two of one name: %v", err)
	}
	check(nil, `one two "two"`)
	if n := e.Remove(rules.FromFile, ""); n != 2 || !e.Idle() {
		t.Errorf("%d rules were removed", n)
	}
	if r := e.Begin(form(set, "getOrderStatus.do", "orderId=1")); r != nil {
		t.Error("rules that were removed say something")
	}
}

// Counters of unchanged rules live on over a reload; a comment, another line and other rules do not
// change a rule.
func TestReload(t *testing.T) {
	t.Parallel()
	const rule = "{name: x, op: getOrderStatus.do, when: first 3, then: {status: 500}}"
	set := builtin(t)
	e := rules.New(rules.Options{Profiles: set})
	for _, test := range []struct{ file, want string }{
		{"rules:\n- " + rule, "x(1/3)"},
		{"rules:\n- " + rule, "x(2/3)"},
		{"# new\nrules:\n# new\n- {name: y, op: register.do, then: stop}\n- " + rule + " # new", "x(3/3)"},
		{"rules:\n- " + rule, ""},
		{"rules:\n- " + strings.Replace(rule, "first 3", "first 4", 1), "x(1/4)"},
		{"rules:\n- " + rule, "x(1/3)"},
		{"rules: []", ""},
		{"rules:\n- " + rule, "x(1/3)"},
	} {
		if err := e.Set(rules.FromFile, mustParse(t, "f.yaml", test.file)); err != nil {
			t.Fatal(err)
		}
		if r, _ := run(e, set); r.Explanation() != test.want {
			t.Errorf("%s: got %q, want %q", test.file, r.Explanation(), test.want)
		}
	}
	e.Reset()
	if r, _ := run(e, set); r.Explanation() != "x(1/3)" {
		t.Errorf("after a reset: %q", r.Explanation())
	}
}

// A rule that is removed leaves no trace: what others count is what it would have been without it.
func TestARuleThatIsRemovedLeavesNoTrace(t *testing.T) {
	t.Parallel()
	const rest = "- {name: rest, op: getOrderStatus.do, when: chance 50%, then: {set: {rrn: '${mint}'}, delay: {p50: 1ms, p99: 1s}}}"
	history := func(with bool) string {
		set := builtin(t)
		e := rules.New(rules.Options{Profiles: set, Seed: 5})
		file := "rules:\n" + rest
		if with {
			file = "rules:\n- {name: gone, op: getOrderStatus.do, when: first 1, then: {set: {amount: 6}}}\n" + rest
		}
		if err := e.Set(rules.FromFile, mustParse(t, "f.yaml", file)); err != nil {
			t.Fatal(err)
		}
		run(e, set)
		if err := e.Set(rules.FromFile, mustParse(t, "f.yaml", "rules:\n"+rest)); err != nil {
			t.Fatal(err)
		}
		got := ""
		for range 50 {
			r, a := run(e, set)
			got += r.Explanation() + a.Body + r.Delivery().Delay.String()
		}
		return got
	}
	if diff := cmp.Diff(history(false), history(true)); diff != "" {
		t.Errorf("(-without +with):\n%s", diff)
	}
}

func TestNoEngineAndNoRulingSayNothing(t *testing.T) {
	t.Parallel()
	var e *rules.Engine
	set := builtin(t)
	a := form(set, "register.do", "amount=1")
	if !e.Idle() || e.Concerns(a.Call) || e.Report() != nil || e.Unused() != nil {
		t.Error("no engine says something")
	}
	e.Reset()
	r := e.Begin(a)
	if r != nil {
		t.Fatal("no engine has rules")
	}
	r.Answered(rules.Answer{})
	q, asked := r.Ask(rules.Question{Target: "/x"})
	_, early := r.Early()
	_, declined := r.Declined()
	if asked || q.Target != "/x" || early || declined || r.Choice() != nil || r.Changes() || r.Fired() != nil ||
		r.Explanation() != "" || r.Delivery() != (rules.Delivery{}) || r.Change(rules.Answer{Code: 7}).Code != 7 {
		t.Error("no ruling says something")
	}
}

// An answer and a request may have no header, and an engine no profiles.
func TestWithoutHeadersAndProfiles(t *testing.T) {
	t.Parallel()
	const file = `
rules: [{name: x, then: {request: {set: {"header:X-A": 1}}, set: {"header:X-A": 1}, delete: ["header:X-B"]}}]`
	f, err := rules.Parse("f.yaml", []byte(file), rules.Source{})
	if err != nil {
		t.Fatal(err)
	}
	e := rules.New(rules.Options{})
	if err := e.Set(rules.FromFile, f); err != nil {
		t.Fatal(err)
	}
	r := e.Begin(form(builtin(t), "register.do", "amount=1"))
	q, _ := r.Ask(rules.Question{Target: "/x"})
	r.Answered(rules.Answer{Code: 200})
	if a := r.Change(rules.Answer{Code: 200}); a.Header.Get("X-A") != "1" || q.Header.Get("X-A") != "1" {
		t.Errorf("headers %v and %v", q.Header, a.Header)
	}
}

func TestConcerns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule            string
		register, other bool
	}{
		{"op: register.do", true, false},
		{"op: deposit.do", false, false},
		{"op: deposit.do, when: first 1", true, true}, // who is who is told by any call
		{"op: deposit.do, when: first 1, per: deck", false, false},
		{"op: deposit.do, when: seen register.do, per: deck", true, true},
		{"op: '*'", true, true},
		{"op: {path: /x}", true, true},
	} {
		e, set := newEngine(t, "rules: [{name: x, "+test.rule+", then: {status: 500}}]")
		register := set.Find("POST", "/payment/rest/register.do")
		if got := e.Concerns(register); got != test.register {
			t.Errorf("%s: register: %v", test.rule, got)
		}
		if got := e.Concerns(profile.Call{}); got != test.other {
			t.Errorf("%s: another call: %v", test.rule, got)
		}
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	e := rules.New(rules.Options{Profiles: set})
	f := mustParse(t, "f.yaml", `
rules:
  - name: never
    op: deposit.do
    where: {orderId: present, amount: ">= 100"}
    when: first 2
    then: {answer: {status: 503}, delay: 2s}
  - {name: late, op: deposit.do, answer: {errorCode: 7}, then: {status: 500, set: {nowhere: "${request.password}"}}}
  - {name: miss, op: deposit.do, then: {request: {delete: zip}, set: {rrn: 1, errorCode: 1}, delete: [b]}}
  - {name: other, op: register.do, then: {take: {orderStatus: 2}}}
`)
	if err := e.Set(rules.FromFile, f); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"orderId=1&amount=5&password=hunter2", "orderId=1&amount=6&password=hunter2", "amount=100"} {
		a := form(set, "deposit.do", body)
		r := e.Begin(a)
		r.Ask(rules.Question{Target: a.Target, Header: a.Header, Body: body})
		answer := rules.Answer{Code: 200, Body: `{"errorCode":"0"}`}
		r.Answered(answer)
		r.Change(answer)
	}
	var got []string
	for _, s := range e.Report() {
		if s.Fired > 0 != !s.Last.IsZero() {
			t.Errorf("%s: last %v", s.Name, s.Last)
		}
		got = append(got, strings.Join([]string{s.Name, string(s.Origin), s.File, itoa(s.Line), s.Does,
			itoa(int(s.Matched)), itoa(int(s.Fired)), s.Failed, strings.Join(s.Missed, ",")}, "|"))
	}
	want := []string{
		"never|file|f.yaml|3|answer 503, delay 2s|0|0|amount: >= 100|",
		"late|file|f.yaml|8|status 500, set nowhere|0|0|errorCode: 7|",
		"miss|file|f.yaml|9|delete zip of the request, set rrn, set errorCode, delete b|3|3||zip,rrn,b",
		"other|file|f.yaml|10|take orderStatus: 2|0|0||",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var unused []string
	for _, s := range e.Unused() {
		unused = append(unused, s.Name)
	}
	if diff := cmp.Diff([]string{"never", "late", "other"}, unused); diff != "" {
		t.Errorf("unused (-want +got):\n%s", diff)
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	branch := func(cassette string, number, code int, body string) request.Branch {
		return request.Branch{Cassette: cassette, Number: number, Code: code, Answer: answerMessage(body)}
	}
	pending := branch("c", 1, 200, `{"errorCode":0}`)
	pending.Later = func() []*leaf.Message {
		return []*leaf.Message{
			answerMessage(`{"orderStatus":5,"errorCode":5}`), answerMessage(`{"orderStatus":6}`),
		}
	}
	for _, test := range []struct {
		take string
		b    request.Branch
		want bool
	}{
		{`"#12"`, branch("c", 12, 200, "{}"), true},
		{`"#12"`, branch("c", 13, 200, "{}"), false},
		{`"c#12"`, branch("c", 12, 200, "{}"), true},
		{`"c#12"`, branch("d", 12, 200, "{}"), false},
		{`{orderStatus: 6}`, branch("c", 1, 200, `{"orderStatus":6}`), true},
		{`{orderStatus: 6}`, branch("c", 1, 200, `{"orderStatus":2}`), false},
		{`{http-status: ">= 400"}`, branch("c", 1, 500, `{}`), true},
		{`{"body:a.0": 6}`, branch("c", 1, 200, `{"a":[6]}`), true},
		{`{orderStatus: 5}`, pending, true},
		{`{orderStatus: 6}`, pending, true},
		{`{orderStatus: "!= 6"}`, pending, false},
		{`{orderStatus: absent}`, pending, false},
		{`{errorCode: 0}`, pending, true},
		{`{errorCode: 5}`, pending, false},
		{`{acsUrl: absent}`, pending, true},
		{`{"body:orderStatus": 6}`, pending, true},
	} {
		e, set := newEngine(t, "rules: [{name: x, then: {take: "+test.take+"}}]")
		c := e.Begin(form(set, "getOrderStatus.do", "orderId=1")).Choice()
		if got := c.Takes(test.b); got != test.want || c.Declined != "" {
			t.Errorf("%s: %v", test.take, got)
		}
	}
}

// How often the tests of a rule have failed is known across a reload, whichever was the first to fail.
func TestFailedTestsLiveOn(t *testing.T) {
	t.Parallel()
	const file = `rules: [{name: x, op: getOrderStatus.do, where: {orderId: 1, amount: 5}, then: {status: 500}}]`
	e, set := newEngine(t, file)
	ask := func(order string, times int) {
		for range times {
			e.Begin(form(set, "getOrderStatus.do", "orderId="+order+"&amount=6"))
		}
	}
	ask("2", 3) // the first test fails
	ask("1", 2) // the second
	for _, step := range []struct {
		order string
		times int
		want  string
	}{{"1", 0, "orderId: 1"}, {"1", 2, "amount: 5"}, {"2", 2, "orderId: 1"}} {
		if err := e.Set(rules.FromTest, mustParse(t, "test.yaml", file)); err != nil {
			t.Fatal(err)
		}
		ask(step.order, step.times)
		if got := e.Report()[0].Failed; got != step.want {
			t.Errorf("%d times %s more: %q has failed most often, want %q", step.times, step.order, got, step.want)
		}
	}
}
