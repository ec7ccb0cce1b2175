package redact_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// deflated is how the messages of 3-D Secure 1 travel: base64 of zlib.
func deflated(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func urlPacked(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func hexPacked(s string) string { return hex.EncodeToString([]byte(s)) }

// packedPlaces put a packed value where messages carry one.
var packedPlaces = map[string]func(x *leaf.Exchange, key, value string){
	"form": func(x *leaf.Exchange, key, value string) {
		x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		x.Request.Body = url.Values{key: {value}, "a": {"b"}}.Encode()
	},
	"query": func(x *leaf.Exchange, key, value string) {
		x.URL += "?" + key + "=" + url.QueryEscape(value)
	},
	"JSON": func(x *leaf.Exchange, key, value string) {
		x.Response.Body = jsonOf(map[string]any{key: value, "n": 1})
	},
	"page": func(x *leaf.Exchange, key, value string) {
		x.Response.Body = `<html><form><input type="hidden" name="` + key + `" value="` + value +
			`"></form></html>`
	},
	"XML": func(x *leaf.Exchange, key, value string) {
		x.Response.Body = "<r><" + key + ">" + value + "</" + key + "></r>"
	},
	"address": func(x *leaf.Exchange, key, value string) {
		x.Response.Body = jsonOf(map[string]any{"redirect": addressed(key, value), "n": 1})
	},
	"address in an address": func(x *leaf.Exchange, key, value string) {
		x.Response.Body = `<html><form action="https://shop.example/r?a=b&amp;to=` +
			url.QueryEscape(addressed(key, value)) + `"></form></html>`
	},
	"redirect": func(x *leaf.Exchange, key, value string) {
		x.Response.Headers = http.Header{"Location": {addressed(key, value) + "&n=1"}}
	},
	"text": func(x *leaf.Exchange, key, value string) {
		x.Response.Body = "go to " + addressed(key, value) + " now"
	},
	"attribute": func(x *leaf.Exchange, key, value string) {
		x.Response.Body = "<r><x " + key + "='" + value + "'/></r>"
	},
}

func addressed(key, value string) string {
	return "https://acs.example/auth?" + key + "=" + url.QueryEscape(value)
}

// inside returns the leaves of all packed messages of an exchange, by path and value.
func inside(x *leaf.Exchange) []string {
	var list []string
	for _, m := range []*leaf.Message{x.RequestMessage(), x.ResponseMessage()} {
		for _, l := range m.Leaves {
			if l.Packed() != nil {
				list = append(list, l.Path[strings.LastIndexByte(l.Path, '>')+1:]+" "+l.Value)
			}
		}
	}
	return list
}

const tdsID = "8a880dc0-d2d2-4067-bcb1-b08d1690b26e"

// TestInsidePackedMessages hides a card, a CVC and a password in messages that are packed in
// every way and at every place. They go; what stands beside them stays.
func TestInsidePackedMessages(t *testing.T) {
	json := `{"threeDSServerTransID":"` + tdsID + `","acctNumber":"` + visa + `","cvc":"784",` +
		`"password":"` + password + `","x":1.00,"note":"pay with ` + grouped(" ") + `"}`
	xml := `<ThreeDSecure><Message id="7"><PAReq><threeDSServerTransID>` + tdsID +
		`</threeDSServerTransID><acctNumber>` + visa + `</acctNumber><cvc>784</cvc><password>` +
		password + `</password><x>1.00</x><note>pay with ` + grouped(" ") +
		`</note></PAReq></Message></ThreeDSecure>`
	packs := map[string]func(string) string{"base64url": urlPacked, "zlib": deflated, "hex": hexPacked}
	for place, put := range packedPlaces {
		for how, pack := range packs {
			for _, key := range []string{"creq", "PaReq", "note"} {
				for kind, doc := range map[string]string{"JSON": json, "XML": xml} {
					t.Run(place+" "+how+" "+key+" "+kind, func(t *testing.T) {
						x := exchange("POST", "https://gw.example/payment/acs", http.Header{}, "")
						put(x, key, pack(doc))
						checkInside(t, x)
					})
				}
			}
		}
	}
}

func checkInside(t *testing.T, x *leaf.Exchange) {
	t.Helper()
	clean := redactor(t).Clean(x).Exchange()
	got := strings.Join(inside(clean), "\n")
	wantNone(t, got+saved(t, clean), visa, password)
	for _, gone := range []string{"784", grouped(" ")} {
		if strings.Contains(got, gone) {
			t.Error("a secret is left inside")
		}
	}
	for _, stays := range []string{tdsID, "x 1.00", "pay with 4111 11", "000"} {
		if !strings.Contains(got, stays) {
			t.Errorf("%q is not inside:\n%s", stays, got)
		}
	}
	if !clean.Replayable() {
		t.Errorf("withheld: %s", clean.Meta.Withheld)
	}
	again := redactor(t).Reclean(clean).Exchange()
	wantSame(t, "cleaned once and twice", clean, again)
}

// TestOneCardInsideAndOutside has a card in the form and inside a message: one surrogate; and
// notes that say where.
func TestOneCardInsideAndOutside(t *testing.T) {
	x := checkout(visa, "123")
	x.Response.Body = jsonOf(map[string]any{
		"packedCReq": urlPacked(`{"pan":"` + visa + `","threeDSServerTransID":"` + tdsID + `"}`),
	})
	got := redactor(t).Clean(x).Exchange()
	want := []string{"pan " + got.Request.Form.Get("$PAN"), "threeDSServerTransID " + tdsID}
	if diff := cmp.Diff(want, inside(got)); diff != "" {
		t.Errorf("inside (-want +got):\n%s", diff)
	}
	if !slices.Contains(got.Meta.Redactions, "response json packedCReq>pan: pan 1") {
		t.Errorf("notes: %q", got.Meta.Redactions)
	}
}

// TestPackedAndUntouched keeps the bytes of what holds no secret, compressed or not.
func TestPackedAndUntouched(t *testing.T) {
	for name, value := range map[string]string{
		"base64":  urlPacked(`{ "messageType":"CReq" , "n":1.00}`),
		"zlib":    deflated(`<ThreeDSecure><Message id="7"><PAReq><version>1</version></PAReq></Message></ThreeDSecure>`),
		"a token": "eyJhbGciOiJub25lIn0.eyJhIjoiYiJ9.x",
	} {
		x := exchange("POST", "https://gw.example/payment/acs", http.Header{}, "")
		x.Response.Body = jsonOf(map[string]any{"creq": value, "PaReq": value, "x": value})
		if strings.Contains(name, "token") {
			x.Response.Body = jsonOf(map[string]any{"x": value})
		}
		if got := redactor(t).Clean(x).Exchange(); got.Response.Body != x.Response.Body {
			t.Errorf("%s: changed into %s", name, got.Response.Body)
		}
	}
}

func TestPackedThatGoesWhole(t *testing.T) {
	large := deflated(`["` + strings.Repeat("a", 1<<19) + `"]`)
	tests := []struct{ name, key, value, want string }{
		{"a token", "seToken", urlPacked(`{"` + password + `":true,"orderId":"` + tdsID + `"}`),
			"REDACTED-token-1"},
		{"JSON that is a password", "password", `{"` + password + `":1}`, "REDACTED-token-1"},
		{"a blob that is no document", "creq", urlPacked("no document at all"), "REDACTED-blob-1"},
		{"a message over the bounds", "x", large, "REDACTED-blob-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", "https://gw.example/payment/acs", http.Header{}, "")
			x.Response.Body = jsonOf(map[string]any{tt.key: tt.value})
			got := redactor(t).Clean(x).Exchange()
			if want := jsonOf(map[string]any{tt.key: tt.want}); got.Response.Body != want {
				t.Errorf("got %s, want %s", got.Response.Body, want)
			}
		})
	}
}

