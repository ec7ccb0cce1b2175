package rules_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/rules"
)

// Card numbers in pieces, for those who search the repository for whole ones.
const (
	visa      = "400000" + "00" + "0000" + "9995"
	visaParts = "4000 00" + "00 0000 9995"
)

// jsonAsked is a request with a JSON body.
func jsonAsked(set *profile.Set, method, target, body string) *rules.Asked {
	h := http.Header{"Content-Type": {"application/json"}}
	return &rules.Asked{Request: request.New(set, method, target, h, body), Body: body}
}

// fired reports whether a rule without conditions fires for a request.
func fired(e *rules.Engine, a *rules.Asked) bool { return len(e.Begin(a).Fired()) > 0 }

func TestWhere(t *testing.T) {
	t.Parallel()
	const body = "orderNumber=A-1&amount=0250000.00&big=12345678901234567890&empty=&tag=x&tag=y" +
		"&$PAN=" + "4000+00" + "00+0000+9995" + "&star=a*b" +
		"&jsonParams=%7B%22installments%22%3A3%7D&description=de+luxe"
	for _, test := range []struct {
		where string
		want  bool
		why   string
	}{
		{`{orderNumber: A-1}`, true, "an equal text"},
		{`{orderNumber: a-1}`, false, "case counts in a value"},
		{`{ORDERNUMBER: A-1}`, true, "case does not count in a key"},
		{`{orderNumber: "A-*"}`, true, "a star at the end"},
		{`{orderNumber: "*-1"}`, true, "a star at the beginning"},
		{`{orderNumber: "B*"}`, false, "another beginning"},
		{`{orderNumber: "*"}`, true, "a star is any text"},
		{`{"body:empty": "*"}`, false, "body: is for JSON"},
		{`{star: "= a*b"}`, true, "a star that is a star"},
		{`{star: "= a*"}`, false, "a star that is a star, and no text"},
		{`{amount: ">= 250000"}`, true, "a number, however many zeros"},
		{`{amount: "> 250000"}`, false, "not above itself"},
		{`{amount: "<= 250000.00"}`, true, "at most itself"},
		{`{amount: "< 250000.01"}`, true, "less by a hundredth"},
		{`{amount: ">= -1"}`, true, "negative numbers"},
		{`{amount: 250000}`, false, "without a sign texts are compared"},
		{`{big: "> 12345678901234567889"}`, true, "20 digits, exactly"},
		{`{big: "> 12345678901234567890"}`, false, "20 digits, exactly"},
		{`{orderNumber: ">= 1"}`, false, "a text is no number"},
		{`{orderNumber: "!= B"}`, true, "another value"},
		{`{orderNumber: "!= A*"}`, false, "a star after !="},
		{`{nowhere: "!= B"}`, false, "a field that is not there is unequal to nothing"},
		{`{orderNumber: "~ ^A-\\d$"}`, true, "a regular expression"},
		{`{orderNumber: "~ ^\\d"}`, false, "a regular expression"},
		{`{orderNumber: [x, "A-1"]}`, true, "any of a list"},
		{`{orderNumber: [x, y]}`, false, "none of a list"},
		{`{orderNumber: present}`, true, "present"},
		{`{nowhere: present}`, false, "present"},
		{`{nowhere: absent}`, true, "absent"},
		{`{orderNumber: absent}`, false, "absent"},
		{`{empty: present}`, true, "an empty value is there"},
		{`{empty: ""}`, true, "an empty value"},
		{`{nowhere: ""}`, false, "an empty value is there"},
		{`{nowhere: [absent, "x"]}`, true, "absent among others"},
		{`{tag: y}`, true, "the second of one name"},
		{`{tag: "!= y"}`, false, "no value is unequal if one is equal"},
		{`{$PAN: "400000*9995"}`, true, "a card by its ends, in groups"},
		{`{$pan: "400000*9996"}`, false, "another card"},
		{`{installments: 3}`, true, "a field in a packed document"},
		{`{"jsonParams>installments": 3}`, true, "its whole path"},
		{`{description: de luxe}`, true, "a decoded text"},
		{`{"header:x-shop": a}`, true, "a header"},
		{`{"header:X-Shop": b}`, true, "the second header of one name"},
		{`{"header:X-None": absent}`, true, "a header that is not there"},
		{`{"query:lang": en}`, true, "the query"},
		{`{"query:amount": present}`, false, "what is in the body is not in the query"},
		{`{lang: en}`, true, "a field in any form"},
		{`{orderNumber: A-1, amount: "> 1"}`, true, "all must hold"},
		{`{orderNumber: A-1, amount: "> 1000000"}`, false, "all must hold"},
	} {
		t.Run(test.where, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rewrite: {register.do: {request: {big: exact, empty: exact, tag: exact, "+
				"star: exact, nowhere: exact}}}\n"+
				"rules: [{name: x, op: register.do, where: "+test.where+", then: {status: 500}}]")
			h := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "X-Shop": {"a", "b"}}
			r := request.New(set, "POST", "/payment/rest/register.do?lang=en", h, body)
			if got := fired(e, &rules.Asked{Request: r, Body: body}); got != test.want {
				t.Errorf("fired: %v: %s", got, test.why)
			}
		})
	}
}

