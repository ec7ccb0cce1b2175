package redact_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

func TestCleanGatewayForm(t *testing.T) {
	x := exchange("POST", "https://gw.example/payment/rest/paymentorder.do",
		http.Header{
			"Content-Type":   {"application/x-www-form-urlencoded"},
			"Content-Length": {"149"},
			"Authorization":  {"Basic c2hvcDp0cjB1YjRkb3ItZ3c="},
		},
		"userName=shop&password="+password+"&%24PAN="+visa+
			"&$CVC=123&TEXT=IVAN+IVANOV&amount=1.00&x=%2f")
	x.Response.Body = `{ "errorCode": 0, "info":"` + password + ` ` + grouped("-") + `", "n":1.00 }`
	got := redactor(t).Clean(x).Exchange()

	const body = "userName=shop&password=REDACTED-token-2&%24PAN=4111110000121111&$CVC=000" +
		"&TEXT=TAPERA+TEST&amount=1.00&x=%2f"
	if diff := cmp.Diff(body, got.Request.Body); diff != "" {
		t.Errorf("request body (-want +got):\n%s", diff)
	}
	const answer = `{ "errorCode": 0, "info":"REDACTED-token-2 4111-1100-0012-1111", "n":1.00 }`
	if diff := cmp.Diff(answer, got.Response.Body); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"request header Authorization: token 1", "request form password: token 2",
		"request form $PAN: pan 1", "request form $CVC: cvc", "request form TEXT: name 1",
		"response json info: token 2", "response json info: pan 1",
	}, got.Meta.Redactions); diff != "" {
		t.Errorf("redactions (-want +got):\n%s", diff)
	}
	if h := got.Request.Headers; h.Get("Authorization") != "Basic REDACTED-token-1" ||
		h.Get("Content-Length") != "107" || len(body) != 107 {
		t.Errorf("headers %v for a body of %d bytes", h, len(body))
	}
	form := got.Request.Form
	if form.Get("$PAN") != "4111110000121111" || form.Get("TEXT") != "TAPERA TEST" {
		t.Error("go-vcr's copy of the form differs from the body")
	}
	if got.Meta.Profile != "gateway" || got.Meta.Operation != "paymentorder.do" {
		t.Errorf("recognised as %s %s", got.Meta.Profile, got.Meta.Operation)
	}
	if !got.Replayable() {
		t.Error("the exchange is withheld:", got.Meta.Withheld)
	}
}

// Edits of an exchange, for tables.
type (
	exchanged = leaf.Exchange
	edit      = func(*exchanged)
)

func target(url string) edit    { return func(x *leaf.Exchange) { x.URL = url } }
func addition(tail string) edit { return func(x *leaf.Exchange) { x.URL += tail } }
func answer(body string) edit   { return func(x *leaf.Exchange) { x.Response.Body = body } }

func sent(name, value string) edit {
	return func(x *leaf.Exchange) { x.Request.Headers[name] = []string{"a", value} }
}

func answered(name, value string) edit {
	return func(x *leaf.Exchange) { x.Response.Headers[name] = []string{value} }
}

