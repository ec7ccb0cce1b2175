package match_test

import (
	"strings"
	"testing"
)

// TestTokensThatAnswersBring has an API issue ids that cleaning takes for tokens, since they
// stand in an address as one: each client gets its own, and what becomes of it.
func TestTokensThatAnswersBring(t *testing.T) {
	opens := func(kind string) string { return `POST /api/orders {"kind":"` + kind + `"}` }
	made := func(id string) string {
		return ` => {"id":"` + id + `","links":["https://pay.example/go?token=` + id + `"]}`
	}
	tests := []struct{ name, reads, pays string }{
		{"in a path", "GET /api/orders/", "POST /api/pay/"},
		{"in a parameter", "GET /api/orders?order=", `POST /api/pay order=`},
		{"in one that is a token by its name", "GET /api/orders?token=", `POST /api/pay token=`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const a, b = "REDACTED-token-4", "REDACTED-token-7"
			xs := tape(
				opens("x")+made(a), tt.reads+a+` => {"id":"`+a+`","state":"new"}`,
				tt.pays+a+` => {"paid":true}`,
				opens("x")+made(b), tt.reads+b+` => {"id":"`+b+`","state":"new"}`,
				tt.pays+b+` => {"paid":false}`,
			)
			foreign(xs)
			s := replay(t, xs)
			for _, client := range []string{"1", "2", "3"} {
				s.keep(client, s.hit(opens("x")), `"id":"`)
			}
			for client, paid := range map[string]string{"1": "true", "2": "false", "3": "true"} {
				id := s.ids[client]
				if got, want := s.hit(tt.reads+id), `{"id":"`+id+`","state":"new"}`; got != want || strings.Contains(id, "REDACTED") {
					t.Errorf("client %s: got %s, want %s", client, got, want)
				}
				if got := s.hit(tt.pays + id); got != `{"paid":`+paid+`}` {
					t.Errorf("client %s, as recorded %s: %s", client, paid, got)
				}
			}
			s.miss(tt.reads + "somebody-elses-order-1")
		})
	}
}
