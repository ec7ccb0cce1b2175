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
