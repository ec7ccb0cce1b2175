package redact_test

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkClean cleans payments with answers of growing size.
func BenchmarkClean(b *testing.B) {
	row := `{"orderNumber":"A-17","orderId":"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b",` +
		`"amount":150000,"maskedPan":"411111**1111","date":1517746541000,` +
		`"description":"Книга, 2 шт."}`
	for _, n := range []int{4, 500} {
		x := checkout(visa, "123")
		x.Response.Body = `{"errorCode":0,"orders":[` + strings.Repeat(row+",", n) + row + `]}`
		size := len(x.Request.Body) + len(x.Response.Body)
		b.Run(fmt.Sprintf("%d bytes", size), func(b *testing.B) {
			r := redactor(b)
			b.SetBytes(int64(size))
			for b.Loop() {
				r.Clean(x)
			}
		})
	}
}

// BenchmarkHostile cleans bodies made to be slow. Their speeds should be of one order.
func BenchmarkHostile(b *testing.B) {
	const size = 1 << 18
	bodies := map[string]string{
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
	for name, part := range bodies {
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
