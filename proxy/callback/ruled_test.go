package callback_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
)

// ruling returns an engine with rules on callbacks, each in the form of a flow mapping.
func ruling(t testing.TB, text ...string) *rules.Engine {
	t.Helper()
	set, _ := builtin(t)
	f, err := rules.ParseSome("rules", []byte("- "+strings.Join(text, "\n- ")), "", rules.Source{Profiles: set})
	if err != nil {
		t.Fatal(err)
	}
	e := rules.New(rules.Options{Profiles: set, Seed: 1})
	if err := e.Set(rules.FromTest, f); err != nil {
		t.Fatal(err)
	}
	return e
}

// answered has an answer of an operation about a flow go out, that brings callbacks, and tells when
// the client had it.
func answered(t testing.TB, s *callback.Sender, flow int, operation string, brings ...match.Callback) time.Time {
	t.Helper()
	set, _ := builtin(t)
	target := "/payment/rest/" + operation
	a := &match.Answer{Flow: flow, Callbacks: brings}
	gone := s.Announce(t.Context(), proxy.Announced{
		Answer: a, Call: set.Find("POST", target), Method: "POST", Target: target + "?language=en",
	})
	at := time.Now()
	if gone == nil {
		gone = func() { s.Deliver(a) }
	}
	gone()
	return at
}

// told returns the calls of a shop in words: when, what about which order, and the rest of the
// query.
func (s *shop) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, c := range s.calls {
		_, query, _ := strings.Cut(c.url, "?shop=1&mdOrder=order-")
		query = strings.NewReplacer("&orderNumber=A-1", "", "&orderNumber=A-2", "", "operation=", "", "&", " ").Replace(query)
		all = append(all, strings.TrimSpace(c.after.String()+" "+query+" "+c.body))
	}
	return all
}

// TestRuledSender pays, deposits and refunds order 1 half a minute apart, and pays order 2 in
// between, under rules on the callback "deposited" of order 1.
func TestRuledSender(t *testing.T) {
	t.Parallel()
	const where = "op: callback, where: {mdOrder: order-1, operation: deposited}, "
	plain := []string{"0s 1 deposited status=1", "10s 2 deposited status=1", "30s 1 refunded status=1"}
	for _, test := range []struct {
		name, rule string
		statuses   []int // of the shop; nil: always 200
		want       []string
		story      string // of the events with a rule
	}{
		{name: "of another order", rule: "op: callback, where: {mdOrder: order-3}, then: {lose: callback}", want: plain},
		{name: "on calls", rule: "then: {status: 500}", want: plain},
		{name: "now", rule: where + "then: {send: now}", want: plain, story: "x: 1 accepted 200"},
		{name: "before the answer", rule: where + "then: {send: before-answer}", want: plain, story: "x: 1 accepted 200"},
		{name: "later than the refund", rule: where + "then: {send: +40s}",
			want:  []string{plain[1], plain[2], "40s 1 deposited status=1"},
			story: "x: 1 accepted 200"},
		{name: "after the refund", rule: where + "then: {send: after refund.do}",
			want:  []string{plain[1], plain[2], "30s 1 deposited status=1"},
			story: "x: 1 accepted 200"},
		{name: "after a call that does not come", rule: where + "then: {send: after reverse.do}",
			want: plain[1:], story: "x: 0 dropped stopped"},
		{name: "thrice", rule: where + "then: {repeat: 2 every 20s}",
			want:  []string{plain[0], plain[1], "20s 1 deposited status=1", plain[2], "40s 1 deposited status=1"},
			story: "x: 1 accepted 200, x: 1 accepted 200, x: 1 accepted 200"},
		{name: "thrice, when the shop has taken it", rule: where + "when: first 1, then: {repeat: 2}",
			statuses: []int{500, 200},
			want: []string{plain[0], "1s 1 deposited status=1", "1s 1 deposited status=1", "1s 1 deposited status=1",
				plain[1], plain[2]},
			story: "x: 1 refused 500, x: 1 accepted 200, x: 1 accepted 200"},
		{name: "never taken, never repeated", rule: where + "then: {repeat: 2}", statuses: []int{500, 500, 500, 200},
			want:  []string{plain[0], "1s 1 deposited status=1", "2s 1 deposited status=1", plain[1], plain[2]},
			story: "x: 1 refused 500, x: 2 refused 500, x: 3 refused 500"},
		{name: "three at once", rule: where + "then: {parallel: 3}",
			want:  []string{plain[0], plain[0], plain[0], plain[1], plain[2]},
			story: "x: 1 accepted 200, x: 1 accepted 200, x: 1 accepted 200"},
		{name: "lost", rule: where + "then: {lose: callback}", want: plain[1:],
			story: "x: 1 unanswered rule, x: 2 unanswered rule, x: 3 given up rule"},
		{name: "lost once", rule: where + "when: first 1, then: {lose: callback}",
			want: []string{"1s 1 deposited status=1", plain[1], plain[2]}, story: "x: 1 unanswered rule"},
		{name: "another status", rule: where + "then: {set: {status: 0}}",
			want: []string{"0s 1 deposited status=0", plain[1], plain[2]}, story: "x: 1 accepted 200"},
		{name: "without a field", rule: where + "then: {delete: status}",
			want: []string{"0s 1 deposited", plain[1], plain[2]}, story: "x: 1 accepted 200"},
		{name: "the second attempt late", rule: where + "when: nth 2, then: {send: +40s}", statuses: []int{500, 200},
			want:  []string{plain[0], plain[1], plain[2], "40s 1 deposited status=1"},
			story: "x: 2 accepted 200"},
		{name: "the second attempt after the refund", rule: where + "when: nth 2, then: {send: after refund.do}",
			statuses: []int{500, 200}, want: []string{plain[0], plain[1], plain[2], "30s 1 deposited status=1"},
			story: "x: 2 accepted 200"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				shop := &shop{statuses: test.statuses, begun: time.Now()}
				if shop.statuses == nil {
					shop.statuses = []int{200}
				}
				s, seen := newSender(t, shop, callback.SenderOptions{Rules: ruling(t, "{name: x, "+test.rule+"}")})
				answered(t, s, 1, "paymentorder.do", told(t, 1, "deposited", 200))
				time.Sleep(10 * time.Second)
				answered(t, s, 2, "paymentorder.do", told(t, 2, "deposited", 200))
				answered(t, s, 2, "refund.do") // of another order
				time.Sleep(20 * time.Second)
				answered(t, s, 1, "refund.do", told(t, 1, "refunded", 200))
				s.Wait(t.Context())
				s.Close()
				if diff := cmp.Diff(test.want, shop.told()); diff != "" {
					t.Errorf("the shop (-want +got):\n%s", diff)
				}
				if got := seen.ruled(); got != test.story {
					t.Errorf("events %q, want %q", got, test.story)
				}
				if c := s.Counts(); c.Undelivered != 0 && test.statuses == nil {
					t.Errorf("counts %+v", c)
				}
			})
		})
	}
}

