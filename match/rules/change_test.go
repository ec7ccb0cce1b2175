package rules_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/rules"
)

// changed returns what a client gets of an answer.
func changed(t *testing.T, then, contentType, body string) string {
	t.Helper()
	e, set := newEngine(t, "rules: [{name: x, then: "+then+"}]")
	r := e.Begin(form(set, "getOrderStatus.do", "orderId=42&amount=5"))
	a := rules.Answer{Code: 200, Header: http.Header{"Content-Type": {contentType}}, Body: body}
	r.Answered(a)
	before := a.Header.Clone()
	got := r.Change(a)
	if diff := cmp.Diff(before, a.Header); diff != "" {
		t.Errorf("the true answer was changed: %s", diff)
	}
	return got.Body
}

// Every byte outside the values that a rule names stays.
func TestValuesAreSplicedInPlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, then, media, body, want string }{
		{"20 digits stay a number", `{set: {id: 99999999999999999999}}`, "application/json",
			`{ "id" : 12345678901234567890 }`, `{ "id" : 99999999999999999999 }`},
		{"zeros of a number stay", `{set: {amount: "1.00"}}`, "application/json",
			`{"amount":2}`, `{"amount":1.00}`},
		{"a text stays a text", `{set: {amount: 1.00}}`, "application/json",
			`{"amount":"2"}`, `{"amount":"1.00"}`},
		{"what is no number becomes a text", `{set: {amount: much}}`, "application/json",
			`{"amount":2}`, `{"amount":"much"}`},
		{"a truth stays one", `{set: {ok: false}}`, "application/json", `{"ok":true}`, `{"ok":false}`},
		{"every value of a repeated key", `{set: {rrn: 3}}`, "application/json",
			`{"rrn":"1","rrn": 2}`, `{"rrn":"3","rrn": 3}`},
		{"escapes", `{set: {text: "a\"b\\c\n"}}`, "application/json",
			`{"text":"\u0041"}`, `{"text":"a\"b\\c\n"}`},
		{"a value in a list of names", `{set: {mdOrder: n}}`, "application/json",
			`{"attributes":[{"name":"mdOrder","value":"m"}]}`,
			`{"attributes":[{"name":"mdOrder","value":"n"}]}`},
		{"a text in XML", `{set: {code: "<5>"}}`, "application/xml",
			`<r><code>0</code> <x>0</x></r>`, `<r><code>&lt;5&gt;</code> <x>0</x></r>`},
		{"a field of a page", `{set: {mdOrder: n}}`, "text/html",
			`<form><input type=hidden name="mdOrder" value="m"></form>`,
			`<form><input type=hidden name="mdOrder" value="n"></form>`},
		{"a form", `{set: {code: "a b&c"}}`, "application/x-www-form-urlencoded",
			"x=%31&code=0", "x=%31&code=a+b%26c"},
		{"JSON packed in a form", `{set: {installments: 4}}`, "application/x-www-form-urlencoded",
			`jsonParams=%7B%22installments%22%3A3%7D&x=1`, `jsonParams=%7B%22installments%22%3A4%7D&x=1`},
		{"a path into JSON", `{set: {"body:a.1.b": 9}}`, "application/json",
			`{"a":[{"b":1},{"b":2}]}`, `{"a":[{"b":1},{"b":9}]}`},
		{"a query of gjson", `{set: {"body:a.#(b==2).c": 9}}`, "application/json",
			`{"a":[{"b":1,"c":1},{"b":2,"c":1}]}`, `{"a":[{"b":1,"c":1},{"b":2,"c":9}]}`},
		{"all items", `{set: {"body:a.#.b": 9}}`, "application/json",
			`{"a":[{"b":1},{"b":2}]}`, `{"a":[{"b":9},{"b":9}]}`},
		{"a value at the top", `{set: {"body:0": 9}}`, "application/json", `[1,2]`, `[9,2]`},
		{"a dollar sign", `{set: {a: "$5 {x}"}}`, "application/json", `{"a":"1"}`, `{"a":"$5 {x}"}`},
		{"a reference with quotes", `{set: {a: "${answer.b}"}}`, "application/json",
			`{"a":"1","b":"x\"y"}`, `{"a":"x\"y","b":"x\"y"}`},
		{"a reference to a number", `{set: {a: "${answer.b}"}}`, "application/json",
			`{"a":"1","b":1.00}`, `{"a":"1.00","b":1.00}`},
		{"a reference to a header", `{set: {a: "${answer.header:Content-Type} ${answer.http-status}"}}`,
			"application/json", `{"a":"1"}`, `{"a":"application/json 200"}`},
		{"a reference to the request", `{set: {a: "${request.amount}"}}`, "application/json",
			`{"a":1}`, `{"a":5}`},
		{"a reference to nothing", `{set: {a: "${request.none}"}}`, "application/json",
			`{"a":"1"}`, `{"a":""}`},
		{"the last of several values", `[{set: {a: 2}}, {set: {a: 3}}]`, "application/json", `{"a":1}`, `{"a":3}`},
		{"deleted from a form", `{delete: b}`, "application/x-www-form-urlencoded", "a=1&b=2&c=3", "a=1&c=3"},
		{"the last of a form", `{delete: c}`, "application/x-www-form-urlencoded", "a=1&b=2&c=3", "a=1&b=2"},
		{"the only one of a form", `{delete: a}`, "application/x-www-form-urlencoded", "a=1", ""},
		{"every one of a name", `{delete: b}`, "application/x-www-form-urlencoded", "b=1&a=2&b=3", "a=2"},
		{"a member with odd names", `{delete: a}`, "application/json", `{"x\"":1, "a" : [ ] , "y":2}`,
			`{"x\"":1, "y":2}`},
		{"the only member", `{delete: a}`, "application/json", `{ "a": 1 }`, `{}`},
		{"the only item", `{delete: "body:a.0"}`, "application/json", `{"a":[ {"b":1} ]}`, `{"a":[]}`},
		{"an object", `{delete: "body:a"}`, "application/json", `{"a":{"b":[1,2]},"c":1}`, `{"c":1}`},
		{"members of all items", `{delete: "body:a.#.b"}`, "application/json",
			`{"a":[{"b":1},{"c":2,"b":2},{"b":3,"c":4}]}`, `{"a":[{},{"c":2},{"c":4}]}`},
		{"two members", `{delete: [a, c]}`, "application/json", `{"a":1,"b":2,"c":3}`, `{"b":2}`},
		{"what is packed stays", `{delete: installments}`, "application/x-www-form-urlencoded",
			`jsonParams=%7B%22installments%22%3A3%7D&x=1`, `jsonParams=%7B%22installments%22%3A3%7D&x=1`},
		{"XML stays", `{delete: code}`, "application/xml", `<r><code>0</code></r>`, `<r><code>0</code></r>`},
		{"the parts of a body stay", `{delete: a}`, "multipart/form-data; boundary=b",
			"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n",
			"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"},
		{"a part is set", `{set: {a: 2}}`, "multipart/form-data; boundary=b",
			"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n",
			"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n2\r\n--b--\r\n"},
		{"no JSON", `{set: {"body:a": 2}, delete: "body:b"}`, "text/plain", `{"a":1,"b"`, `{"a":1,"b"`},
		{"nothing", `{set: {none: 2}, delete: [none, "body:none"]}`, "application/json", ` {"a":1}`, ` {"a":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, changed(t, test.then, test.media, test.body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMintAndNow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // the clock stands at 2000-01-01T00:00:00Z
		const body = `{"rrn":"123456789012","authRefNum":"123456789012","orderId":"0b5e2c11-9d0f-7a3e-8c21-5f0f6f6f0a01",` +
			`"date":1700000000000,"at":"2023-11-14T22:13:20Z","note":"x"}`
		got := changed(t, `{set: {rrn: "${mint}", authRefNum: "${mint}", orderId: "${mint}", date: "${now+1h}", `+
			`at: "${now-30s}", note: "${now}"}}`, "application/json", body)
		values := map[string]string{}
		for _, pair := range strings.Split(strings.Trim(got, "{}"), ",") {
			name, value, _ := strings.Cut(pair, ":")
			values[strings.Trim(name, `"`)] = value
		}
		if v := values["rrn"]; len(v) != 14 || v == `"123456789012"` || v == values["authRefNum"] {
			t.Errorf("minted %s and %s", v, values["authRefNum"])
		}
		if v := values["orderId"]; len(v) != 38 || strings.Count(v, "-") != 4 {
			t.Errorf("minted %s", v)
		}
		for name, want := range map[string]string{
			"date": "946688400000", "at": `"1999-12-31T23:59:30Z"`, "note": `"2000-01-01T00:00:00Z"`,
		} {
			if values[name] != want {
				t.Errorf("%s: got %s, want %s", name, values[name], want)
			}
		}
	})
}

