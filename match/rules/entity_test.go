package rules_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/rules"
)

// step is a request and its answer.
type step struct {
	method, target, body string
	answer               string
	counts               string // the attempt that it is; "" for none
}

// Names of one thing are counted together, and things apart.
func TestWhatIsOneEntity(t *testing.T) {
	t.Parallel()
	const gateway, v1 = "/payment/rest/", "/v1/apigate/ws/rest/"
	for _, test := range []struct {
		name, op string
		steps    []step
	}{
		{"an order by two names", status, []step{
			{"POST", gateway + "register.do", "orderNumber=A", `{"orderId":"id-a"}`, ""},
			{"POST", gateway + "register.do", "orderNumber=B", `{"orderId":"id-b"}`, ""},
			{"POST", gateway + status, "orderNumber=A", `{}`, "1"},
			{"POST", gateway + status, "orderId=id-a", `{}`, "2"},
			{"POST", gateway + status, "orderId=id-b", `{}`, "1"},
			{"POST", gateway + status, "orderNumber=B", `{}`, "2"},
		}},
		{"an order that a question shows to be known", status, []step{
			{"POST", gateway + status, "orderId=id-a", `{}`, "1"},
			{"POST", gateway + status, "orderNumber=A", `{"attributes":[{"name":"mdOrder","value":"id-a"}]}`, "1"},
			{"POST", gateway + status, "orderNumber=A", `{}`, "2"},
			{"POST", gateway + status, "orderId=id-a", `{}`, "3"},
		}},
		{"a list is no entity", status, []step{
			{"POST", gateway + "getLastOrdersForMerchants.do", "page=0",
				`{"orderStatuses":[{"orderNumber":"A"},{"orderNumber":"B"}]}`, ""},
			{"POST", gateway + status, "orderNumber=A", `{}`, "1"},
			{"POST", gateway + status, "orderNumber=B", `{}`, "1"},
		}},
		{"the cards of a transfer are two", "cardStatusInquiry", []step{
			{"POST", v1 + "p2PTransfer", `{"sourceCardIdentification":{"cardId":"10001"},` +
				`"destinationCardIdentification":{"cardId":"20002"}}`, `{}`, ""},
			{"POST", v1 + "cardStatusInquiry", `{"cardIdentification":{"cardId":"10001"}}`, `{}`, "1"},
			{"POST", v1 + "cardStatusInquiry", `{"cardIdentification":{"cardId":"20002"}}`, `{}`, "1"},
			{"POST", v1 + "cardStatusInquiry", `{"cardIdentification":{"cardId":"10001"}}`, `{}`, "2"},
		}},
		{"a card by its id and its number, in groups or not", "getCard*", []step{
			{"POST", v1 + "getCardData", `{"cardIdentification":{"cardId":"10001","cardNumber":"` + visaParts + `"}}`, `{}`, "1"},
			{"POST", v1 + "getCardLimits", `{"cardIdentification":{"cardNumber":"` + visa + `"}}`, `{}`, "2"},
			{"POST", v1 + "getCardLimits", `{"cardIdentification":{"cardId":"10001"}}`, `{}`, "3"},
		}},
		{"a card before its account and its customer", "cardStatusInquiry", []step{
			{"POST", v1 + "cardStatusInquiry", `{"customerNumber":"7","cardIdentification":{"cardId":"10001"}}`, `{}`, "1"},
			{"POST", v1 + "cardStatusInquiry", `{"customerNumber":"7","cardIdentification":{"cardId":"20002"}}`, `{}`, "1"},
			{"POST", v1 + "cardStatusInquiry", `{"cardIdentification":{"cardId":"10001"}}`, `{}`, "2"},
			{"POST", v1 + "cardStatusInquiry", `{"customerNumber":"7"}`, `{}`, "1"},
		}},
		{"an account before its customer", "getCustomerInfo", []step{
			{"POST", v1 + "getCustomerInfo", `{"customerNumber":"7","accountNumber":"40001"}`, `{}`, "1"},
			{"POST", v1 + "getCustomerInfo", `{"customerNumber":"7","accountNumber":"40002"}`, `{}`, "1"},
			{"POST", v1 + "getCustomerInfo", `{"customerNumber":"7"}`, `{}`, "1"},
			{"POST", v1 + "getCustomerInfo", `{"accountNumber":"40001","customerNumber":"7"}`, `{}`, "2"},
		}},
		{"an order before the binding that pays it", "paymentOrderBinding.do", []step{
			{"POST", gateway + "paymentOrderBinding.do", "bindingId=b-1&mdOrder=id-a", `{}`, "1"},
			{"POST", gateway + "paymentOrderBinding.do", "bindingId=b-1&mdOrder=id-b", `{}`, "1"},
			{"POST", gateway + "paymentOrderBinding.do", "bindingId=b-2&mdOrder=id-a", `{}`, "2"},
		}},
		{"a thing of an API that nobody knows", "{path: '*'}", []step{
			{"POST", "/shop/orders", `{"sum":5}`, `{"id":"ord_10001","customer":{"id":"cus_77777"}}`, "1"},
			{"POST", "/shop/orders", `{"sum":5}`, `{"id":"ord_20002","customer":{"id":"cus_77777"}}`, "2"},
			{"GET", "/shop/orders/ord_10001", ``, `{"id":"ord_10001"}`, "1"},
			{"GET", "/shop/orders/ord_20002", ``, `{"id":"ord_20002"}`, "1"},
			{"GET", "/shop/customers/cus_77777/orders/ord_20002", ``, `{}`, "2"},
			{"POST", "/shop/refunds", `{"orderId":"ord_20002"}`, `{}`, "3"},
			{"POST", "/shop/customers/cus_77777/orders", `{}`, `{"id":"ord_30003"}`, "1"},
			{"POST", "/shop/customers/cus_77777/orders", `{}`, `{"id":"ord_40004"}`, "2"},
			{"GET", "/shop/orders/ord_30003", ``, `{"id":"ord_30003"}`, "1"},
			{"GET", "/shop/orders/ord_40004", ``, `{"id":"ord_40004"}`, "1"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rules: [{name: x, op: "+test.op+", when: skip 100, then: {status: 500}}, "+
				"{name: count, op: "+test.op+", when: first 99, then: {delay: 1ms}}]")
			for i, s := range test.steps {
				h := http.Header{"Content-Type": {"application/json"}}
				if !strings.HasPrefix(s.body, "{") {
					h.Set("Content-Type", "application/x-www-form-urlencoded")
				}
				a := &rules.Asked{Request: request.New(set, s.method, s.target, h, s.body), Body: s.body}
				r := e.Begin(a)
				r.Answered(rules.Answer{Code: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: s.answer})
				want := ""
				if s.counts != "" {
					want = "count(" + s.counts + "/99)"
				}
				if got := r.Explanation(); got != want {
					t.Errorf("step %d: got %q, want %q", i+1, got, want)
				}
			}
		})
	}
}

// What never arrived was not seen.
func TestALostRequestWasNotSeen(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - {name: lost, op: deposit.do, when: first 1, then: {lose: request}}
  - {name: after, op: `+status+`, when: seen deposit.do, then: {status: 500}}
`)
	var got []bool
	for _, op := range []string{"deposit.do", status, "deposit.do", status} {
		got = append(got, fired(e, form(set, op, "orderId=1")))
	}
	if diff := cmp.Diff([]bool{true, false, false, true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An engine remembers so many calls that no profile knows, and goes on with the latest.
func TestLongHistories(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - {name: x, op: {path: /last}, when: {seen: {path: /shop/orders/999}}, per: deck, then: {status: 500}}
`)
	for i := range 1000 {
		e.Begin(jsonAsked(set, "GET", "/shop/orders/"+strconv.Itoa(i), ""))
	}
	if !fired(e, jsonAsked(set, "GET", "/last", "")) {
		t.Error("the latest call is forgotten")
	}
}
