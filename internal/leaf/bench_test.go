package leaf_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// BenchmarkRead reads an answer of 1 KB in which nothing is packed: what most messages are.
func BenchmarkRead(b *testing.B) {
	row := `{"orderNumber":"A-17","orderId":"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b",` +
		`"amount":150000,"maskedPan":"411111**1111","date":1517746541000,` +
		`"description":"two books","ip":"192.0.2.7","paymentState":"DEPOSITED"}`
	m := leaf.Message{Body: `{"errorCode":0,"orders":[` + strings.Repeat(row+",", 4) + row + `]}`}
	b.SetBytes(int64(len(m.Body)))
	for b.Loop() {
		leaf.Read(m)
	}
}
