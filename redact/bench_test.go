package redact_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/raced"
)

// record is a part of an answer without a secret: ids, sums, dates, masks and text.
const record = `{"orderNumber":"A-17","orderId":"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b",` +
	`"amount":150000,"maskedPan":"411111**1111","date":1517746541000,"description":"Книга, 2 шт."}`

// prose is a line of text without a secret.
const prose = "2026-11-20T10:15:30Z order A-17 was paid: 1500.00 RUB, rrn 003456789012, see " +
	"https://shop.example/orders/17?tab=history&lang=en for more. Nothing else to say here.\n"

// fill repeats a part until there are n bytes of it.
func fill(part string, n int) string { return strings.Repeat(part, n/len(part)+1) }

// bodies are what is cleaned, by kind, in about n bytes.
var bodies = map[string]func(n int) string{
	"text": func(n int) string { return fill(prose, n) },
	"text with secrets": func(n int) string {
		return fill(fill(prose, 900)+"card "+visa+" token="+apiKey+" PIN is 7728\n", n)
	},
	"JSON": func(n int) string { return `{"orders":[` + fill(record+",", n) + record + `]}` },
	"JSON with secrets": func(n int) string {
		secret := `{"cardNumber":"` + visa + `","cvc2":"784","note":"` + grouped(" ") + `"},`
		return `{"orders":[` + fill(fill(record+",", 900)+secret, n) + record + `]}`
	},
	"form": func(n int) string { return fill("orderNumber=A-17&description=Book%2C+2+pcs&", n) },
	"page": func(n int) string {
		return "<html><body>" + fill(`<p class="x">Order <b>A-17</b>, 1500.00 RUB</p>`, n) +
			"</body></html>"
	},
}

// BenchmarkPayment cleans the typical exchange: a payment of about 1 KB.
func BenchmarkPayment(b *testing.B) {
	x := checkout(visa, "123")
	x.Response.Body = `{"errorCode":0,"orders":[` + fill(record+",", 550) + record + `]}`
	r := redactor(b)
	b.SetBytes(int64(len(x.Request.Body) + len(x.Response.Body)))
	b.ReportAllocs()
	for b.Loop() {
		r.Clean(x)
	}
}

// inquiry is a question about a card and the answer to it, about 700 bytes, with a new card each time.
func inquiry(n int) *leaf.Exchange {
	number := pan.WithResidue(fmt.Sprintf("427600%010d", n*7919), 15, pan.Valid)
	x := exchange("POST", "http://127.0.0.1:8080/v1/apigate/ws/rest/cardStatusInquiry",
		http.Header{"Content-Type": {"application/json"}, "Authorization": {"Basic " + base64Of("a:"+apiKey)},
			"User-Agent": {"Go-http-client/1.1"}, "Content-Length": {"300"}},
		`{"cardIdentification":{"cardNumber":"`+number+`","expDate":"203012"},`+
			`"cardAcceptorParameters":{"terminalIdentification":"TERM0001",`+
			`"merchantIdentification":"MERCH0000000001","merchantType":"5999",`+
			`"nameAndLocation":"Sandbox shop>Main street 1>Vilnius>LT"},"channel":"MOBILE","version":"1.0"}`)
	x.Response.Body = fmt.Sprintf(`{"responseCode":"00","hotCardStatus":%d,"processingCode":"310000",`+
		`"systemTraceAuditNumber":%d,"localTransactionDate":"2026-11-20T13:18:00","rrn":"%012d",`+
		`"cardNumber":"%s","cardId":"%020d","uniqueReferenceNumber":"REF-%010d",`+
		`"cardholder":{"lastName":"Doe","firstName":"Jane","phoneNumber":"37060000000"}}`,
		n%7, 100000+n%900000, 632400000000+n, number, n, n)
	return x
}

// BenchmarkInquiry cleans an exchange that teaches a card which nobody knew before.
func BenchmarkInquiry(b *testing.B) {
	r, n := redactor(b), 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		r.Clean(inquiry(n))
	}
}

// challengePage is a page with so many rows that sends a payer to a challenge: it packs a message, and
// holds no secret.
func challengePage(rows int) *leaf.Exchange {
	creq := base64.RawURLEncoding.EncodeToString([]byte(`{"threeDSServerTransID":` +
		`"8a880dc0-d2d2-4067-bcb1-b08d1690b26e","acsTransID":"d7c1ee99-9478-44a6-b1f2-391e29c6b340",` +
		`"messageType":"CReq","messageVersion":"2.2.0","challengeWindowSize":"05"}`))
	x := exchange("GET", "https://h/payment/merchants/test/payment_en.html?mdOrder="+
		"6e95a98c-fc03-73d2-b7c6-3e8000c4a1e5", http.Header{"User-Agent": {"Mozilla/5.0"}}, "")
	x.Response.Headers.Set("Content-Type", "text/html;charset=UTF-8")
	x.Response.Body = `<!doctype html><html><head><title>Payment</title><meta charset="utf-8">` +
		`<style>body{font:16px sans-serif} .amount{color:#123}</style></head><body>` +
		strings.Repeat(`<p class="row"><label for="a">Amount</label> <b>20.00 EUR</b></p>`, rows) +
		`<form id="challenge" method="post" action="https://acs.example/challenge?id=12">` +
		`<input type="hidden" name="creq" value="` + creq + `"><input type="submit" value="Go on">` +
		`</form><script>document.getElementById("challenge").submit();</script></body></html>`
	return x
}

