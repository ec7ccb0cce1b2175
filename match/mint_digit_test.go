package match_test

import (
	"strings"
	"testing"
)

// TestFreshIDsAreKnown has ids of which the part behind the colon is random: each that replay makes is known
// when it comes back, though one in some would have no digit by chance.
func TestFreshIDsAreKnown(t *testing.T) {
	t.Parallel()
	const orders, first, second = `POST /api/orders {"amount":500}`, "ccof:yMP4bKX9qWzr7hJ2", "ccof:T3Rwz8bnm5cvL1jH"
	s := replay(t, told(
		orders+` => {"id":"`+first+`"}`, `GET /api/orders/`+first+` => {"id":"`+first+`"}`,
		orders+` => {"id":"`+second+`"}`, `GET /api/orders/`+second+` => {"id":"`+second+`"}`,
	))
	for range 3000 {
		s.keep("id", s.hit(orders), `"id":"`)
		if got := s.hit(`GET /api/orders/$id$`); !strings.Contains(got, s.ids["id"]) {
			t.Fatalf("%s, and not %s", got, s.ids["id"])
		}
	}
}