// TestCleanPlaces puts the same secrets where no field says that they are.
func TestCleanPlaces(t *testing.T) {
	base64 := base64.StdEncoding.EncodeToString
	pair := base64([]byte("shop:" + password))
	tests := []struct {
		name string
		edit edit
	}{
		{"path", target("https://h/cards/" + visa + "/x")},
		{"path, escaped", target("https://h/c/" + grouped("%20"))},
		{"query", addition("?q=" + visa + "&p=" + password)},
		{"query, escaped twice", addition("?q=%25%33%34" + visa[1:])},
		{"query key", addition("?" + visa + "=1")},
		{"query word", addition("?" + visa)},
		{"fragment", addition("#" + visa)},
		{"user information", target("https://shop:" + password + "@h/x")},
		{"host", target("https://" + visa + ".example/x")},
		{"base path", func(x *leaf.Exchange) {
			x.URL, x.Meta.Base = "https://h/"+visa+"/x", "/"+visa
		}},
		{"method", func(x *leaf.Exchange) { x.Method = visa }},
		{"status", func(x *leaf.Exchange) { x.Response.Status = "400 bad card " + visa }},
		{"failure", func(x *leaf.Exchange) {
			x.Meta.Failure = "reading /" + visa + "?password=" + password
		}},
		{"header", sent("X-Note", "card "+visa)},
		{"header name", answered("X-"+visa, "a")},
		{"trailer", func(x *leaf.Exchange) { x.Meta.Trailers = http.Header{"X-T": {visa}} }},
		{"referer", sent("Referer",
			"https://h/?$PAN="+grouped("+")+"&cvc=927&password="+password)},
		{"echoed pair", answer(`{"m":"refused: Basic ` + pair + `"}`)},
		{"cookie", sent("Cookie", "a="+password+"; b="+visa)},
		{"set-cookie", answered("Set-Cookie", "sid="+password+"; Path=/"+visa)},
		{"JSON key", answer(`{"a":{"` + visa + `":{"b":1}}}`)},
		{"JSON key with dots", answer(`{"` + grouped(".") + `":{"b":1}}`)},
		{"JSON key of a password", answer(`{"` + password + `":1}`)},
		{"JSON number", answer(`{"a":` + visa + `}`)},
		{"JSON number with exponent", answer(`{"a":4.` + visa[1:] + `E15}`)},
		{"JSON escapes", answer(`{"a":"\u0034` + visa[1:] + `"}`)},
		{"JSON in JSON", answer(`{"a":"{\"b\":\"` + visa + `\"}"}`)},
		{"duplicate keys",
			answer(`{"pan":"` + visa + `","pan":"` + visa + `","PAN":"` + visa + `"}`)},
		{"a secret that is an object",
			answer(`{"password":{"v":["` + password + `"]},"cvv2":[927]}`)},
		{"a name beside a value", answer(`{"xs":[{"name":"cvv2","value":"927"},` +
			`{"name":"password","value":"` + password + `"}]}`)},
		{"cut JSON", answer(`{"cvv2": 927, "password": "` + password + `", "cardNumber":"` +
			visa + `", "x`)},
		{"HTML", answer(`<p>` + grouped(" ") + `</p><cvv2>927</cvv2><password>` + password +
			`</password>`)},
		{"entities", answer(`<p>&#52;&#x31;` + visa[2:] + `</p>`)},
		{"hex", answer(`{"cardNumber":"` + visa + `","x":"34` + strings.Repeat("31", 15) + `"}`)},
		{"base64",
			answer(`{"x":"` + base64([]byte(`{"p":"`+visa+`"}`)) + `","pan":"` + visa + `"}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{"X-Auth-Token": {password}}, "")
			tt.edit(x)
			got := redactor(t).Clean(x).Exchange()
			text := saved(t, got)
			wantNone(t, text, visa, password)
			if strings.Contains(text, "927") {
				t.Error("the CVC is still there")
			}
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
		})
	}
}

// TestCleanKeeps lists what is no secret and must stay byte for byte.
func TestCleanKeeps(t *testing.T) {
	tests := []struct{ name, body string }{
		{"numbers as written", `{"a":1.00,"b":1e3,"c":12345678901234567890,"d":-0,` +
			`"e":0.` + visa + `}`},
		{"white space and order", "{ \"b\" : 1,\r\n\t\"a\":[ ] , \"b\":{ } }"},
		{"escapes", `{"a":"\u00e9\/é\ud83d\ude00","b":"%zz+%41"}`},
		{"times", `{"a":1517746541000,"b":"1517746541",` +
			`"c":"2018-02-04T13:15:41+03:00","d":1517746541000123}`},
		{"identifiers", `{"rrn":"003456789012","utrnno":3456789012,"stan":123456,` +
			`"orderId":"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b"}`},
		{"accounts and phones", `{"a":"40817810099910004312",` +
			`"b":"+79161234567","c":"79161234567"}`},
		{"masks", `{"pan":"411111**1111",` +
			`"maskedPan":"220138*******0047","cardNumber":"XXXXXXXXXXXX1111"}`},
		{"a template", `{"cardIdentification":{"cardNumber":"4276000000000000"}}`},
		{"empty secrets", `{"password":"",` +
			`"cvv2":null,"pan":" ","token":{},"pin":[],"secret":true}`},
		{"words near keywords", `{"m":"password: must not be empty; token required; pin: ok"}`},
		{"words in place of secrets", `{"pan":"cake","otp":"sms","tokenType":"bearer",` +
			`"html":"<label>PIN: 4 digits</label> <pin/> <a>pan</a> 2 > 1"}`},
		{"a program", "window.token=function(){return 1}; token = read(x); " +
			"send('?token=none&pin=ok&secret=undefined&otp=sms')"},
		{"URLs", `{"a":"https://h.example:8443/x:y@z","b":"https://shop@h/","c":"a://b",` +
			`"d":"https://h/?a=https://h&b=c:d@e"}`},
		{"decimals", `{"a":"37.7749295000977","b":"1.4111111111111111","c":["-122.4194155"],` +
			`"d":"4222.2222 222222.2222"}`},
		{"a column of years", "2221\n2222\n2223\n2224\n2225\n2226\n2227\n2228\n2229\n2230"},
		{"text", "plain text: nothing in it\n\n\tat all\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{"X": {" a "}}
			x := exchange("POST", "https://h/unknown?b=%2f&a=+&&=", header, tt.body)
			x.Response.Body = tt.body
			got := redactor(t).Clean(x).Exchange()
			if got.Request.Body != tt.body || got.Response.Body != tt.body {
				t.Errorf("bodies changed:\n%q\n%q", got.Request.Body, got.Response.Body)
			}
			if got.URL != x.URL || !got.Replayable() || got.Meta.Redactions != nil {
				t.Errorf("got %q, redactions %q, withheld %q",
					got.URL, got.Meta.Redactions, got.Meta.Withheld)
			}
		})
	}
}

func TestCleanBodies(t *testing.T) {
	gzip := func(s string) string {
		b, err := leaf.Encode("gzip", []byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	crowd := gzip("[" + strings.Repeat("1,", 1<<20) + "1]")
	tests := []struct {
		name, coding, body string
		want, withheld     string
	}{
		{"coded", "gzip", gzip(`{"pan":"` + visa + `"}`), `{"pan":"4111110000121111"}`, ""},
		{"an unknown coding", "snappy", visa,
			"[paytape: body of 16 bytes withheld: content coding cannot be undone]",
			"response body: content coding cannot be undone"},
		{"not in its coding", "gzip", "plain",
			"[paytape: body of 5 bytes withheld: content coding cannot be undone]",
			"response body: content coding cannot be undone"},
		{"no UTF-8", "", "\xff" + visa, "[paytape: body of 17 bytes withheld: not UTF-8 text]",
			"response body: not UTF-8 text"},
		{"UTF-16", "", strings.Join(strings.Split(visa, ""), "\x00") + "\x00",
			"[paytape: body of 32 bytes withheld: not UTF-8 text]",
			"response body: not UTF-8 text"},
		{"empty", "gzip", "", "", ""},
		{"a crowd", "gzip", crowd,
			fmt.Sprintf("[paytape: body of %d bytes withheld: too many values]", len(crowd)),
			"response body: too many values"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("GET", "https://h/x", nil, "")
			x.Response.Headers = http.Header{"Content-Length": {"1"}}
			if tt.coding != "" {
				x.Response.Headers["Content-Encoding"] = []string{tt.coding}
			}
			x.Response.Body = tt.body
			got := redactor(t).Clean(x).Exchange()
			if got.Response.Body != tt.want || got.Meta.Withheld != tt.withheld {
				t.Errorf("got %q, withheld %q", got.Response.Body, got.Meta.Withheld)
			}
			if tt.body != "" && (got.Response.Headers.Get("Content-Encoding") != "" ||
				got.Meta.Coding != tt.coding) {
				t.Errorf("coding %q, headers %v", got.Meta.Coding, got.Response.Headers)
			}
		})
	}
}

// TestUnlabelledGzip opens gzip of which no header tells, in both directions, and notes that.
func TestUnlabelledGzip(t *testing.T) {
	x := exchange("POST", "https://h/x", http.Header{}, gzipOf("pan="+visa+"&a=1"))
	x.Response.Body = gzipOf(`{"pan":"` + visa + `"}`)
	got := redactor(t).Clean(x).Exchange()
	if got.Request.Body != "pan=4111110000121111&a=1" || got.Response.Body != `{"pan":"4111110000121111"}` {
		t.Errorf("bodies %q and %q", got.Request.Body, got.Response.Body)
	}
	if got.Meta.RequestCoding != leaf.Unlabelled || got.Meta.Coding != leaf.Unlabelled || !got.Replayable() {
		t.Errorf("codings %q and %q", got.Meta.RequestCoding, got.Meta.Coding)
	}
	wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
	x.Response.Body = gzipOf(strings.Repeat("a", 17<<20))
	if got := redactor(t).Clean(x).Exchange(); got.Replayable() || len(got.Response.Body) > 100 {
		t.Error("a bomb was opened")
	}
}

func TestPrefixesAndPII(t *testing.T) {
	own := "427600" + "1234567891" // fails Luhn
	body := `{"note":"` + own + `","template":"4276000000000000","email":"a.b@shop.example"}`
	r := redactor(t, func(o *redact.Options) { o.Prefixes, o.KeepPII = []string{"427600"}, true })
	header := http.Header{"Content-Type": {"application/json"}}
	x := exchange("POST", "https://h/payment/rest/register.do", header, body)
	got := r.Clean(x).Exchange().Request.Body
	want := `{"note":"4276000000177891","template":"4276000000000000","email":"a.b@shop.example"}`
	if got != want {
		t.Errorf("got %s", got)
	}
}

// TestFragment cleans what stands behind the path and leaves the path alone. Before the fragment
// with the deflate stream, the name of the operation reads as the beginning of that stream. A token
// with a slash is in no segment, so the gate takes the fragment out.
func TestFragment(t *testing.T) {
	const operation = "https://h/payment/recurrentPayment.do"
	const token = "t0k/en-" + password
	key := "<r><n>sk_" + "live_BV60HyyCcMFknTDuMl8IJCggNuOLm5hhEP3pGPy7q7Z</n></r>"
	stream := url.PathEscape(url.QueryEscape(deflateOf(urlPacked(key))))
	tests := []struct{ name, fragment, want string }{
		{"no secret", "top/of=page", "#top/of=page"},
		{"a card", "card=" + visa, "#card=" + "411111" + "0000121111"},
		{"a deflate stream", stream, "#REDACTED-blob-1"},
		{"a token with #", "t0k#en-" + password, "#REDACTED-token-2"},
		{"a token with a slash", token, "?REDACTED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", operation+"#"+tt.fragment, http.Header{
				"X-Auth-Token": {token, "t0k#en-" + password},
			}, "")
			got := redactor(t).Clean(x).Exchange()
			if want := operation + tt.want; got.URL != want {
				t.Errorf("got %s, want %s", got.URL, want)
			}
			again := redactor(t).Reclean(got).Exchange()
			if got.Meta.Operation != "recurrentPayment.do" || saved(t, again) != saved(t, got) {
				t.Errorf("operation %q, cleaned again %q", got.Meta.Operation, again.Meta.Operation)
			}
		})
	}
}
