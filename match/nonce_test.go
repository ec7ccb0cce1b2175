package match_test

import (
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// TestWhatClientsMakeAnew has requests to an API that no profile knows carry values which
// their client makes for each of them. Another run has others, which an answer repeats.
func TestWhatClientsMakeAnew(t *testing.T) {
	tests := []struct{ name, key, tape, live string }{
		{"a nonce", "nonce", "7f3a9c0b12d4", "000000000001"},
		{"an idempotency key", "idempotency_key", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "my key"},
		{"an id of the request", "RequestID", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "r-1"},
		{"a URN", "messageId", "urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301", "urn:uuid:1"},
		{"the time", "at", "2026-03-31T10:30:02Z", "2031-01-01T00:00:00Z"},
		{"the time with a blank", "at", "2026-03-31 10:30:02", "2031-01-01 00:00:00"},
		{"the time as a number", "at", "1774953002", "1925000000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pays := func(v, sum string) string {
				return `POST /api/pay {"` + tt.key + `":"` + v + `","sum":` + sum + `}`
			}
			xs := tape(pays(tt.tape, "5") + ` => {"paid":true,"yours":"` + tt.tape + `"}`)
			xs[0].Meta.At = time.Date(2026, 3, 31, 10, 30, 0, 0, time.UTC)
			s := replay(t, xs)
			for _, v := range []string{tt.live, tt.tape, "another-1"} {
				want := `{"paid":true,"yours":"` + v + `"}`
				if got := replay(t, xs).hit(pays(v, "5")); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
			if m := s.miss(pays(tt.live, "6")); !strings.Contains(m.Sentence, "sum differs") {
				t.Errorf("another sum: %s", m.Sentence)
			}
		})
	}
}

