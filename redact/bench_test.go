package redact_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
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