// ruled tells the outcomes of events that rules have turned: "x: 1 refused 500".
func (o *observed) ruled() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var words []string
	for _, e := range o.events {
		if len(e.Rules) == 0 {
			continue
		}
		text := fmt.Sprintf("%s: %d %s", strings.Join(e.Rules, " "), e.Attempt, e.Outcome)
		if e.Code != 0 {
			text += fmt.Sprintf(" %d", e.Code)
		}
		words = append(words, strings.TrimSuffix(text+" "+e.Problem, " "))
	}
	return strings.Join(words, ", ")
}

// TestBeforeTheAnswer has shops hear of a deposit before whoever has made it: the answer waits for
// the first attempt, within its time, and no longer than its client.
func TestBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	const rule = "{name: x, op: callback, then: {send: before-answer, parallel: 2}}"
	for _, test := range []struct {
		name   string
		status int
		leaves time.Duration // when the client does; 0: it stays
		waits  time.Duration // what the answer does
		calls  int           // of the shop until then
	}{
		{name: "a shop that takes it", status: 200, calls: 2},
		{name: "a shop that refuses it", status: 500, calls: 2},
		{name: "a shop that hangs", status: hang, waits: 10 * time.Second, calls: 2},
		{name: "a client that leaves", status: hang, leaves: time.Second, waits: time.Second, calls: 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				shop := &shop{statuses: []int{test.status}, begun: time.Now()}
				s, _ := newSender(t, shop, callback.SenderOptions{Rules: ruling(t, rule)})
				ctx := t.Context()
				if test.leaves > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.leaves)
					defer cancel()
				}
				gone := s.Announce(ctx, proxy.Announced{Answer: &match.Answer{
					Callbacks: []match.Callback{told(t, 1, "deposited")},
				}})
				if waited := time.Since(shop.begun); waited != test.waits || len(shop.times()) != test.calls {
					t.Errorf("the answer waited %v, the shop was called %d times", waited, len(shop.times()))
				}
				gone()
				s.Close()
			})
		})
	}
}

