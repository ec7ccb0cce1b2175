package rules_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/rules"
)

func itoa(n int) string { return strconv.Itoa(n) }

func answerMessage(body string) *leaf.Message {
	return leaf.Read(leaf.Message{Headless: true, Body: body})
}

// serve gives the answer that a mode has, of a branch of the tape or not, and returns what the client
// gets.
func serve(e *rules.Engine, a *rules.Asked, branch bool, body string) string {
	r := e.Begin(a)
	if c := r.Choice(); c != nil {
		c.Found = branch
	}
	answer := rules.Answer{Code: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
	r.Answered(answer)
	return r.Change(answer).Body
}

const paidStatus = `{"orderStatus":2,"actionCode":0,"actionCodeDescription":"","paymentAmountInfo":{"paymentState":"DEPOSITED"}}`

const declinedStatus = `{"orderStatus":6,"actionCode":116,"actionCodeDescription":"Insufficient funds",` +
	`"paymentAmountInfo":{"paymentState":"DECLINED"}}`

// Where the tape has no declined branch, later answers about the order agree with the decline, until
// the order is paid all the same.
func TestADeclinedOrderStaysDeclined(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules: [{name: poor, op: paymentorder.do, when: first 1, then: {decline: "116"}}]
`)
	pay := func(order string) *rules.Asked { return form(set, "paymentorder.do", "MDORDER="+order) }
	poll := func(order string) *rules.Asked { return form(set, status, "orderId="+order) }
	if got := e.Begin(pay("z")).Choice(); got == nil || got.Declined != "116" || got.Takes != nil {
		t.Fatalf("choice %+v", got)
	}
	got := []string{
		serve(e, poll("a"), false, paidStatus), serve(e, pay("a"), false, `{"errorCode":0}`),
		serve(e, poll("a"), false, paidStatus), serve(e, poll("b"), false, paidStatus),
		serve(e, poll("a"), false, paidStatus), serve(e, pay("a"), false, `{"errorCode":5}`),
		serve(e, poll("a"), false, paidStatus), serve(e, pay("a"), false, `{"errorCode":0}`),
		serve(e, poll("a"), false, paidStatus),
	}
	want := []string{
		paidStatus, `{"errorCode":0}`, // a declined payment is answered like a good one
		declinedStatus, paidStatus,
		declinedStatus, `{"errorCode":5}`, // a call that fails pays nothing
		declinedStatus, `{"errorCode":0}`, paidStatus,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An answer that shows an earlier decline names its rule, as that of the declined call does; others do not.
func TestAnEarlierDeclineIsTold(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules: [{name: poor, op: paymentorder.do, when: first 1, then: {decline: "116"}}]
`)
	told := func(a *rules.Asked, body string) string {
		r := e.Begin(a)
		r.Answered(rules.Answer{Code: 200, Body: body})
		return fmt.Sprint(r.Explanation(), r.Fired(), r.Counts())
	}
	for _, test := range []struct {
		name  string
		asked *rules.Asked
		body  string
		want  string
	}{
		{"the payment", form(set, "paymentorder.do", "MDORDER=a"), `{"errorCode":0}`, "poor(1/1)[poor] [1/1]"},
		{"its status", form(set, status, "orderId=a"), paidStatus, "poor(earlier)[poor] [earlier]"},
		{"that of another order", form(set, status, "orderId=b"), paidStatus, "[] []"},
	} {
		if got := told(test.asked, test.body); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Where the tape has a declined branch, its answers stay as they are.
func TestADeclinedBranchIsLeftAlone(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules: [{name: poor, op: recurrentPayment.do, then: {decline: "116"}}]
`)
	pay := jsonAsked(set, "POST", "/payment/recurrentPayment.do", `{"orderNumber":"1"}`)
	const good = `{"success":true,"orderStatus":{"orderStatus":2,"actionCode":0}}`
	if got := serve(e, pay, true, good); got != good {
		t.Errorf("got %s", got)
	}
	if got := serve(e, pay, false, good); got != `{"success":true,"orderStatus":{"orderStatus":6,"actionCode":116}}` {
		t.Errorf("got %s", got)
	}
}

// A mode that would ask the sandbox gets the whole answer from the profile.
func TestDeclinedWithoutASandbox(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ op, code, target, body, want string }{
		{"paymentorder.do", "116", "/payment/rest/paymentorder.do", `{}`, `{"errorCode":0}`},
		{"creditCard", "51", "/v1/apigate/ws/rest/creditCard", `{}`, `{"responseCode":"51"}`},
		{"POST /topups", "limit exceeded", "/v2/topups", `{"amount":1.00,"currency":"EUR"}`,
			`{"id":"*","amount":1.00,"currency":"EUR", "status":"declined","statusMessage":"the spending limit is exceeded"}`},
	} {
		e, set := newEngine(t, "rules: [{name: x, op: "+test.op+", then: {decline: '"+test.code+"'}}]")
		a, ok := e.Begin(jsonAsked(set, "POST", test.target, test.body)).Declined()
		if !ok {
			t.Errorf("%s: not declined", test.op)
			continue
		}
		got := a.Body
		if _, rest, found := strings.Cut(got, `","amount`); found {
			got = `{"id":"*","amount` + rest
		}
		if got != test.want || a.Code != 200 || a.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %q", test.op, a.Code, a.Body)
		}
	}
	e, set := newEngine(t, `rules: [{name: x, then: {decline: "116"}}]`)
	if _, ok := e.Begin(form(set, "register.do", "orderNumber=1")).Declined(); ok {
		t.Error("a call that no decline is of is declined")
	}
}

// Every code of every profile can be written, for every operation that can be declined.
func TestEveryDecline(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	n := 0
	for _, p := range set.Profiles() {
		for op := range p.Declines.Answers {
			for code := range p.Declines.Codes {
				e, _ := newEngine(t, "rules: [{name: x, op: "+p.Name+"/"+op+", then: {decline: '"+code+"'}}]")
				o := operation(p, op)
				r := e.Begin(jsonAsked(set, "POST", o.Path, `{"amount":5,"currency":"EUR"}`))
				a, ok := r.Declined()
				if !ok || len(answerMessage(a.Body).Leaves) == 0 || answerMessage(a.Body).Leaves[0].Place != leaf.JSON {
					t.Errorf("%s %s %s: %v", p.Name, op, code, a)
				}
				n++
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d declines", n)
	}
}

func operation(p *profile.Profile, name string) *profile.Operation {
	for _, o := range p.Operations {
		if o.Name == name {
			return o
		}
	}
	return nil
}