// TestIdsOfRequestsThatComeAgain has a client ask later for what it calls by the id of its
// request: then that tells clients apart.
func TestIdsOfRequestsThatComeAgain(t *testing.T) {
	pays := func(id, sum string) string { return `POST /api/pay {"requestId":"` + id + `","sum":` + sum + `}` }
	s := replay(t, tape(
		pays("req-77001122a", "5")+` => {}`, `GET /api/pays?requestId=req-77001122a => {"sum":5}`,
		pays("req-77001133b", "6")+` => {}`, `GET /api/pays?requestId=req-77001133b => {"sum":6}`,
	))
	s.hit(pays("mine-1", "6"))
	s.hit(pays("yours-2", "5"))
	for id, want := range map[string]string{"mine-1": `{"sum":6}`, "yours-2": `{"sum":5}`} {
		if got := s.hit("GET /api/pays?requestId=" + id); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	s.miss("GET /api/pays?requestId=nobodys-3")
}

// A time that is not the client's own is compared: it says which report is wanted.
func TestOtherTimesAreCompared(t *testing.T) {
	const asks = `POST /api/reports {"from":"2026-03-01T00:00:00Z"}`
	for _, own := range []bool{true, false} {
		xs := tape(asks + ` => {"rows":1}`)
		if !own {
			foreign(xs)
		}
		s := replay(t, xs)
		s.hit(asks)
		s.miss(`POST /api/reports {"from":"2026-03-02T00:00:00Z"}`)
	}
}

// TestAskingByPost polls an unknown API by POST before and after a change, more often than it
// was recorded.
func TestAskingByPost(t *testing.T) {
	soap := func(call string) string {
		return "POST /soap <Envelope><Body><" + call + "><sum>5</sum></" + call + "></Body></Envelope>"
	}
	tests := []struct{ name, asks, does string }{
		{"a path", `POST /api/GetState {"id":"a"}`, `POST /api/Cancel {"id":"a"}`},
		{"words of a path", `POST /api/order-status {"id":"a"}`, `POST /api/order-close {"id":"a"}`},
		{"a noun", `POST /api/orders/7/status {"id":"a"}`,
			`POST /api/orders/7/status {"status":"closed"}`},
		{"a parameter", `POST /api method=trade.query&id=a`, `POST /api method=trade.close&id=a`},
		{"SOAP", soap("QueryOrder"), soap("CloseOrder")},
		{"GraphQL", `POST /graphql {"query":"query($id: ID!) { node(id: $id) { id } }"}`,
			`POST /graphql {"query":"mutation { close(id: 1) { id } }"}`},
		{"GraphQL without a name", `POST /graphql {"query":"{ node(id: 1) { id } }"}`,
			`POST /graphql {"query":"mutation { close(id: 1) { id } }"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			xs := tape(tt.asks+` => 1`, tt.asks+` => 2`, tt.does+` => closed`, tt.asks+` => 3`)
			markup(xs)
			s := replay(t, xs)
			for _, want := range []string{"1", "2", "2", "2"} {
				if got := s.hit(tt.asks); got != want {
					t.Fatalf("got %s, want %s", got, want)
				}
			}
			s.hit(tt.does)
			for range 3 {
				if got := s.hit(tt.asks); got != "3" {
					t.Fatalf("after the change: %s", got)
				}
			}
		})
	}
}

// markup gives requests that are XML their media type.
func markup(xs []*leaf.Exchange) {
	for _, x := range xs {
		if strings.HasPrefix(x.Request.Body, "<") {
			x.Request.Headers = map[string][]string{"Content-Type": {"text/xml"}}
		}
	}
}

// TestDigestsOfACredential has every request prove its login by another digest. Polls beyond
// the recorded ones bring digests that are on no tape, and the card decides what becomes of a
// payment.
func TestDigestsOfACredential(t *testing.T) {
	pays := func(n, card string) string {
		return `POST /api/pay {"login":{"password":"REDACTED-token-` + n + `"},"card":{"number":"` +
			card + `"}}`
	}
	asks := func(n, id string) string {
		return `POST /api/GetState {"login":{"password":"REDACTED-token-` + n + `"},"id":"` + id + `"}`
	}
	s := replay(t, tape(
		pays("1", "4242420000134242")+` => {"id":"pay_8f3a99c01b","state":"new"}`,
		asks("2", "pay_8f3a99c01b")+` => {"state":"new"}`,
		asks("3", "pay_8f3a99c01b")+` => {"state":"paid"}`,
		pays("4", "4000000000210002")+` => {"id":"pay_77d2e0a4f6","state":"declined"}`,
	))
	for i, n := range []string{"a", "b", "c"} {
		s.keep("id", s.hit(pays(n, "4242424242"+"424242")), `"id":"`)
		for j, m := range []string{"d", "e", "f", "g"} {
			if got, want := s.hit(asks(n+m, "$id$")), `{"state":"paid"}`; got != want && j > 0 {
				t.Errorf("client %d, poll %d: %s", i, j, got)
			}
		}
		if got := s.hit(pays(n+"z", "4000000000"+"000002")); !strings.Contains(got, "declined") {
			t.Errorf("client %d: got %s", i, got)
		}
	}
}

// TestReferencesOfWhatFailed has a reference that nothing repeats, since the payment was
// declined, where the reference of another is repeated.
func TestReferencesOfWhatFailed(t *testing.T) {
	pays := func(ref, source string) string {
		return `POST /api/pay {"reference":"` + ref + `","source":"` + source + `"}`
	}
	s := replay(t, tape(
		pays("order-2026-100017", "nonce-ok")+` => {"reference":"order-2026-100017"}`,
		pays("order-2026-100018", "nonce-declined")+` => {"error":"declined"}`,
	))
	for _, ref := range []string{"order-2026-555555", "B-1"} {
		if got := s.hit(pays(ref, "nonce-declined")); got != `{"error":"declined"}` {
			t.Errorf("got %s", got)
		}
	}
}

// TestOneReferenceInCallsOfOnePath has an API tell its calls apart in the body: that several
// carry one reference does not make it configuration.
func TestOneReferenceInCallsOfOnePath(t *testing.T) {
	call := func(method, ref string) string { return "POST /api method=" + method + "&ref=" + ref }
	s := replay(t, tape(
		call("trade.create", "order-2026-100017")+` => {"ref":"order-2026-100017"}`,
		call("trade.query", "order-2026-100017")+` => {"state":"new"}`,
		call("trade.query", "order-2026-100017")+` => {"state":"paid"}`,
		call("trade.refund", "order-2026-100017")+`&request_no=3f2504e0-4f89-41d3&order=order-2026-100017 => {"state":"refunded"}`,
	))
	s.hit(call("trade.create", "mine-1"))
	s.hit(call("trade.create", "yours-2"))
	for _, want := range []string{"new", "paid", "paid"} {
		for _, ref := range []string{"mine-1", "yours-2"} {
			if got := s.hit(call("trade.query", ref)); got != `{"state":"`+want+`"}` {
				t.Errorf("%s: got %s, want %s", ref, got, want)
			}
		}
	}
	s.hit(call("trade.refund", "mine-1") + "&request_no=r7&order=mine-1")
	s.hit(call("trade.query", "yours-2"))
	s.miss(call("trade.query", "nobodys-3"))
}
