package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/rules"
)

// recorded is an exchange of the gateway on tape.
func recorded(number int, op, form, answer string) *leaf.Exchange {
	x := &leaf.Exchange{}
	x.Meta.Number = number
	x.URL, x.Request.Method = "https://pay.example/payment/rest/"+op, "POST"
	x.Request.Headers = map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}
	x.Request.Body = form
	x.Response.Code, x.Response.Status, x.Response.Body = 200, "200 OK", answer
	x.Response.Headers = map[string][]string{"Content-Type": {"application/json"}}
	return x
}

func TestTry(t *testing.T) {
	t.Parallel()
	const status = "getOrderStatusExtended.do"
	tape := []*leaf.Exchange{
		recorded(1, "register.do", "orderNumber=A-1&amount=100", `{"orderId":"a1"}`),
		recorded(2, status, "orderId=a1", `{"orderStatus":0,"rrn":"1"}`),
		recorded(3, "paymentorder.do", "MDORDER=a1", `{"errorCode":0}`),
		recorded(4, status, "orderId=a1", `{"orderStatus":2,"rrn":"1"}`),
	}
	for _, test := range []struct {
		name, rules string
		want        []rules.Hit
	}{
		{"a field of the second poll", `- {name: x, op: ` + status + `, when: nth 2, then: {set: {orderStatus: 1}, delete: rrn}}`,
			[]rules.Hit{{Rule: "x", Number: 4, Operation: status, Attempt: 2, Changes: []rules.FieldChange{
				{Field: "orderStatus", Was: "2", Is: "1"}, {Field: "rrn", Was: "1"}}}}},
		{"a field of the request", `- {name: x, op: register.do, then: {request: {set: {amount: 7}}}}`,
			[]rules.Hit{{Rule: "x", Number: 1, Operation: "register.do", Attempt: 1, Changes: []rules.FieldChange{
				{Field: "amount", Request: true, Was: "100", Is: "7"}}}}},
		{"a whole answer", `- {name: x, op: register.do, then: {answer: {status: 503, body: down}}}`,
			[]rules.Hit{{Rule: "x", Number: 1, Operation: "register.do", Attempt: 1, Changes: []rules.FieldChange{
				{Field: "http-status", Was: "200", Is: "503"},
				{Field: "header:Content-Type", Was: "application/json", Is: "text/plain; charset=utf-8"},
				{Field: "body", Is: "down"}, {Field: "orderId", Was: "a1"}}}}},
		{"each what it does", `
- {name: x, op: register.do, answer: {orderId: present}, then: {status: 500}}
- {name: y, op: register.do, then: {status: 501}}`,
			[]rules.Hit{
				{Rule: "y", Number: 1, Operation: "register.do", Attempt: 1,
					Changes: []rules.FieldChange{{Field: "http-status", Was: "500", Is: "501"}}},
				{Rule: "x", Number: 1, Operation: "register.do", Attempt: 1,
					Changes: []rules.FieldChange{{Field: "http-status", Was: "200", Is: "500"}}},
			}},
		{"nothing of fields", `- {name: x, op: paymentorder.do, then: {lose: answer}}`,
			[]rules.Hit{{Rule: "x", Number: 3, Operation: "paymentorder.do", Attempt: 1}}},
		{"what waits to be asked", `- {name: x, op: paymentorder.do, when: asked, then: {lose: request}}`,
			[]rules.Hit{{Rule: "x", Number: 3, Operation: "paymentorder.do", Attempt: 1}}},
		{"outranked", `
- {name: x, op: register.do, then: {lose: request}}
- {name: y, op: register.do, then: {answer: {status: 500}}}`,
			[]rules.Hit{{Rule: "x", Number: 1, Operation: "register.do", Attempt: 1},
				{Rule: "y", Number: 1, Operation: "register.do", Attempt: 1, Outranked: true}}},
		{"what follows a decline", `- {name: x, op: paymentorder.do, then: {decline: 116}}`,
			[]rules.Hit{{Rule: "x", Number: 3, Operation: "paymentorder.do", Attempt: 1, Branch: "profile"},
				{Rule: "x", Number: 4, Operation: status, Changes: []rules.FieldChange{
					{Field: "orderStatus", Was: "2", Is: "6"}}}}},
		{"a decline that is on tape", `- {name: x, op: paymentorder.do, then: {decline: 208}}`,
			[]rules.Hit{{Rule: "x", Number: 3, Operation: "paymentorder.do", Attempt: 1, Branch: "#9"}}},
		{"a branch that is not on tape", `- {name: x, op: paymentorder.do, then: {take: {orderStatus: 6}}}`,
			[]rules.Hit{{Rule: "x", Number: 3, Operation: "paymentorder.do", Attempt: 1, Branch: "miss"}}},
		{"nothing", `- {name: x, op: refund.do, then: {status: 500}}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, _ := newEngine(t, "rules:\n"+test.rules)
			var got []rules.Hit
			for _, x := range tape {
				before := *x
				got = append(got, e.Try(x, rules.TryOptions{
					Clean:  func(x *leaf.Exchange) *leaf.Exchange { return x },
					Branch: func(c *request.Choice) (int, bool) { return 9, c.Declined == "208" },
				})...)
				if diff := cmp.Diff(before.Response.Body, x.Response.Body); diff != "" {
					t.Error("the tape has changed")
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Nothing is shown but what clean has left.
func TestTryShowsCleanedValues(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, "rules: [{name: x, then: {set: {orderStatus: 9}, request: {set: {amount: 8}}}}]")
	x := recorded(1, "register.do", "amount=100", `{"orderStatus":2}`)
	hits := e.Try(x, rules.TryOptions{Clean: func(x *leaf.Exchange) *leaf.Exchange {
		y := *x
		y.Response.Body, y.Request.Body = `{"orderStatus":"clean"}`, "amount=clean"
		return &y
	}})
	if diff := cmp.Diff([]rules.Hit{{Rule: "x", Number: 1, Operation: "register.do", Attempt: 1}}, hits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