func TestStatusAndHeaders(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - {name: x, then: {status: 418, set: {"header:X-A": "${request.orderId}", "header:X-New": "a\nb"}, delete: ["header:X-B", "header:X-C"]}}
`)
	r := e.Begin(form(set, "getOrderStatus.do", "orderId=42"))
	a := rules.Answer{Code: 200, Header: http.Header{"X-A": {"1", "2"}, "X-B": {"1"}}}
	r.Answered(a)
	got := r.Change(a)
	want := http.Header{"X-A": {"42"}, "X-New": {"a b"}}
	if diff := cmp.Diff(want, got.Header); diff != "" || got.Code != 418 {
		t.Errorf("status %d (-want +got):\n%s", got.Code, diff)
	}
	if got := r.Explanation(); got != "x(1; field not found)" {
		t.Errorf("explanation %q", got)
	}
	if diff := cmp.Diff([]string{"header:X-C"}, e.Report()[0].Missed); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
}

func TestTheRequestIsChanged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, change, target, media, body, wantTarget, wantBody string }{
		{"a form", `{set: {amount: 7}, delete: language}`, "/payment/rest/register.do",
			"application/x-www-form-urlencoded", "amount=5&language=en&x=%20", "/payment/rest/register.do",
			"amount=7&x=%20"},
		{"the query", `{set: {amount: 7}, delete: language}`, "/payment/rest/register.do?language=en&amount=5",
			"", "", "/payment/rest/register.do?amount=7", ""},
		{"the query alone", `{set: {"query:amount": 7}}`, "/payment/rest/register.do?amount=5",
			"application/x-www-form-urlencoded", "amount=5", "/payment/rest/register.do?amount=7", "amount=5"},
		{"the only parameter", `{delete: amount}`, "/payment/rest/register.do?amount=5", "", "",
			"/payment/rest/register.do", ""},
		{"JSON", `{set: {"body:a.b": 7}, delete: "body:c"}`, "/payment/rest/register.do", "application/json",
			`{"a":{"b":5},"c":[1]}`, "/payment/rest/register.do", `{"a":{"b":7}}`},
		{"XML", `{set: {code: 7}}`, "/shop", "application/xml", `<r a="1"><code>5</code></r>`, "/shop",
			`<r a="1"><code>7</code></r>`},
		{"packed JSON in a form", `{set: {installments: 7}}`, "/payment/rest/register.do",
			"application/x-www-form-urlencoded", `a=%31&jsonParams={"installments":3,"x":1.00}`,
			"/payment/rest/register.do", `a=%31&jsonParams={"installments":7,"x":1.00}`},
		{"a list of names", `{set: {surname: Wu}}`, "/v1/apigate/ws/rest/registerCustomer", "application/json",
			`{"parameters":[{"name":"surname","value":"Li"},{"name":"x","value":"Li"}]}`,
			"/v1/apigate/ws/rest/registerCustomer",
			`{"parameters":[{"name":"surname","value":"Wu"},{"name":"x","value":"Li"}]}`},
		{"a reference to what was sent", `{set: {amount: 7, description: "${request.amount}"}}`,
			"/payment/rest/register.do", "application/x-www-form-urlencoded", "amount=5&description=x",
			"/payment/rest/register.do", "amount=7&description=5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rules: [{name: x, then: {request: "+test.change+"}}]")
			a := jsonAsked(set, "POST", test.target, test.body)
			a.Header.Set("Content-Type", test.media)
			r := e.Begin(&rules.Asked{Request: a.Request, Body: test.body})
			q, did := r.Ask(rules.Question{Target: test.target, Header: a.Header, Body: test.body})
			if !did || q.Target != test.wantTarget || q.Body != test.wantBody {
				t.Errorf("got %v %q %q", did, q.Target, q.Body)
			}
		})
	}
}

func TestAPathParameterAndAHeaderOfTheRequest(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - name: x
    op: GET /cards/{id}
    then: {request: {set: {id: c-2, "header:X-Shop": "${request.id}"}, delete: "header:X-B"}}
`)
	a := jsonAsked(set, "GET", "/v2/cards/c-1?x=1", "")
	a.Header.Set("X-B", "1")
	q, did := e.Begin(a).Ask(rules.Question{Target: a.Target, Header: a.Header})
	if !did || q.Target != "/v2/cards/c-2?x=1" || q.Header.Get("X-Shop") != "c-1" || q.Header.Get("X-B") != "" {
		t.Errorf("got %v %q %v", did, q.Target, q.Header)
	}
	if a.Header.Get("X-B") != "1" {
		t.Error("the client's own header was changed")
	}
}

