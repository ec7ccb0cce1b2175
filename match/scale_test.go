package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// BenchmarkCompileLargeAnswer compiles tapes with one answer that holds many values, of which
// the time must grow in proportion.
func BenchmarkCompileLargeAnswer(b *testing.B) {
	for name, tape := range map[string]func(values int) []*leaf.Exchange{
		"orders": ordersOfAll, "unknown": unknownItems, "text": itemsInText,
	} {
		bySize(b, name, "values", []int{500, 5_000, 50_000}, func(b *testing.B, n int) {
			xs, o := tape(n), match.Options{Profiles: profiles(b)}
			b.SetBytes(int64(len(xs[0].Response.Body)))
			for b.Loop() {
				match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/value")
		})
	}
}

// ordersOfAll is a list of orders, each with its id, a date and a mask.
func ordersOfAll(n int) []*leaf.Exchange {
	var body strings.Builder
	body.WriteString(`{"errorCode":"0","orderStatuses":[`)
	for i := range n {
		fmt.Fprintf(&body, `{"orderNumber":"A-%d","date":%d,"maskedPan":"411111**1111",`+
			`"attributes":[{"name":"mdOrder","value":"%s"}]},`, i, 1774953000000+i*1000, orderID(i))
	}
	body.WriteString(`{}]}`)
	return tape(`POST /payment/rest/getLastOrdersForMerchants.do userName=u&password=p&size=20 => ` +
		body.String())
}

// unknownItems is a list of an API that no profile knows, and requests for all of its items.
func unknownItems(n int) []*leaf.Exchange {
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, `,{"ref":"%s","label":"an item that has a name","price":%d}`, item(i), i)
	}
	return itemsOf(n, `{"items":[`+body.String()[1:]+`]}`)
}

// itemsInText is unknownItems with the list in one string.
func itemsInText(n int) []*leaf.Exchange {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `%s;an item that has \"a name\";%d\n`, item(i), i)
	}
	return itemsOf(n, `{"table":"`+text.String()+`"}`)
}

func item(i int) string { return fmt.Sprintf("it_%06dx9f3a7c51b2", i) }

// itemsOf is a list of items, and requests for them, a hundred in each.
func itemsOf(n int, list string) []*leaf.Exchange {
	const each = 100
	lines := []string{`POST /api/lists {"kind":"all"} => ` + list}
	for from := 0; from < n; from += each {
		var refs []string
		for i := range each {
			refs = append(refs, `"`+item(from+i)+`"`)
		}
		lines = append(lines, `POST /api/find {"refs":[`+strings.Join(refs, ",")+`]} => {"ok":true}`)
	}
	xs := tape(lines...)
	foreign(xs)
	return xs
}
