package match_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestChoosingLateWithoutAProfile records two payments that open alike, the first paid, the
// second declined. What their first answers show beside the id must not bind a client to the
// first: the card comes later.
func TestChoosingLateWithoutAProfile(t *testing.T) {
	const opens = `POST /api/orders {"sum":5}`
	pays := func(pan, id string) string {
		return `POST /api/pay {"order":"` + id + `","card":{"number":"` + pan + `"}}`
	}
	tests := []struct{ name, first, second, live string }{
		{"a time", `2026-03-31T10:30:00.123Z`, `2026-03-31T10:32:00.007Z`, `2027-03-01T15:45:00`},
		{"a time with a blank", `2026-03-31 10:30:00`, `2026-03-31 10:32:00`, `2027-03-01 15:45:00`},
		{"a trace", `7f3a9c0b12d4e5f6`, `c0ffee1234567890`, ""},
		{"a short prefix", `7DLIEXU1`, `RB47FA7A`, ""},
		{"letters and a digit", `CSQBGMFX0QAGXTWLXT`, `CSWERTYU1QAGXTWLXT`, ""},
		{"a blob", `Ab02b4c0!BQ/ABA+g5f==`, `Ab02b4c0!XZ1Y9/g77aa=`, ""},
		{"letters of both cases", `WFmEFOYSrKFUNHjG`, `ZoZtRyLaGcTcKNgw`, ""},
		{"a secret", `REDACTED-token-2`, `REDACTED-token-5`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			xs := tape(
				opens+` => {"id":"ord_8f3a99c01b","v":"`+tt.first+`"}`,
				pays("4242420000134242", "ord_8f3a99c01b")+` => {"state":"paid"}`,
				opens+` => {"id":"ord_77d2e0a4f6","v":"`+tt.second+`"}`,
				pays("4000000000210002", "ord_77d2e0a4f6")+` => {"state":"declined"}`,
			)
			s := replay(t, xs)
			for _, want := range []string{"declined", "paid", "declined"} {
				pan := "4242424242" + "424242"
				if want == "declined" {
					pan = "4000000000" + "000002"
				}
				body := s.hit(opens)
				s.keep("id", body, `"id":"`)
				live := strings.Contains(body, tt.first) || strings.Contains(body, tt.second)
				if tt.live != "" {
					live = strings.Contains(body, tt.live)
				}
				if !live {
					t.Errorf("what nobody sends is not as recorded, and no date that moved: %s", body)
				}
				if got := s.hit(pays(pan, "$id$")); !strings.Contains(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}

// What tells two recordings apart in words does bind: a client that was told it is declined is
// not told later that it has paid.
func TestWordsBind(t *testing.T) {
	const opens = `POST /api/orders {"sum":5}`
	s := replay(t, tape(
		opens+` => {"id":"ord_8f3a99c01b","state":"accepted"}`,
		`GET /api/orders/ord_8f3a99c01b => {"end":"paid"}`,
		opens+` => {"id":"ord_77d2e0a4f6","state":"rejected"}`,
		`GET /api/orders/ord_77d2e0a4f6 => {"end":"none"}`,
	))
	for range 3 {
		body := s.hit(opens)
		s.keep("id", body, `"id":"`)
		want := "none"
		if strings.Contains(body, "accepted") {
			want = "paid"
		}
		if got := s.hit("GET /api/orders/$id$"); !strings.Contains(got, want) {
			t.Errorf("after %s came %s", body, got)
		}
	}
}

// TestWordsThatNeverRepeat has the answers that open a thread show a word of capitals, another in
// each: nobody thought of it, so it does not bind.
func TestWordsThatNeverRepeat(t *testing.T) {
	const opens = `POST /api/orders {"sum":5}`
	var lines []string
	words := []string{"RNYZABRT", "NBBUDAKN", "MEBXVKCM", "QWERTZUI", "ASDFGHJK"}
	for i, word := range words {
		id := fmt.Sprintf("ord_8f3a99c0%d", i)
		lines = append(lines, opens+` => {"id":"`+id+`","prefix":"`+word+`"}`,
			fmt.Sprintf(`POST /api/pay {"order":"%s","way":%d} => {"by":%d}`, id, i, i))
	}
	s := replay(t, tape(lines...))
	for i := range words {
		s.keep("id", s.hit(opens), `"id":"`)
		way := len(words) - 1 - i
		got := s.hit(fmt.Sprintf(`POST /api/pay {"order":"$id$","way":%d}`, way))
		if want := fmt.Sprintf(`{"by":%d}`, way); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestChoosingLateWithEchoedHeaders is the same where the first answers repeat a header that
// the client made for each request.
func TestChoosingLateWithEchoedHeaders(t *testing.T) {
	const opens = `POST /api/orders {"sum":5}`
	xs := tape(
		opens+` => {"id":"ord_8f3a99c01b"}`,
		`POST /api/pay/ord_8f3a99c01b {"how":"card"} => {"state":"paid"}`,
		opens+` => {"id":"ord_77d2e0a4f6"}`,
		`POST /api/pay/ord_77d2e0a4f6 {"how":"cash"} => {"state":"declined"}`,
	)
	for i, key := range map[int]string{0: "3f2504e0-4f89-41d3", 2: "9a0c0305-e82c-3301"} {
		xs[i].Request.Headers = http.Header{"Idempotency-Key": {key}}
		xs[i].Response.Headers.Set("Idempotency-Key", key)
	}
	s := replay(t, xs)
	s.keep("id", s.hit(opens), `"id":"`)
	if got := s.hit(`POST /api/pay/$id$ {"how":"cash"}`); !strings.Contains(got, "declined") {
		t.Errorf("got %s", got)
	}
}

// TestThingsMadeWithOneCard has two clients, recorded interleaved, make a thing each with one
// card. Each goes on with its own, whatever the other does.
func TestThingsMadeWithOneCard(t *testing.T) {
	const card = "4242420000134242"
	makes := func(pan string) string { return `POST /api/methods {"card":{"number":"` + pan + `"}}` }
	s := replay(t, tape(
		makes(card)+` => {"id":"pm_8f3a99c01b"}`,
		makes(card)+` => {"id":"pm_77d2e0a4f6"}`,
		`POST /api/pay {"method":"pm_8f3a99c01b"} => {"paid":1}`,
		`POST /api/pay {"method":"pm_77d2e0a4f6"} => {"paid":2}`,
	))
	const live = "4242424242" + "424242"
	for _, client := range []string{"a", "b", "c"} {
		s.keep(client, s.hit(makes(live)), `"id":"`)
		s.hit(`POST /api/pay {"method":"$` + client + `$"}`)
	}
}
