package pretty_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pretty"
	"github.com/paytape/paytape/internal/profile"
)

func builtin(t testing.TB) *profile.Set {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// status is a question for the status of an order, with an answer.
func status(body string) *leaf.Exchange {
	x := &leaf.Exchange{}
	x.Request.Method, x.Request.URL = "POST", "/payment/rest/getOrderStatusExtended.do"
	x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	x.Request.Body = "userName=shop&orderId=ab%20c&jsonParams=%7B%22a%22%3A1%7D&x=1%0A2"
	x.Response.Code, x.Response.Body = 200, body
	return x
}

func TestResponse(t *testing.T) {
	t.Parallel()
	packed := base64.RawURLEncoding.EncodeToString([]byte(
		`{"threeDSServerTransID":"3f6c91d2-0b1c-7aaa-bbbb-0c1d2e3f4a5b","transStatus":"Y"}`))
	for _, test := range []struct{ name, body, want string }{
		{"what codes, amounts and dates mean", `{"orderStatus":6,"orderStatus": 6 ,"amount":99900,` +
			`"currency":"978","date":1795777521000,"n":1.50e3,"e":{ },"l":[1,"a\",b"],"z":null}`,
			`{
  "orderStatus": 6,  # declined
  "orderStatus": 6,  # declined
  "amount": 99900,  # 999.00 EUR
  "currency": "978",  # EUR
  "date": 1795777521000,  # 27 Nov 2026 11:05:21 UTC
  "n": 1.50e3,
  "e": {},
  "l": [
    1,
    "a\",b"
  ],
  "z": null
}`},
		{"an amount by the currency beside it", `[{"amount":5,"currency":"392"},{"amount":5,"currency":"978"}]`,
			`[
  {
    "amount": 5,  # 5 JPY
    "currency": "392"  # JPY
  },
  {
    "amount": 5,  # 0.05 EUR
    "currency": "978"  # EUR
  }
]`},
		{"a message of 3-D Secure", `{"packedCReq":"` + packed + `","a":1}`, `{
  "packedCReq": "` + packed[:39] + `...",
    | {
    |   "threeDSServerTransID": "3f6c91d2-0b1c-7aaa-bbbb-0c1d2e3f4a5b",
    |   "transStatus": "Y"  # authenticated
    | }
  "a": 1
}`},
		{"JSON that was cut", `{"a":[1,{"b":"c`, "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"c"},
		{"lines of JSON", `{"a":1}` + "\n" + `{}` + "\n[]", "{\n  \"a\": 1\n}\n{}\n[]"},
		{"XML", `<?xml version="1.0"?><a><b c="1">text</b><d/><e></e></a>`,
			"<?xml version=\"1.0\"?>\n<a>\n  <b c=\"1\">text</b>\n  <d/>\n  <e></e>\n</a>"},
		{"HTML with a script", `<html><br><script>if (a<b) {}</script><p>x <b>y</b></p></html>`,
			"<html>\n  <br>\n  <script>if (a<b) {}</script>\n  <p>x <b>y</b>\n  </p>\n</html>"},
		{"markup with lines", "<a>\n<b></b>\n</a>", "<a>\n<b></b>\n</a>"},
		{"a text", "just a text", "just a text"}, {"nothing", "", ""},
	} {
		if diff := cmp.Diff(test.want, pretty.Response(builtin(t), status(test.body))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	x := status("")
	want := "userName=shop\norderId=ab c\njsonParams={\"a\":1}\n  | {\n  |   \"a\": 1\n  | }\nx=1\\n2"
	if diff := cmp.Diff(want, pretty.Request(builtin(t), x)); diff != "" {
		t.Errorf("a form (-want +got):\n%s", diff)
	}
	x.Request.URL, x.Request.Body = "https://a.example/payment/rest/refund.do?orderId=a&amount=5", ""
	want = "https://a.example/payment/rest/refund.do\n  ? orderId=a\n  ? amount=5"
	if diff := cmp.Diff(want, pretty.Target(builtin(t), x)); diff != "" {
		t.Errorf("a query (-want +got):\n%s", diff)
	}
	multipart := "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"
	x.Request.Headers.Set("Content-Type", "multipart/form-data; boundary=b")
	x.Request.Body = multipart
	if got := pretty.Request(builtin(t), x); got != multipart {
		t.Errorf("multipart: %q", got)
	}
}

// TestBounds lays out bodies that are large or nested without end.
func TestBounds(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	for name, body := range map[string]string{
		"a long text": `{"a":"` + strings.Repeat("x", 10<<20) + `"}`,
		"deep":        strings.Repeat("[", 1<<20), "deep objects": strings.Repeat(`{"a":`, 1<<20),
		"closed": strings.Repeat("]", 1<<20), "tags": strings.Repeat("<a>", 1<<20),
		"scripts": strings.Repeat("<script></script>", 1<<16), "ends": strings.Repeat("<script></x>", 1<<16),
		"many": `[` + strings.Repeat(`{"amount":1},`, 1<<18) + `1]`,
		"form": strings.Repeat("amount=1&", 1<<18),
	} {
		if got := pretty.Response(set, status(body)); len(got) > 100*pretty.MaxBody {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}
