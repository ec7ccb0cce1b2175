package match_test

import (
	"strings"
	"testing"
)

// TestOnceOnTape records a refund whose ids no request sends. The tape has one refund, so it does not tell
// whether they are of each refund: they are served as recorded, and a second answer with them is marked, and
// so is a question about something for which they were not made.
func TestOnceOnTape(t *testing.T) {
	const (
		pays    = `POST /api/payments {"amount":500}`
		refunds = `POST /api/refunds {"payment":"PAYMENT"}`
		shows   = `GET /api/payments/PAYMENT`
		first   = "pay_8hs72hgs82kq01"
		second  = "pay_7ah29skw83lp44"
		refund  = `{"refund":"re_91mfk20skw7q13","number":83673,"state":"done"}`
	)
	of := func(line, id string) string { return strings.ReplaceAll(line, "PAYMENT", id) }
	s := replay(t, told(
		pays+` => {"id":"`+first+`"}`, pays+` => {"id":"`+second+`"}`,
		of(refunds, first)+` => `+refund,
		of(shows, first)+` => {"id":"`+first+`","refunded":`+refund+`}`,
		of(shows, second)+` => {"id":"`+second+`","refunded":null}`,
	))
	served := func(line string) (body, mark string) {
		t.Helper()
		a, miss := s.serve(line)
		if miss != nil {
			t.Fatalf("%s: %+v", line, miss)
		}
		a.Delivered(true)
		return a.Body, a.Mark
	}
	for _, name := range []string{"a", "b"} {
		body, _ := served(pays)
		s.keep(name, body, `"id":"`)
	}
	for _, step := range []struct{ line, mark string }{
		{of(refunds, "$a$"), ""},
		{of(shows, "$a$"), ""},
		{of(refunds, "$b$"), "assumed=number"},
		{of(shows, "$a$"), "assumed=number"},
		{of(shows, "$b$"), "assumed=number"},
	} {
		body, mark := served(step.line)
		if mark != step.mark || !strings.Contains(body, "re_91mfk20skw7q13") || !strings.Contains(body, "83673") {
			t.Errorf("%s: %s, marked %q, not %q", step.line, body, mark, step.mark)
		}
	}
}

// TestAStateOfEachThing has four payments of which each came to another state: a state is none of the payment's own.
func TestAStateOfEachThing(t *testing.T) {
	states := []string{"AUTHORIZED", "CAPTURED", "DECLINED", "REFUNDED"}
	var lines []string
	for i, state := range states {
		lines = append(lines, `POST /api/payments {"amount":5`+string(rune('1'+i))+`} => {"id":"pay_8hs72hgs82kq0`+
			string(rune('1'+i))+`","state":"`+state+`"}`)
	}
	s := replay(t, told(lines...))
	for i, state := range states {
		got := s.hit(`POST /api/payments {"amount":5` + string(rune('1'+i)) + `}`)
		if !strings.Contains(got, `"state":"`+state+`"`) {
			t.Errorf("payment %d is %s, not %s", i, got, state)
		}
	}
}

// TestAWordOfEachThing has an API give each customer a word that no request sends, with a digit or without. Later
// answers show that of their customer.
func TestAWordOfEachThing(t *testing.T) {
	words := []string{"O2RTMRM6", "OAEVTYZB", "YVHKMN3E", "COJJIKXI", "Q7XKPA2D"}
	var lines []string
	for i, word := range words {
		id := "cus_8hs72hgs82kq0" + string(rune('1'+i))
		shows := ` => {"id":"` + id + `","invoice_prefix":"` + word + `"}`
		lines = append(lines, `POST /api/customers {"name":"Ann"}`+shows, `GET /api/customers/`+id+shows)
	}
	s := replay(t, told(lines...))
	seen := map[string]bool{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		body := s.hit(`POST /api/customers {"name":"Ann"}`)
		s.keep(name, body, `"id":"`)
		s.keep(name+" word", body, `"invoice_prefix":"`)
		if word := s.ids[name+" word"]; seen[word] || len(word) != len(words[0]) {
			t.Errorf("customer %s has the word %s", name, word)
		}
		seen[s.ids[name+" word"]] = true
	}
	for _, name := range []string{"d", "a", "f", "c"} {
		want := `{"id":"` + s.ids[name] + `","invoice_prefix":"` + s.ids[name+" word"] + `"}`
		if got := s.hit(`GET /api/customers/$` + name + `$`); got != want {
			t.Errorf("customer %s is %s, not %s", name, got, want)
		}
	}
}