// BenchmarkPage cleans a page in which nothing is found.
func BenchmarkPage(b *testing.B) {
	x := challengePage(20)
	r := redactor(b)
	b.ReportAllocs()
	for b.Loop() {
		r.Clean(x)
	}
}

// TestWorkPerPage counts allocations: a page is taken apart once, and a page that is four times as long
// takes no more than four times the work.
func TestWorkPerPage(t *testing.T) {
	perPage := func(rows int) float64 {
		r, x := redactor(t), challengePage(rows)
		return testing.AllocsPerRun(50, func() { r.Clean(x) })
	}
	one, four := perPage(20), perPage(80)
	t.Logf("%.0f allocations for a page, %.0f for a page that is four times as long", one, four)
	if one > 600 && !raced.Enabled || four > 4*one {
		t.Errorf("%.0f allocations for a page, %.0f for a page that is four times as long", one, four)
	}
}

// TestWorkPerExchange counts allocations: what an exchange costs that teaches a card does not grow with
// the cards that are known, and stays small.
func TestWorkPerExchange(t *testing.T) {
	perExchange := func(known int) float64 {
		r, n := redactor(t), 0
		clean := func() {
			n++
			r.Clean(inquiry(n))
		}
		for range known {
			clean()
		}
		return testing.AllocsPerRun(500, clean)
	}
	const most = 150
	one, four := perExchange(500), perExchange(2000)
	if one > most || four > one+5 {
		t.Errorf("%.0f allocations when 500 cards are known, %.0f when 2000 are", one, four)
	}
}

// BenchmarkBodies cleans answers of one kind and of growing size.
func BenchmarkBodies(b *testing.B) {
	for _, kind := range slices.Sorted(maps.Keys(bodies)) {
		for _, size := range []int{1 << 10, 100 << 10, 10 << 20} {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				x := exchange("GET", "https://h/unknown", nil, "")
				x.Response.Headers.Set("Content-Type", "")
				x.Response.Body = bodies[kind](size)
				r := redactor(b)
				b.SetBytes(int64(len(x.Response.Body)))
				for b.Loop() {
					r.Clean(x)
				}
			})
		}
	}
}

// BenchmarkKnown cleans an answer while ever more values are known to be secret.
func BenchmarkKnown(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := redactor(b)
			for i := range n {
				x := exchange("POST", "https://h/x", http.Header{}, "")
				x.Request.Headers["X-Auth-Token"] = []string{fmt.Sprintf("tok-%x-%d", i*7919+1<<40, i)}
				r.Clean(x)
			}
			x := exchange("GET", "https://h/unknown", nil, "")
			x.Response.Body = bodies["JSON"](100 << 10)
			b.SetBytes(int64(len(x.Response.Body)))
			for b.Loop() {
				r.Clean(x)
			}
		})
	}
}

// BenchmarkHostile cleans bodies made to be slow. Their speeds should be of one order.
func BenchmarkHostile(b *testing.B) {
	const size = 1 << 18
	hostile := map[string]string{
		"digits":      "1 ",
		"cards":       visa + " ",
		"dots":        "1.1.",
		"keywords":    `password="`,
		"escapes":     "%25",
		"backslashes": `\`,
		"marks":       "REDACTED-",
		"escaped":     "%34" + visa[1:] + " ",
		"identifiers": visa[:8] + "-1111-1111-1111-111111111111 ",
		"tainted":     apiKey + " ",
		"lines":       "1111\n",
		"slashes":     "411111/",
		"tags":        "<a:pin b='>'><![CDATA[",
		"addresses":   "h://a:b@c:",
		"tracks":      visa + "=" + visa,
		"tokens":      "token=a-1 ",
		"echoes":      "wrong cvc 927 ",
		"brackets":    "[0]",
		"parts":       "--B\n\n",
		"prose":       "PIN is 7728 ",
		"nearly":      "code is number 772 ",
		"cyrillic":    "код 123: ",
		"values":      `"value":"a`,
		"vague":       "sid='a",
		"blobs":       base64Of("card "+visa) + " ",
		"hex":         hexPacked("card "+visa) + " ",
		"nested":      base64Of(base64Of(base64Of(apiKey+" is the key"))) + " ",
		"streams":     base64Of(gzipOf(visa)) + ".",
		"bytes":       "=%78%9c%b3%ff",
		"zeros":       "%00%34%00",
		"hyphens":     urlPacked("card "+visa) + "-",
		"escaped hex": "&#52;" + hexPacked(visa),
		"documents":   `{"a":"{}"}`,
	}
	for name, part := range hostile {
		b.Run(name, func(b *testing.B) {
			x := exchange("POST", "https://h/x", nil, strings.Repeat(part, size/len(part)))
			x.Response.Headers.Set("X-Token", apiKey)
			x.Response.Headers.Set("X-Cvc", "927")
			b.SetBytes(size)
			for b.Loop() {
				redactor(b).Clean(x)
			}
		})
	}
}