// TestRuledSignatures has a shop verify what it gets.
func TestRuledSignatures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, effect, want string }{
		{"as it is", "send: now", "good"},
		{"over other fields", "set: {status: 0}, delete: orderNumber", "good"},
		{"wrong", "sign: wrong", "bad"},
		{"wrong over other fields", "sign: wrong, set: {status: 0}", "bad"},
		{"none", "sign: none", ""},
	} {
		for _, key := range []string{"secret-of-the-shop", ""} {
			t.Run(test.name+" "+key, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					_, gateway := builtin(t)
					shop := &shop{statuses: []int{200}, begun: time.Now()}
					o := callback.SenderOptions{Rules: ruling(t, "{name: x, op: callback, then: {"+test.effect+"}}")}
					k := callback.Key{Text: "secret-of-the-shop"}
					want := test.want
					if o.Unsigned = key == ""; o.Unsigned && want == "good" {
						want = ""
					} else if !o.Unsigned {
						o.Keys = callback.Keys{k}
					}
					s, _ := newSender(t, shop, o)
					cb := told(t, 1, "deposited")
					cb.Signed, cb.Query, cb.Address = true, cb.Query+"&checksum=00", "http://127.0.0.1:9/hook"
					answered(t, s, 1, "deposit.do", cb)
					s.Wait(t.Context())
					s.Close()
					_, query, _ := strings.Cut(shop.urls()[0], "?")
					got := callback.Verify(gateway.Callbacks.Sign, &k, callback.Message{Query: query, Header: http.Header{}})
					if got.Checksum != want {
						t.Errorf("the checksum is %q, want %q: %s", got.Checksum, want, query)
					}
					if test.name == "wrong" && len(query) != len("mdOrder=order-1&orderNumber=A-1&operation=deposited&status=1&checksum=")+64 {
						t.Errorf("the checksum has another length: %s", query)
					}
				})
			})
		}
	}
}

// SignWrong is wrong by every algorithm, and looks right.
func TestSignWrong(t *testing.T) {
	t.Parallel()
	for algorithm, length := range map[string]int{
		profile.HMACSHA256: 64, profile.HMACSHA512: 128, profile.RSASHA256: 512, profile.RSASHA512: 512,
	} {
		how := &profile.Signature{
			Algorithm: algorithm, Encoding: profile.SignatureHex, Over: "${timestamp}.${body}",
			Header: "X-Signature", Text: "t=${timestamp},v1=${signature}", Timestamp: "X-Time",
		}
		m := callback.Message{Header: http.Header{}, Body: "{}"}
		callback.SignWrong(how, &m, time.Unix(5, 0))
		text, found := strings.CutPrefix(m.Header.Get("X-Signature"), "t=5,v1=")
		if !found || len(text) != length || m.Header.Get("X-Time") != "5" {
			t.Errorf("%s: %q", algorithm, text)
		}
		k := callback.Key{Text: "secret"}
		if v := callback.Verify(how, &k, m); v.Checksum == "good" {
			t.Errorf("%s: it is right", algorithm)
		}
	}
}

// TestHeldUnderRules asks the rules when somebody asks for a callback, and has duplicates wait too.
func TestHeldUnderRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{200}, begun: time.Now()}
		e := ruling(t, "{name: x, op: callback, when: asked, then: {repeat: 2, send: before-answer}}",
			"{name: y, op: callback, when: nth 2, then: {lose: callback}}")
		s, seen := newSender(t, shop, callback.SenderOptions{Hold: true, Rules: e})
		answered(t, s, 1, "paymentorder.do", told(t, 1, "approved"), told(t, 1, "deposited"))
		if len(shop.urls()) > 0 {
			t.Fatal("what is held was sent")
		}
		if err := e.Arm("x", 1); err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			sent, err := s.Next()
			if err != nil {
				break
			}
			got = append(got, strings.TrimSpace(fmt.Sprint(sent.Number, " ", sent.Operation, " ", sent.Code, " ", sent.Problem)))
		}
		want := []string{
			"1 approved 200", "2 deposited 0 rule", "2 deposited 200", "3 approved 200", "4 approved 200",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		s.Close()
		const story = "x: 1 accepted 200, x: 0 held, x: 0 held, y: 1 unanswered rule, " +
			"x: 1 accepted 200, x: 1 accepted 200"
		if diff := cmp.Diff(story, seen.ruled()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		var rulesOf []string
		for _, entry := range s.List().Callbacks {
			rulesOf = append(rulesOf, entry.Rules)
		}
		if diff := cmp.Diff([]string{"x(1)", "y(2)", "x(1)", "x(1)"}, rulesOf); diff != "" {
			t.Errorf("the list (-want +got):\n%s", diff)
		}
	})
}

