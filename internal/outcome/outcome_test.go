package outcome_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
)

func TestOf(t *testing.T) {
	t.Parallel()
	got := outcome.Of(builtin(t), statusExchange(statusAnswer))
	const id = "3f6c91d2-0b1c-7aaa-bbbb-0c1d2e3f4a5b"
	want := outcome.Found{
		Words: "declined: insufficient funds", Tone: "bad", Codes: "6/116",
		Fields: "orderStatus=6 actionCode=116",
		Amount: &outcome.Amount{Minor: 99900, Currency: "EUR", Text: "999.00 EUR"},
		Kind:   "order", Label: "B-1046", ID: id, Card: "400000******9995",
		Names: []outcome.Name{
			{Noun: "order", Text: id, Entity: "order"},
			{Noun: "order-number", Text: "B-1046", Entity: "order"},
			{Noun: "card", Text: "400000******9995"},
			{Noun: "client", Text: "c", Entity: "client", Scope: true},
		},
		Short: "status", From: "client", To: "deck",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestWords has what no tour of a stand-in answers.
func TestWords(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	status := func(answer string) *leaf.Exchange { return statusExchange(answer) }
	bare := func(method, url string, code int, body string) *leaf.Exchange {
		x := &leaf.Exchange{}
		x.Request.Method, x.Request.URL, x.Response.Code, x.Response.Body = method, url, code, body
		return x
	}
	fault := func(fault string) *leaf.Exchange {
		x := status("")
		x.Meta.Fault, x.Response.Code = fault, 502
		return x
	}
	callback := func(query string, code int) *leaf.Exchange {
		x := bare("GET", leaf.CallbackOrigin+"/cb?mdOrder=3f6c91d2-0b1c-7aaa-bbbb-0c1d2e3f4a5b"+
			"&orderNumber=B-1045&"+query, code, "")
		x.Meta.Profile, x.Meta.Callback = "gateway", &leaf.Callback{Attempt: 1, Operation: "deposited"}
		return x
	}
	for _, test := range []struct {
		name        string
		x           *leaf.Exchange
		words, tone string
	}{
		{"a code that no table has", status(`{"orderStatus":6,"actionCode":77}`), "declined", "bad"},
		{"its text", status(`{"orderStatus":6,"actionCode":77,"actionCodeDescription":"No\nmoney"}`),
			"declined: No money", "bad"},
		{"a status that no table has", status(`{"orderStatus":99}`), "", ""},
		{"the old names", status(`{"OrderStatus":2,"Amount":100,"Currency":"840"}`), "paid 1.00 USD",
			"good"},
		{"a currency without decimals", status(`{"orderStatus":2,"amount":500,"currency":"392"}`),
			"paid 500 JPY", "good"},
		{"a currency with three", status(`{"orderStatus":2,"amount":5,"currency":"414"}`),
			"paid 0.005 KWD", "good"},
		{"an unknown currency", status(`{"orderStatus":2,"amount":500,"currency":"XTS"}`),
			"paid 500 minor units", "good"},
		{"no currency", status(`{"orderStatus":2,"amount":500}`), "paid 500 minor units", "good"},
		{"an amount that is none", status(`{"orderStatus":2,"amount":"much"}`), "paid", "good"},
		{"a wrong password", status(`{"errorCode":"5","errorMessage":"Access denied"}`),
			"refused: Access denied", "bad"},
		{"without a text", status(`{"errorCode":"5"}`),
			"refused: access denied, wrong value or wrong state", "bad"},
		{"a page of a proxy", bare("POST", "/payment/rest/register.do", 502, "<html>x</html>"),
			"502 Bad Gateway", "bad"},
		{"no profile", bare("GET", "/elsewhere", 404, "{}"), "404 Not Found", "bad"},
		{"no profile and all well", bare("GET", "/elsewhere", 200, "{}"), "", ""},
		{"a status without a name", bare("GET", "/elsewhere", 599, "{}"), "599", "bad"},
		{"no operation", bare("GET", "/payment/rest/registr.do", 404, ""), "404 Not Found", "bad"},
		{"no answer", fault(leaf.FaultNoAnswer), "no answer", "bad"},
		{"an answer that the client did not wait for", bare("POST",
			"/payment/rest/register.do?amount=12500&currency=978", 0, ""), "no answer", "bad"},
		{"a page that an archive has no answer of", bare("POST", "/payment/rest/finish3dsPayment.do", 0, ""),
			"no answer", "bad"},
		{"no profile and no answer", bare("GET", "/elsewhere", 0, ""), "no answer", "bad"},
		{"a deadline", fault(leaf.FaultTimeout), "no answer in time", "bad"},
		{"cut", fault(leaf.FaultCut), "answer cut off", "bad"},
		{"a callback", callback("operation=deposited&status=1", 200), "deposited, accepted", "good"},
		{"a callback of a failure", callback("operation=deposited&status=0", 200),
			"deposited failed, accepted", "bad"},
		{"a callback refused", callback("operation=deposited&status=1", 500),
			"deposited, shop said 500", "bad"},
		{"a callback that the table lacks", callback("operation=other&status=1", 200),
			"deposited, accepted", ""},
		{"a callback without an answer", callback("operation=refunded&status=1", 0),
			"refunded, no answer", "bad"},
		{"a document in a text", status(`{"errorCode":"5","errorMessage":"<script>alert(1)</script>"}`),
			"refused: access denied, wrong value or wrong state", "bad"},
		{"a card in a text", status(`{"errorCode":"5","errorMessage":"no card 4000-0000 0000` +
			`1234 of 12345 in 2026"}`), "refused: no card 400000******1234 of 12345 in 2026", "bad"},
		{"signs of HTML", status(`{"errorCode":"5","errorMessage":"1 < 2 & 3 > 0"}`),
			"refused: 1 < 2 & 3 > 0", "bad"}, // text, for whoever shows it
	} {
		got := outcome.Of(set, test.x)
		if got.Words != test.words || got.Tone != test.tone {
			t.Errorf("%s: %q, tone %q; want %q, tone %q", test.name, got.Words, got.Tone, test.words,
				test.tone)
		}
	}
	f := outcome.Of(set, callback("operation=deposited&status=1", 500))
	if f.Event != "deposited" || f.From != "deck" || f.To != "shop" || f.Label != "B-1045" ||
		f.Short != "callback" {
		t.Errorf("a callback: %+v", f)
	}
}

// TestKnown gives a call without a currency that of its order.
func TestKnown(t *testing.T) {
	t.Parallel()
	x := statusExchange(`{"errorCode":"0"}`)
	x.Request.URL, x.Request.Body = "/payment/rest/refund.do", "orderId=a&amount=2500"
	if got := outcome.Of(builtin(t), x).Words; got != "refunded 2500 minor units" {
		t.Error(got)
	}
	got := outcome.Of(builtin(t), x, outcome.Known{Currency: "978"})
	if got.Words != "refunded 25.00 EUR" || got.Amount.Currency != "EUR" {
		t.Errorf("%q, %+v", got.Words, got.Amount)
	}
}

// TestAmountsThatAreNone has calls whose amounts are limits, or nothing: they move no money.
func TestAmountsThatAreNone(t *testing.T) {
	t.Parallel()
	const limits = `{"status":"blocked","spendingLimits":[{"interval":"day","amount":5000}]}`
	for _, test := range []struct{ method, url, asked, answer, words, amount string }{
		{"POST", "/payment/rest/refund.do", "orderId=a&amount=0", `{"errorCode":"0"}`,
			"refunded in full", ""},
		{"POST", "/payment/rest/deposit.do", "orderId=a&amount=0", `{"errorCode":"0"}`,
			"deposited in full", ""},
		{"POST", "/payment/rest/refund.do", "orderId=a&amount=5&currency=978", `{"errorCode":"0"}`,
			"refunded 0.05 EUR", "0.05 EUR"},
		{"POST", "/v2/cards", `{}`, limits, "card issued", ""},
		{"PATCH", "/v2/cards/1", `{"status":"blocked"}`, limits, "card blocked", ""},
		{"PATCH", "/v2/cards/1", `{"pin":"1"}`, limits, "PIN changed", ""},
		{"PATCH", "/v2/cards/1", `{"spendingLimits":[{"interval":"day","amount":1}]}`, limits,
			"limits changed", "50.00 EUR"},
		{"POST", "/v1/apigate/ws/rest/createVirtualCard", `{"amount":"0"}`, `{"responseCode":"00"}`,
			"card issued", ""},
	} {
		x := &leaf.Exchange{}
		x.Request.Method, x.Request.URL, x.Request.Body = test.method, test.url, test.asked
		x.Response.Code, x.Response.Body = 200, test.answer
		got, amount := outcome.Of(builtin(t), x), ""
		if got.Amount != nil {
			amount = got.Amount.Text
		}
		if got.Words != test.words || amount != test.amount {
			t.Errorf("%s %s: %q and %q, want %q and %q", test.method, test.url, got.Words, amount,
				test.words, test.amount)
		}
	}
}

// TestMasks looks for digits of cards in all texts, whatever stands where a card may.
func TestMasks(t *testing.T) {
	t.Parallel()
	number := "400000" + "0000009995"
	for text, want := range map[string]string{
		number: "400000******9995", "400000**9995": "400000******9995",
		"4000 0000" + " 0000 9995": "400000******9995", "40000000" + "**9995": "400000******9995",
		"****9995": "", "1234": "", number + number: "", "": "", "XXXX": "",
	} {
		if got, ok := outcome.MaskOf(text); got != want || ok != (want != "") {
			t.Errorf("%d characters: %q, want %q", len(text), got, want)
		}
	}
	x := statusExchange(`{"errorCode":0}`)
	x.Request.URL = "/payment/rest/paymentorder.do"
	x.Request.Body = "MDORDER=abc&$PAN=" + number + "&$CVC=123&TEXT=A+PERSON"
	f := outcome.Of(builtin(t), x)
	if f.Card != "400000******9995" {
		t.Errorf("card %q", f.Card)
	}
	for _, text := range []string{f.Words, f.Label, f.ID, f.Card, f.Fields, f.Codes} {
		if strings.Contains(text, "0000009995") || strings.Contains(text, "PERSON") {
			t.Error("a secret is shown")
		}
	}
}

// TestHostile is bounded in time and in what comes out, whatever an exchange holds.
func TestHostile(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	long := strings.Repeat("x", 10<<20)
	many := `{"orders":[` + strings.Repeat(`{"orderId":"a","amount":1},`, 300_000) + `{}]}`
	for name, body := range map[string]string{
		"a long text":      `{"errorCode":"5","errorMessage":"` + long + `"}`,
		"a long number":    `{"orderStatus":2,"amount":` + strings.Repeat("9", 10<<20) + `}`,
		"many members":     many,
		"many within 1 MB": many[:900_000],
		"deep":             strings.Repeat("[", 500_000),
		"no UTF-8":         "{\"errorCode\":\"5\",\"errorMessage\":\"\xff\xfe\"}",
		"controls":         `{"errorCode":"5","errorMessage":"a\u0000\u001b[31m\r\nb"}`,
		"a text of 1 MB":   `{"errorCode":"5","errorMessage":"` + long[:1<<20-100] + `"}`,
		"a name of 1 MB":   `{"orderNumber":"` + long[:1<<20-100] + `"}`,
	} {
		begin := time.Now()
		f := outcome.Of(set, statusExchange(body))
		if took := time.Since(begin); took > 2*time.Second { // on a machine that is busy
			t.Errorf("%s: took %v", name, took)
		}
		size := len(f.Words) + len(f.Label) + len(f.ID) + len(f.Codes) + len(f.Fields)
		for _, n := range f.Names {
			size += len(n.Text)
		}
		if size > 6000 || len(f.Names) > outcome.MaxNames || strings.ContainsAny(f.Words, "\x00\x1b\r\n") {
			t.Errorf("%s: %d bytes, %d names, words %q", name, size, len(f.Names), f.Words)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("/payment/rest/getOrderStatusExtended.do", "orderId=1", statusAnswer, 200)
	f.Add("/payment/rest/getBindings.do?a=b", `{"x":1}`, `{"bindings":[{"bindingId":"1"}]}`, 200)
	f.Add("/v2/cards/1", `{"status":"blocked"}`, `{"status":"blocked","message":"no"}`, 500)
	f.Add("/v1/apigate/ws/rest/creditCard", `{"amount":"-9223372036854775808"}`, `{"responseCode":"00"}`, 200)
	set := builtin(f)
	f.Fuzz(func(t *testing.T, url, request, answer string, code int) {
		x := statusExchange(answer)
		x.Request.URL, x.Request.Body, x.Response.Code = url, request, code
		found := outcome.Of(set, x)
		if again := outcome.Of(set, x); !cmp.Equal(found, again) {
			t.Fatal("another outcome the second time")
		}
		if strings.ContainsAny(found.Words+found.Codes+found.Label, "\x00\r\n\x1b") {
			t.Fatalf("controls in %q", found.Words)
		}
	})
}

func TestHuman(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	call := set.Find("POST", "/payment/rest/getOrderStatusExtended.do")
	around := func(key string) (string, bool) { return "978", key == "currency" }
	for _, test := range []struct{ key, text, want string }{
		{"amount", "4900", "49.00 EUR"}, {"amount", "-5", "-0.05 EUR"}, {"amount", "x", ""},
		{"paymentAmountInfo.refundedAmount", "0", "0.00 EUR"},
		{"date", "1795777521000", "27 Nov 2026 11:05:21 UTC"}, {"date", "never", ""},
		{"date", "9223372036854775807", ""},
		{"expiration", "203012", "Dec 2030"}, {"orderStatus", "2", "paid"}, {"orderStatus", "77", ""},
		{"actionCode", "-2007", "the order has timed out"}, {"currency", "978", "EUR"},
		{"currency", "EUR", ""}, {"orderNumber", "B-1", ""}, {"maskedPan", "400000**9995", ""},
		{"unknown", "1", ""},
	} {
		key := test.key[strings.LastIndexByte(test.key, '.')+1:]
		f, _ := set.Meaning(call, profile.Response, profile.At{Key: key, Shape: test.key})
		if got := outcome.Human(call, f, test.key, test.text, around); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.key, test.text, got, test.want)
		}
	}
	if got := outcome.Human(profile.Call{}, profile.Field{}, "amount", "1", nil); got != "" {
		t.Errorf("without a profile: %q", got)
	}
}
