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