func TestAnswersInPlaceOfTheMode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		then     string
		code     int
		header   http.Header
		body     string
		delivery rules.Delivery
	}{
		{`{answer: {status: 503}}`, 503, http.Header{}, "", rules.Delivery{}},
		{`{answer: {body: '{"n":"${request.orderId}"}'}}`, 200, http.Header{"Content-Type": {"application/json"}},
			`{"n":"4\"2"}`, rules.Delivery{}},
		{`{answer: {body: "<p>${request.orderId}</p>", headers: {retry-after: "30", X: [a, b]}}}`, 200,
			http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Retry-After": {"30"}, "X": {"a", "b"}},
			`<p>4&#34;2</p>`, rules.Delivery{}},
		{`{answer: {status: 429, headers: {Content-Type: text/x}, body: slow}}`, 429,
			http.Header{"Content-Type": {"text/x"}}, "slow", rules.Delivery{}},
		{`{answer: {file: body.html}}`, 200, http.Header{"Content-Type": {"text/html; charset=utf-8"}},
			"<h1>${later}</h1>", rules.Delivery{}},
		{`{redirect: "/x?o=${request.amount}"}`, 302, http.Header{"Location": {"/x?o=5"}}, "", rules.Delivery{}},
		{`{redirect: {to: /x, status: 307}}`, 307, http.Header{"Location": {"/x"}}, "", rules.Delivery{}},
		{`{lose: request}`, 502, http.Header{}, "", rules.Delivery{Fail: rules.Empty}},
		{`{lose: request, fail: timeout}`, 502, http.Header{}, "", rules.Delivery{Fail: rules.Timeout, CutAt: -1}},
		{`{answer: {body: abc}, fail: {cut: 2}, drip: 5s, delay: 2s}`, 200,
			http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, "abc",
			rules.Delivery{Fail: rules.Cut, CutAt: 2, Drip: 5 * time.Second, Delay: 2 * time.Second}},
	} {
		t.Run(test.then, func(t *testing.T) {
			t.Parallel()
			set := builtin(t)
			f, err := rules.Parse("x.yaml", []byte("rules: [{name: x, then: "+test.then+"}]"), rules.Source{
				Profiles: set, Open: func(string) ([]byte, error) { return []byte("<h1>${later}</h1>"), nil }})
			if err != nil {
				t.Fatal(err)
			}
			e := rules.New(rules.Options{Profiles: set})
			if err := e.Set(rules.FromFile, f); err != nil {
				t.Fatal(err)
			}
			r := e.Begin(form(set, "getOrderStatus.do", "orderId=4%222&amount=5"))
			a, early := r.Early()
			if !early {
				t.Fatal("the mode is asked")
			}
			if diff := cmp.Diff(test.header, a.Header); diff != "" || a.Code != test.code || a.Body != test.body {
				t.Errorf("%d %q (-want +got):\n%s", a.Code, a.Body, diff)
			}
			if diff := cmp.Diff(test.delivery, r.Delivery()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	for then, want := range map[string]rules.Delivery{
		"{delay: 2s}":                    {Delay: 2 * time.Second},
		"{drip: 5s}":                     {Drip: 5 * time.Second},
		"{fail: reset}":                  {Fail: rules.Reset, CutAt: -1},
		"{fail: empty}":                  {Fail: rules.Empty, CutAt: -1},
		"{fail: cut}":                    {Fail: rules.Cut, CutAt: -1},
		"{fail: {cut: 0}}":               {Fail: rules.Cut},
		"{fail: garbage}":                {Fail: rules.Garbage, CutAt: -1},
		"{fail: timeout}":                {Fail: rules.Timeout, CutAt: -1},
		"{lose: answer}":                 {Fail: rules.Empty},
		"{lose: answer, fail: reset}":    {Fail: rules.Reset, CutAt: -1},
		"[{lose: answer}, {delay: 1ms}]": {Fail: rules.Empty, Delay: time.Millisecond},
	} {
		t.Run(then, func(t *testing.T) {
			t.Parallel()
			e, set := newEngine(t, "rules: [{name: x, then: "+then+"}]")
			r := e.Begin(form(set, "deposit.do", "orderId=1"))
			if _, early := r.Early(); early {
				t.Error("the mode is not asked")
			}
			r.Answered(rules.Answer{Code: 200})
			if diff := cmp.Diff(want, r.Delivery()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Half of the delays are p50 at most, and 99 of 100 are p99 at most.
func TestDelaysAreDistributed(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, "rules: [{name: x, then: {delay: {p50: 100ms, p99: 2s}}}]")
	short, long := 0, 0
	const attempts = 5000
	for range attempts {
		d := e.Begin(form(set, status, "orderId=1")).Delivery().Delay
		if d <= 100*time.Millisecond {
			short++
		}
		if d > 2*time.Second {
			long++
		}
	}
	if short < attempts*47/100 || short > attempts*53/100 || long > attempts*2/100 || long == 0 {
		t.Errorf("of %d delays %d are short and %d are long", attempts, short, long)
	}
}