func TestWhereInJSONAndPaths(t *testing.T) {
	t.Parallel()
	card := fmt.Sprintf(`{"cardIdentification":{"cardNumber":"%s"},"parameters":[{"name":"surname",`+
		`"value":"Li"},{"name":"email","value":"a@b.example"}],"deep":[{"a":1},{"a":22}],"yes":true,`+
		`"no":null}`, visaParts)
	for _, test := range []struct {
		method, target, body, op, where string
		want                            bool
	}{
		{"GET", "/v2/cards/c-77?x=1", "", "GET /cards/{id}", `{id: c-77}`, true},
		{"GET", "/v2/cards/c-77?x=1", "", "GET /cards/{id}", `{id: c-78}`, false},
		{"POST", "/v1/apigate/ws/rest/registerCustomer", card, "registerCustomer", `{surname: L*}`, true},
		{"POST", "/v1/apigate/ws/rest/registerCustomer", card, "registerCustomer", `{parameters(surname): Li}`, true},
		{"POST", "/v1/apigate/ws/rest/registerCustomer", card, "registerCustomer", `{parameters(email): Li}`, false},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "blockCard", `{cardNumber: "400000*9995"}`, true},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "blockCard",
			`{cardIdentification.cardNumber: "400000*9995"}`, true},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "*", `{"body:deep.1.a": 22}`, true},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "*", `{"body:deep.#.a": 22}`, true},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "*", `{"body:deep.0.a": 22}`, false},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "*", `{deep.a: 22}`, true},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "*", `{"deep[1].a": 22}`, true},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "*", `{"deep[0].a": 22}`, false},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "*", `{yes: "true"}`, true},
		{"POST", "/v1/apigate/ws/rest/blockCard", card, "*", `{"body:no": present}`, true},
		{"POST", "/shop/orders/5/pay", `{"a":1}`, "{method: POST, path: '/shop/orders/{id}/pay'}", `{a: 1}`, true},
		{"GET", "/shop/orders/5/pay", `{"a":1}`, "{method: POST, path: '/shop/orders/{id}/pay'}", `{a: 1}`, false},
		{"POST", "/shop/orders/5/6/pay", `{"a":1}`, "{path: '/shop/orders/{id}/pay'}", `{a: 1}`, false},
		{"POST", "/shop/orders/5/6/pay", `{"a":1}`, "{path: '/shop/*/pay'}", `{a: 1}`, true},
		{"POST", "/shop/orders//pay", `{"a":1}`, "{path: '/shop/orders/{id}/pay'}", `{a: 1}`, false},
		{"POST", "/shop/x", `{"a":1}`, "'*'", `{a: 1}`, true},
		{"POST", "/shop/x", `{"a":1}`, "gateway/*", `{}`, false},
		{"GET", "/v2/cards/c-77", "", "cardv2/GET /cards/*", `{}`, true},
		{"GET", "/v2/cards/c-77", "", "[register.do, 'GET /c*']", `{}`, true},
		{"GET", "/v2/cards/c-77", "", "[register.do, 'POST /c*']", `{}`, false},
	} {
		t.Run(test.op+test.where+test.target, func(t *testing.T) {
			t.Parallel()
			op := test.op
			if op[0] != '{' && op[0] != '[' && op[0] != '\'' {
				op = "'" + op + "'"
			}
			e, set := newEngine(t, "rules: [{name: x, op: "+op+", where: "+test.where+", then: {status: 500}}]")
			if got := fired(e, jsonAsked(set, test.method, test.target, test.body)); got != test.want {
				t.Errorf("fired: %v", got)
			}
		})
	}
}

func TestAnswerTests(t *testing.T) {
	t.Parallel()
	const body = `{"errorCode":"0","orderStatus":2,"amount":1.00,"attributes":[{"name":"mdOrder","value":"m"}],` +
		`"list":[{"rrn":"1"},{"rrn":"2"}]}`
	for _, test := range []struct {
		tests string
		want  bool
	}{
		{`{http-status: 200}`, true}, {`{http-status: ">= 500"}`, false}, {`{http-status: [201, "2*"]}`, true},
		{`{orderStatus: 2}`, true}, {`{orderStatus: 3}`, false}, {`{amount: "1.00"}`, true},
		{`{amount: 1.00}`, true}, {`{amount: "<= 1"}`, true}, {`{"body:list.#.rrn": 2}`, true},
		{`{"body:list.0.rrn": 2}`, false}, {`{rrn: 2}`, true}, {`{mdOrder: m}`, true},
		{`{attributes(mdOrder): m}`, true}, {`{"header:Content-Type": "*json"}`, true},
		{`{errorMessage: absent}`, true}, {`{errorCode: absent}`, false}, {`{errorCode: "!= 0"}`, false},
		{`{amount: "~ ^1"}`, true},
	} {
		t.Run(test.tests, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rules: [{name: x, op: getOrderStatus*, answer: "+test.tests+", then: {status: 500}}]")
			r := e.Begin(form(set, "getOrderStatus.do", "orderId=1"))
			if r.Fired() != nil {
				t.Error("fired before the answer")
			}
			r.Answered(rules.Answer{Code: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: body})
			if got := len(r.Fired()) > 0; got != test.want || r.Changes() != test.want {
				t.Errorf("fired: %v, changes: %v", got, r.Changes())
			}
		})
	}
}