// TestRulesNameWhatTheyChange runs random sets of rules on the callbacks of one order: the
// callbacks of the others are as without rules, in their order and to the byte.
func TestRulesNameWhatTheyChange(t *testing.T) {
	t.Parallel()
	effects := []string{
		"send: now", "send: +40s", "send: before-answer", "send: after refund.do", "repeat: 3 every 1s",
		"parallel: 4", "lose: callback", "sign: none", "set: {status: 0}", "delete: status",
	}
	run := func(t *testing.T, text ...string) (of [4][]string, counts string) {
		synctest.Test(t, func(t *testing.T) {
			shop := &shop{statuses: []int{200}, begun: time.Now()}
			o := callback.SenderOptions{Recorded: true}
			var e *rules.Engine
			if len(text) > 0 {
				e = ruling(t, text...)
				o.Rules = e
			}
			s, _ := newSender(t, shop, o)
			for i, op := range []string{"paymentorder.do", "refund.do"} {
				for flow := 1; flow < len(of); flow++ {
					cb := told(t, flow, []string{"deposited", "refunded"}[i], 200)
					cb.Gap = time.Duration(flow) * time.Second
					answered(t, s, flow, op, cb)
					time.Sleep(time.Second)
				}
			}
			time.Sleep(time.Minute)
			s.Close()
			for _, c := range shop.told() {
				words := strings.Fields(c)
				flow := words[1][0] - '0'
				of[flow] = append(of[flow], c)
			}
			for _, r := range e.Report() {
				counts += fmt.Sprintln(r.Name, r.Matched, r.Fired)
			}
		})
		return of, counts
	}
	plain, _ := run(t)
	for i, effect := range effects {
		text := []string{
			"{name: x, op: callback, where: {mdOrder: order-1}, then: {" + effect + "}}",
			"{name: y, op: gateway/callback, where: {orderNumber: A-1}, when: chance 50%, then: {" +
				effects[(i*7+3)%len(effects)] + "}}",
		}
		first, counts := run(t, text...)
		for flow := 2; flow < len(first); flow++ {
			if !slices.Equal(first[flow], plain[flow]) {
				t.Errorf("%s: order %d has\n%q, without rules\n%q", effect, flow, first[flow], plain[flow])
			}
		}
		second, again := run(t, text...)
		if counts != again || !slices.Equal(first[1], second[1]) {
			t.Errorf("%s: an equal seed does not repeat the run:\n%q\n%q", effect, first[1], second[1])
		}
	}
}

// TestStoppedWhileLost stops between two attempts that a rule loses: nobody has kept the shop from
// hearing of the callback but the rule.
func TestStoppedWhileLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := ruling(t, "{name: x, op: callback, then: {lose: callback}}")
		s, _ := newSender(t, &shop{statuses: []int{200}}, callback.SenderOptions{Rules: e})
		answered(t, s, 1, "deposit.do", told(t, 1, "deposited", 200))
		synctest.Wait()
		s.Close()
		if c := s.Counts(); c.Sent != 1 || c.Dropped != 1 || c.Undelivered != 0 {
			t.Errorf("counts %+v", c)
		}
	})
}

// Without rules on callbacks an answer costs nothing on its way past them.
func TestNoRulesOnCallbacksCostNothing(t *testing.T) {
	s, _ := newSender(t, &shop{}, callback.SenderOptions{Rules: ruling(t, "{name: x, then: {status: 500}}")})
	defer s.Close()
	a := proxy.Announced{Answer: &match.Answer{Callbacks: []match.Callback{told(t, 1, "deposited")}}}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if s.Announce(ctx, a) != nil {
			t.Error("the answer is taken from Deliver")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestResetUnderRules resets when the shop has taken a callback that a rule sends again: nothing more is
// sent, and nothing waits for ever.
func TestResetUnderRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{200}, begun: time.Now()}
		s, _ := newSender(t, shop, callback.SenderOptions{
			Rules: ruling(t, "{name: x, op: callback, then: {repeat: 2 every 1s}}"),
		})
		defer s.Close()
		s.Tap(func(*callback.Sent) { s.Reset() })
		s.Send([]match.Callback{told(t, 1, "deposited", 200)})
		time.Sleep(time.Minute)
		if c := s.Counts(); c.Pending != 0 || c.Sent != 1 || len(shop.urls()) != 1 {
			t.Errorf("called %d times, %+v", len(shop.urls()), c)
		}
	})
}
