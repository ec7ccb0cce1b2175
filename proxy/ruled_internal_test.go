package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/redact"
)

// This file is of the package itself: what is left of a budget nobody else can see.

// sandboxed is a mode that answers all alike.
type sandboxed struct {
	body   string
	stream bool
}

func (s sandboxed) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
	}
	h := http.Header{"Content-Type": {"application/json"}}
	if s.stream {
		h.Set("Content-Type", "text/event-stream")
	}
	return &http.Response{
		StatusCode: 200, Header: h, ContentLength: int64(len(s.body)), Request: req,
		Body: io.NopCloser(strings.NewReader(s.body)),
	}, nil
}

// ruled puts a mode under one rule.
func ruled(t *testing.T, mode http.RoundTripper, rule string) *Ruled {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	f, err := rules.Parse("run.yaml", []byte("rules: [{name: x, "+rule+"}]"), rules.Source{Profiles: set})
	engine := rules.New(rules.Options{Profiles: set, Seed: 1})
	if err == nil {
		err = engine.Set(rules.FromFile, f)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewRuled(RuledOptions{
		Mode: mode, Rules: engine, Profiles: set, Cleaner: redact.New(redact.Options{Profiles: set}),
		Limit: 100_000,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m.(*Ruled)
}

// deposit is a request with a body of so many bytes.
func deposit(t testing.TB, ctx context.Context, size int) *http.Request {
	t.Helper()
	body := "orderId=1&amount=100&pad=" + strings.Repeat("x", size)
	req, err := http.NewRequestWithContext(ctx, "POST", "http://deck.test/payment/rest/deposit.do",
		io.NopCloser(strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.ContentLength = int64(len(body))
	return req
}

// Whatever becomes of an answer, rules give back the room that they have taken for it.
func TestRulesGiveRoomBack(t *testing.T) {
	t.Parallel()
	small, large := `{"amount":100,"pad":"`+strings.Repeat("x", 90_000)+`"}`, strings.Repeat("x", 200_000)
	for _, rule := range []string{
		"where: {amount: 1}, then: {status: 500}", "then: {set: {amount: 1}}", "then: {delete: pad}",
		"then: {status: 204}", "answer: {amount: 100}, then: {answer: {status: 500, body: x}}",
		"answer: {amount: 1}, then: {status: 500}", "then: {answer: {body: x}}", "then: {lose: request}",
		"then: {lose: answer}", "then: {fail: reset}", "then: {fail: cut}", "then: {delay: 1ns}", "then: {drip: 1ns}",
		"then: {delay: 1h}", "then: {drip: 1h}", "then: {fail: timeout}",
		"then: {request: {set: {amount: 5}}, set: {amount: 7}, drip: 1ns}",
	} {
		waits := strings.Contains(rule, "1h") || strings.Contains(rule, "timeout")
		for _, mode := range []sandboxed{{body: small}, {body: large}, {body: small, stream: true}} {
			m := ruled(t, mode, rule)
			before := m.requests.budget.left
			for i := range 6 {
				ctx, leave := context.WithCancel(t.Context())
				if waits {
					leave()
				}
				size := []int{0, 80_000, 150_000}[i%3]
				res, err := m.RoundTrip(deposit(t, ctx, size))
				if err == nil && i%2 == 0 {
					_, _ = io.Copy(io.Discard, res.Body)
				}
				if err == nil {
					_ = res.Body.Close()
				}
				leave()
			}
			if left := m.requests.budget.left; left != before {
				t.Errorf("%s, %d bytes, stream %v: %d bytes are missing", rule, len(mode.body), mode.stream, before-left)
			}
		}
	}
}

// A thousand requests later as much room is left as before.
func TestAThousandRuledRequests(t *testing.T) {
	t.Parallel()
	m := ruled(t, sandboxed{body: `{"amount":100}`}, "then: {set: {amount: 1}, request: {set: {amount: 2}}}")
	before := m.requests.budget.left
	for range 1000 {
		res, err := m.RoundTrip(deposit(t, t.Context(), 70_000))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if string(body) != `{"amount":1}` {
			t.Fatalf("got %q", body)
		}
	}
	if left := m.requests.budget.left; left != before {
		t.Errorf("%d bytes are missing", before-left)
	}
}

// Without room an answer passes as it came, and a request is refused: no rule is left out in
// silence.
func TestRulesWithoutRoom(t *testing.T) {
	t.Parallel()
	text := `{"amount":100,"pad":"` + strings.Repeat("x", 90_000) + `"}`
	m := ruled(t, sandboxed{body: text}, "then: {set: {amount: 1}}")
	var told []Event
	m.observe = func(e Event) { told = append(told, e) }
	m.requests.budget = newBudget(10_000)
	res, err := m.RoundTrip(deposit(t, t.Context(), 100))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(res.Body)
	if closed := res.Body.Close(); string(got) != text || err != nil || closed != nil {
		t.Errorf("%d of %d bytes came, %v", len(got), len(text), err)
	}
	if text := res.Header.Get("Paytape-Rules"); text != "x(1; field not found)" {
		t.Errorf("explained: %s", text)
	}
	res, err = m.RoundTrip(deposit(t, t.Context(), 90_000))
	if err != nil || res.StatusCode != problemBusy.Code || res.Header.Get("Paytape-Error") != problemBusy.Kind ||
		len(told) != 1 || told[0].Kind != Failed || told[0].Problem != problemBusy.Kind {
		t.Errorf("%v, %v, told %+v", res, err, told)
	}
	if left := m.requests.budget.left; left != 10_000 {
		t.Errorf("%d bytes are left", left)
	}
}

// What a recorded answer of 15 MB costs that a rule changes, beside the recording of it.
func TestALargeRuledAnswerCostsAFewTimesItsSize(t *testing.T) {
	const size, most = 15 << 20, 8
	text := `{"amount":100,"pad":"` + strings.Repeat("x", size) + `"}`
	m := ruled(t, sandboxed{body: text}, "then: {set: {amount: 1}}")
	m.requests = requestReader{m.requests.profiles, DefaultLimit, newBudget(enough(0, DefaultLimit)), false}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := m.RoundTrip(deposit(t, t.Context(), 0))
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if left := m.requests.budget.left; left != enough(0, DefaultLimit)-int64(len(text)) {
		t.Errorf("%d bytes of room are taken, of a body of %d", enough(0, DefaultLimit)-left, len(text))
	}
	got, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || !bytes.HasPrefix(got, []byte(`{"amount":1,"pad"`)) || len(got) != len(text)-2 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	n := int64(after.TotalAlloc-before.TotalAlloc) / size
	t.Logf("it costs %d times its size", n)
	if n > most {
		t.Errorf("it costs %d times its size, want %d at most", n, most)
	}
}
