package match_test

import (
	"strings"
	"testing"
)

// TestTokenOfAnotherCard makes a token of a card that the tape does not have: what is charged to it is a guess, as the
// token itself is.
func TestTokenOfAnotherCard(t *testing.T) {
	t.Parallel()
	const tokens, charges = `POST /api/tokens {"card_number":"4000000000050002"}`, `POST /api/charges {"token":"REDACTED-token-1","amount":500}`
	s := replay(t, told(
		tokens+` => {"token":"REDACTED-token-1"}`, charges+` => {"id":"ch_8hs72hgs82kq01","status":"declined"}`,
		`GET /api/charges/ch_8hs72hgs82kq01 => {"id":"ch_8hs72hgs82kq01","status":"declined"}`,
		`GET /api/tokens/REDACTED-token-1/charges => [{"id":"ch_8hs72hgs82kq01","status":"declined"}]`,
	))
	for _, test := range []struct{ card, mark string }{{"4000000000050002", ""}, {"4000000000150000", "assumed=card"}} {
		for _, line := range []string{
			strings.Replace(tokens, "4000000000050002", test.card, 1), strings.Replace(charges, "REDACTED-token-1", "$token$", 1),
			`GET /api/charges/$id$`,
		} {
			a, miss := s.serve(line)
			if miss != nil || a.Mark != test.mark {
				t.Fatalf("%s with card %s: %+v %+v", line, test.card, a, miss)
			}
			a.Delivered(true)
			for _, name := range []string{"token", "id"} {
				if strings.Contains(a.Body, `"`+name+`":"`) {
					s.keep(name, a.Body, `"`+name+`":"`)
				}
			}
		}
	}
}

// TestAbandonedToken has a token on tape that nobody sends: in replay each client gets its own there, and it is known.
func TestAbandonedToken(t *testing.T) {
	t.Parallel()
	const tokens, charges = `POST /api/tokens {"card_number":"4000000000050002"}`, `POST /api/charges {"token":"TOKEN","amount":500}`
	s := replay(t, told(
		tokens+` => {"token":"REDACTED-token-1"}`, tokens+` => {"token":"REDACTED-token-2"}`,
		strings.Replace(charges, "TOKEN", "REDACTED-token-2", 1)+` => {"id":"ch_8hs72hgs82kq01","status":"paid"}`,
	))
	seen := map[string]bool{}
	for range 3 {
		a, miss := s.serve(tokens)
		if miss != nil || a.Mark != "" {
			t.Fatalf("%+v %+v", a, miss)
		}
		a.Delivered(true)
		s.keep("token", a.Body, `"token":"`)
		if token := s.ids["token"]; seen[token] || strings.Contains(token, "REDACTED") {
			t.Errorf("the token is %s", token)
		}
		seen[s.ids["token"]] = true
		s.hit(strings.Replace(charges, "TOKEN", "$token$", 1))
	}
}