// TestTheGateLooksInside hides a card where leaves do not look: in the key of a packed message. The key
// goes and the message stays packed, but for one in a header, whose keys are not cleaned.
func TestTheGateLooksInside(t *testing.T) {
	for place, put := range packedPlaces {
		x := exchange("POST", "https://gw.example/payment/acs", http.Header{}, "")
		put(x, "creq", urlPacked(`{"a":"b","`+visa+`":1}`))
		reports := 0
		r := redactor(t, func(o *redact.Options) { o.Report = func(redact.Safe) { reports++ } })
		got := r.Clean(x).Exchange()
		if header := place == "redirect"; got.Replayable() == header || reports == 0 == header {
			t.Errorf("%s: withheld %q, %d reports", place, got.Meta.Withheld, reports)
		}
		wantNone(t, saved(t, got)+strings.Join(inside(got), ""), visa)
	}
}

// TestMarkup cleans pages: fields by their names, values by their labels, and prose.
func TestMarkup(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"a hidden field", `<input name="cvc" value="784" type=hidden>`,
			`<input name="cvc" value="000" type=hidden>`},
		{"fields without quotes", `<INPUT NAME=password VALUE=` + password + `>`,
			`<INPUT NAME=password VALUE=REDACTED-token-1>`},
		{"an area", `<textarea name="cardPin">1234</textarea>`,
			`<textarea name="cardPin">0000</textarea>`},
		{"an attribute", `<card pan="` + visa + `" cvc="784"/>`,
			`<card pan="4111110000051111" cvc="000"/>`},
		{"elements", `<r><ns:pin>1234</ns:pin><pin><v>1234</v></pin></r>`,
			`<r><ns:pin>0000</ns:pin><pin><v>0000</v></pin></r>`},
		{"entities", `<p>&#52;` + visa[1:] + `</p>`, `<p>4111110000051111</p>`},
		{"cells", `<table><tr><td>CVC</td><td>784</td></tr></table>`,
			`<table><tr><td>CVC</td><td>000</td></tr></table>`},
		{"a label", `<p>CVC: <b>784</b></p>`, `<p>CVC: <b>000</b></p>`},
		{"terms", `<dl><dt>Password<dd>hunterhunter</dl>`, `<dl><dt>Password<dd>REDACTED-token-1</dl>`},
		{"a page to log in", `<label>Password</label><input name=x><a>Forgot?</a>`,
			`<label>Password</label><input name=x><a>Forgot?</a>`},
		{"a comment", `<p>a</p><!-- card ` + grouped("-") + ` -->`,
			`<p>a</p><!-- card 4111-1100-0005-1111 -->`},
		{"a script", `<p>a</p><script>var o = {cvc: "784", pan: "` + visa + `"}</script>`,
			`<p>a</p><script>var o = {cvc: "000", pan: "4111110000051111"}</script>`},
		{"CDATA", `<a><cvv><![CDATA[784]]></cvv></a>`, `<a><cvv><![CDATA[000]]></cvv></a>`},
		{"a declaration", `<!DOCTYPE a [<!ENTITY x "` + visa + `">]><a>b</a>`,
			`<!DOCTYPE a [<!ENTITY x "4111110000051111">]><a>b</a>`},
		{"an address", `<p>a</p><a href="/x?card=` + visa + `&amp;password=` + password + `">b</a>`,
			`<p>a</p><a href="/x?card=4111110000051111&amp;password=REDACTED-token-1">b</a>`},
		{"a page without secrets", `<!doctype html><p class=x>Order <b>12 &amp; 13</b>`,
			`<!doctype html><p class=x>Order <b>12 &amp; 13</b>`},
		{"a page in a string", `{"html":"<p><input name=\"pin\" value=\"1234\"><\/p>"}`,
			`{"html":"<p><input name=\"pin\" value=\"0000\"><\/p>"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{}, "")
			x.Response.Body = tt.body
			got := redactor(t).Clean(x).Exchange()
			// The ordinal of a card is not what this is about.
			ordinal := redactor(t).Text(visa).String()
			want := strings.ReplaceAll(tt.want, "4111110000051111", ordinal)
			want = strings.ReplaceAll(want, "4111-1100-0005-1111", strings.Join(
				[]string{ordinal[:4], ordinal[4:8], ordinal[8:12], ordinal[12:]}, "-"))
			if got.Response.Body != want {
				t.Errorf("got  %s\nwant %s", got.Response.Body, want)
			}
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
			if _, escaped, found := strings.Cut(got.Response.Body, "&#"); found {
				t.Errorf("an entity is left: %s", html.UnescapeString("&#"+escaped))
			}
		})
	}
}

// TestEchoesInMarkup finds what was found when a page was one text: a CVC said again in it.
func TestEchoesInMarkup(t *testing.T) {
	for body, want := range map[string]string{
		`<p>Wrong code <b>927</b> for the card</p>`:    `<p>Wrong code <b>REDACTED-cvc</b> for the card</p>`,
		`{"m":"<p>The code <b>927</b> is wrong<\/p>"}`: `{"m":"<p>The code <b>REDACTED-cvc</b> is wrong<\/p>"}`,
		`<p>Total</p><b>927</b>`:                       `<p>Total</p><b>927</b>`,
	} {
		x := checkout(visa, "927")
		x.Response.Body = body
		if got := redactor(t).Clean(x).Exchange(); got.Response.Body != want {
			t.Errorf("got  %s\nwant %s", got.Response.Body, want)
		}
	}
}
