package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/rules"
)

const status = "getOrderStatusExtended.do"

func TestWhen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		when string
		want string // for ten attempts: "x" fires
	}{
		{"first 3", "xxx......."},
		{"{first: 3}", "xxx......."},
		{"nth 2", ".x........"},
		{"'nth [2, 4]'", ".x.x......"},
		{"{nth: [2, 4]}", ".x.x......"},
		{"every 3", "..x..x..x."},
		{"skip 7", ".......xxx"},
		{"[skip 2, first 3]", "..xxx....."},
		{"{skip: 1, every: 2}", "..x.x.x.x."},
		{"[skip 3, nth 2]", "....x....."},
		{"{every: 2, first: 5}", ".x.x......"},
		{"chance 100%", "xxxxxxxxxx"},
		{"{chance: 100%, first: 1}", "x........."},
		{"unseen register.do", "xxxxxxxxxx"},
		{"seen register.do", ".........."},
		{"'seen [register.do, getOrderStatus*]'", ".xxxxxxxxx"},
		{"{seen: [" + status + "]}", ".xxxxxxxxx"},
		{"{seen: {method: POST, path: '/payment/*'}}", ".xxxxxxxxx"},
		{"[seen getOrderStatus*, first 2]", ".xx......."},
		{"unseen getOrderStatus*", "x........."},
		{"asked", ".........."},
	} {
		t.Run(test.when, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rules: [{name: x, op: "+status+", when: "+test.when+", then: {status: 500}}]")
			got := ""
			for range 10 {
				if fired(e, form(set, status, "orderId=1")) {
					got += "x"
				} else {
					got += "."
				}
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestForCountsFromTheFirstAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, set := newEngine(t, "rules: [{name: x, op: "+status+
			", when: {for: 20s, seen: register.do}, then: {status: 503}}]")
		ask := func(op, body string) bool { return fired(e, form(set, op, body)) }
		got := []bool{ask(status, "orderNumber=A")} // register was not seen: no attempt
		ask("register.do", "orderNumber=A")
		for _, wait := range []time.Duration{time.Hour, 19 * time.Second, time.Second, time.Hour} {
			time.Sleep(wait) // of the bubble
			got = append(got, ask(status, "orderNumber=A"))
		}
		if diff := cmp.Diff([]bool{false, true, true, false, false}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestPer(t *testing.T) {
	t.Parallel()
	// Orders, their amounts, and sessions.
	asks := strings.Fields("a/1/s a/1/t b/1/s a/2/s b/2/s")
	for _, test := range []struct{ per, want string }{
		{"entity", "xxx.."}, // an order of another session is another order
		{"session", "xx..."},
		{"deck", "x...."},
		{"language", "x..x."},
		{`"body:x"`, "x...."}, // nobody has it: all together
		{`"header:X-None"`, "x...."},
	} {
		t.Run(test.per, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rules: [{name: x, op: "+status+", when: first 1, per: "+test.per+", then: {status: 500}}]")
			got := ""
			for _, ask := range asks {
				parts := strings.Split(ask, "/")
				a := form(set, status, "orderId="+parts[0]+"&language="+parts[1])
				a.Session = parts[2]
				if fired(e, a) {
					got += "x"
				} else {
					got += "."
				}
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// An attempt is a request of which all tests hold: others are not counted.
func TestAttemptsAreRequestsOfWhichTheTestsHold(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - {name: x, op: deposit.do, where: {amount: "> 5"}, when: nth 2, then: {status: 500}}
`)
	got := ""
	for _, amount := range []int{1, 9, 1, 9, 9} {
		if fired(e, form(set, "deposit.do", fmt.Sprintf("orderId=1&amount=%d", amount))) {
			got += "x"
		} else {
			got += "."
		}
	}
	if got != "...x." {
		t.Errorf("got %s", got)
	}
	if s := e.Report()[0]; s.Matched != 3 || s.Fired != 1 || s.Failed != "amount: > 5" && s.Failed != "nth 2" {
		t.Errorf("report: %+v", s)
	}
}

func TestAskedAndArmed(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - {name: down, op: `+status+`, when: asked, then: {answer: {status: 503}}}
  - {name: plain, op: register.do, then: {status: 500}}
`)
	ask := func(names ...string) bool {
		a := form(set, status, "orderId=1")
		a.Rules = rules.AskedFor(names)
		return fired(e, a)
	}
	if ask() || ask("up") || !ask("up, down") || !ask("x", "down") {
		t.Error("a rule fires if, and only if, the request names it")
	}
	if err := e.Arm("down", 2); err != nil {
		t.Fatal(err)
	}
	if !ask("down") || !ask() || !ask() || ask() {
		t.Error("armed twice, a rule fires for two requests that do not name it")
	}
	for times, want := range map[int]bool{-1: true, 0: false} {
		if err := e.Arm("down", times); err != nil || ask() != want {
			t.Errorf("armed %d times: %v", times, err)
		}
	}
	if err := e.Arm("none", 1); err != rules.ErrUnknown {
		t.Errorf("a name that is none: %v", err)
	}
	if err := e.Arm("plain", 1); err == nil {
		t.Error("a rule that is not asked for can be armed")
	}
}

// A disarmed rule neither matches nor counts, whatever a request asks for, and stays so when its file
// is read again. Armed again it goes on where it was.
func TestDisarmed(t *testing.T) {
	t.Parallel()
	const file = `
rules:
  - {name: down, op: ` + status + `, when: asked, then: {answer: {status: 503}}}
  - {name: slow, op: ` + status + `, where: {orderId: 1}, when: nth 2, then: {status: 500}}
  - {name: called, op: callback, then: {lose: callback}}
`
	e, set := newEngine(t, file)
	ask := func() string {
		a := form(set, status, "orderId=1")
		a.Rules = []string{"down"}
		return e.Begin(a).Explanation()
	}
	report := func() string {
		text := ""
		for _, s := range e.Report() {
			text += fmt.Sprintf("%s %t %d/%d; ", s.Name, s.Armed, s.Fired, s.Matched)
		}
		return text
	}
	want := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	want("armed", ask(), "down(1)")
	for _, name := range []string{"down", "slow", "called"} {
		if err := e.Disarm(name); err != nil {
			t.Fatal(err)
		}
	}
	want("disarmed", ask(), "")
	if e.OnCallbacks() || !e.Idle() {
		t.Error("disarmed rules are looked at")
	}
	if err := e.Set(rules.FromTest, mustParse(t, "again", file)); err != nil {
		t.Fatal(err)
	}
	want("read again", ask(), "")
	want("the report", report(), "down false 1/1; slow false 0/1; called false 0/0; ")
	if s := e.Report()[1]; s.Failed != "nth 2" || !strings.Contains(s.Source, "nth 2") {
		t.Errorf("the report: %+v", s)
	}
	for _, name := range []string{"down", "slow", "called"} {
		if err := e.Arm(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	want("armed again", ask(), "down(2), slow(2)")
	want("the report", report(), "down false 2/2; slow true 1/2; called true 0/0; ")
	if e.Disarm("none") != rules.ErrUnknown {
		t.Error("a name that is none can be disarmed")
	}
	if err := e.Disarm("slow"); err != nil {
		t.Fatal(err)
	}
	e.Remove(rules.FromTest, "slow")
	if err := e.Set(rules.FromTest, mustParse(t, "again", file)); err != nil {
		t.Fatal(err)
	}
	want("removed and put in force anew", report(), "down false 2/2; slow true 0/0; called true 0/0; ")
}

// A share of the attempts, near to what is said, and the same for the same seed, whatever other
// orders do in between.
func TestChanceIsRepeatable(t *testing.T) {
	t.Parallel()
	run := func(seed uint64, others int) string {
		set := builtin(t)
		f, err := rules.Parse("x.yaml", []byte("rules: [{name: x, op: "+status+
			", when: chance 30%, then: {delay: {p50: 100ms, p99: 2s}, set: {authRefNum: '${mint}'}}}]"),
			rules.Source{Profiles: set})
		if err != nil {
			t.Fatal(err)
		}
		e := rules.New(rules.Options{Profiles: set, Seed: seed})
		if err := e.Set(rules.FromFile, f); err != nil {
			t.Fatal(err)
		}
		e.Begin(form(set, status, "orderId=mine"))
		got := ""
		for range 300 {
			for n := range others {
				e.Begin(form(set, status, fmt.Sprintf("orderId=other-%d", n)))
			}
			r := e.Begin(form(set, status, "orderId=mine"))
			a := rules.Answer{Code: 200, Body: `{"authRefNum":"123456789012"}`}
			r.Answered(a)
			got += fmt.Sprint(r.Delivery().Delay, r.Change(a).Body, "\n")
		}
		return got
	}
	one := run(7, 0)
	if one != run(7, 0) || one != run(7, 3) {
		t.Error("a seed does not repeat the run")
	}
	if one == run(8, 0) {
		t.Error("another seed makes the same run")
	}
	if n := strings.Count(one, "123456789012"); n < 180 || n > 240 {
		t.Errorf("%d of 300 attempts had no chance of 30%%", n)
	}
}

// Clients in sessions of their own have the same run, whoever comes before them and beside them.
func TestSessionsAreRepeatable(t *testing.T) {
	t.Parallel()
	run := func(others int) string {
		e, set := newEngine(t, "rules: [{name: x, op: "+status+", when: chance 50%, "+
			"then: {delay: {p50: 100ms, p99: 2s}, set: {authRefNum: '${mint}'}}}]")
		got := ""
		for n := range 200 {
			for o := range others {
				a := form(set, status, fmt.Sprintf("orderId=%d", n+o))
				a.Session = fmt.Sprint("other-", o)
				e.Begin(a)
			}
			a := form(set, status, fmt.Sprintf("orderId=new-in-run-%d-%d", others, n%3))
			a.Session = "mine"
			r := e.Begin(a)
			answer := rules.Answer{Code: 200, Body: `{"authRefNum":"123456789012"}`}
			r.Answered(answer)
			got += fmt.Sprint(r.Delivery().Delay, r.Change(answer).Body, "\n")
		}
		return got
	}
	if diff := cmp.Diff(run(0), run(3)); diff != "" {
		t.Errorf("others decide what a session gets: %s", diff)
	}
}

func TestSessionsThatARuleNames(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, "rules: [{name: x, op: "+status+", session: [ci-*, mine], then: {status: 500}}]")
	got := ""
	for _, session := range []string{"", "ci-1", "mine", "mines"} {
		a := form(set, status, "orderId=1")
		a.Session = session
		if fired(e, a) {
			got += "x"
		} else {
			got += "."
		}
	}
	if got != ".xx." {
		t.Errorf("got %s", got)
	}
}

// What came before is what came before the request, also for a rule that waits for the answer.
func TestARequestDoesNotComeBeforeItself(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{
		"unseen " + status: "x..", "seen " + status: ".xx", "[seen " + status + ", first 1]": ".x.",
	} {
		e, set := newEngine(t, "rules: [{name: x, op: "+status+", answer: {orderStatus: 2}, when: "+when+
			", then: {status: 500}}]")
		got := ""
		for range 3 {
			r := e.Begin(form(set, status, "orderId=1"))
			r.Answered(rules.Answer{Code: 200, Body: `{"orderStatus":2}`})
			if r.Changes() {
				got += "x"
			} else {
				got += "."
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", when, got, want)
		}
	}
}

// What is resent is the request itself, right after the rule has broken its answer.
func TestResent(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, "rules: [{name: lost, op: deposit.do, when: first 4, then: {lose: answer}}]")
	var got []string
	for _, body := range []string{"orderId=1&amount=5", "orderId=1&amount=5", "orderId=1&amount=6",
		"orderId=1&amount=5", "orderId=1&amount=5"} {
		got = append(got, e.Begin(form(set, "deposit.do", body)).Explanation())
	}
	want := []string{"lost(1/4)", "lost(2/4; resent)", "lost(3/4)", "lost(4/4)", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := e.Report()[0].Resent; n != 2 {
		t.Errorf("%d attempts were resent", n)
	}
}
