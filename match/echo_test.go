package match_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// with gives exchanges the headers of a request and an answer.
func with(x *leaf.Exchange, request, answer map[string]string) {
	x.Request.Headers = http.Header{}
	for name, v := range request {
		x.Request.Headers.Set(name, v)
	}
	for name, v := range answer {
		x.Response.Headers.Set(name, v)
	}
}

// TestEchoedHeaders has answers that repeat what a header of the request said: the number of the
// request, the key of idempotency. A client that sends another gets his own back.
func TestEchoedHeaders(t *testing.T) {
	const was, is = "req-7f3a0001", "call-00005555"
	tests := []struct{ name, answer, live string }{
		{"in a header", "X-Correlation-Id", is},
		{"under another name", "Request-Id", is},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			xs := tape(registers("A-1") + ` => {"orderId":"` + oldID + `","trace":"` + was + `","x":"` +
				was + `y"}`)
			with(xs[0], map[string]string{"X-Correlation-Id": was, "User-Agent": "a/1"},
				map[string]string{tt.answer: was})
			s := replay(t, xs)
			method, target, body := requestLine(registers("B-1"))
			h := http.Header{}
			h.Set("X-Correlation-Id", tt.live)
			a, miss := s.player.Serve(match.NewRequest(s.opts.Profiles, method, target, h, body))
			if miss != nil {
				t.Fatal(miss.Sentence)
			}
			got := a.Header.Get(tt.answer)
			if got != tt.live {
				t.Errorf("the header has %q, want %q", got, tt.live)
			}
			if want := `"trace":"` + got + `","x":"` + was + `y"`; !strings.Contains(a.Body, want) {
				t.Errorf("got %s, want %s", a.Body, want)
			}
		})
	}
}

// TestAKeyOfIdempotencyThatNobodySent has an answer repeat the key of the recorded client. A client that
// sends none gets none.
func TestAKeyOfIdempotencyThatNobodySent(t *testing.T) {
	xs := tape(`POST /things {"kind":"x"} => {"kind":"x"}`)
	with(xs[0], map[string]string{"Idempotency-Key": "retry-7f3a0001"},
		map[string]string{"Idempotency-Key": "retry-7f3a0001", "X-Empty": ""})
	s := replay(t, xs)
	for _, sent := range []string{"", "abc-1", ""} {
		h := http.Header{}
		if sent != "" {
			h.Set("Idempotency-Key", sent)
		}
		a, miss := s.player.Serve(match.NewRequest(s.opts.Profiles, "POST", "/things", h, `{"kind":"x"}`))
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		got, has := a.Header["Idempotency-Key"]
		if has != (sent != "") || a.Header.Get("Idempotency-Key") != sent || a.Header["X-Empty"] == nil {
			t.Errorf("sent %q, got %q", sent, got)
		}
	}
}

// TestIDsInHeaders brings an id in a header alone, or shows one there; the next request carries it.
func TestIDsInHeaders(t *testing.T) {
	const id = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
	tests := []struct{ name, header, value, next string }{
		{"Location", "Location", "/acme/things/%I", "GET /acme/things/%I"},
		{"Location, absolute", "Location", "https://sandbox.example/acme/things/%I?x=1",
			"GET /acme/things/%I?x=1"},
		{"Link", "Link", `</acme/things/%I>; rel="self"`, "GET /acme/things/%I"},
		{"Refresh", "Refresh", "0; url=/acme/things/%I", "GET /acme/things/%I"},
		{"its own", "X-Thing-Id", "%I", `POST /acme/use {"id":"%I"}`},
		{"a file name", "Content-Disposition", `attachment; filename="receipt-%I.pdf"`,
			"GET /acme/files/receipt-%I.pdf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := func(text, id string) string { return strings.ReplaceAll(text, "%I", id) }
			xs := tape(`POST /acme/things {"a":1} => `, in(tt.next, id)+` => {"id":"`+id+`"}`)
			xs[0].Code = 201
			xs[0].Response.Headers.Set(tt.header, in(tt.value, id))
			s := replay(t, xs)
			a, miss := s.serve(`POST /acme/things {"a":1}`)
			if miss != nil {
				t.Fatal(miss.Sentence)
			}
			got := a.Header.Get(tt.header)
			at := strings.Index(tt.value, "%I")
			if len(got) < at+len(id) {
				t.Fatalf("got %q", got)
			}
			live := got[at : at+len(id)]
			if live == id || got != in(tt.value, live) {
				t.Errorf("got %q", got)
			}
			if body := s.hit(in(tt.next, live)); body != `{"id":"`+live+`"}` {
				t.Errorf("got %s", body)
			}
		})
	}
}
