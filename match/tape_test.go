package match_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/internal/story/tour"
	"github.com/paytape/paytape/match"
)

// recorded is the day on which tests record; played the one on which they replay.
var (
	recorded = time.Date(2026, 3, 31, 10, 30, 0, 0, time.UTC)
	played   = time.Date(2027, 3, 1, 15, 45, 0, 0, time.UTC)
)

// secrets are the values that cleaning makes constant; these tests do without the rest.
var secrets = regexp.MustCompile(`"(cvc|cvc2|cvv2|pinValue)":"\d+"`)

// recorder is a round tripper that keeps what passes.
type recorder struct {
	now  func() time.Time
	next http.RoundTripper
	mu   sync.Mutex // guards xs
	xs   []*leaf.Exchange
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	x := &leaf.Exchange{}
	x.Meta.At = r.now()
	r.mu.Lock()
	r.xs = append(r.xs, x)
	x.Meta.Number = len(r.xs)
	r.mu.Unlock()
	body, err := sent(req)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	x.Method, x.URL, x.Request.Body = req.Method, req.URL.String(), string(body)
	x.Request.Headers = req.Header.Clone()
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	x.Code, x.Response.Headers, x.Response.Body = resp.StatusCode, resp.Header.Clone(),
		secrets.ReplaceAllString(string(answer), `"$1":"000"`)
	return resp, err
}

// sent reads the body of a request, which has none if a browser gets a page.
func sent(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	return io.ReadAll(req.Body)
}

// player is a round tripper that replays.
type player struct {
	*match.Player
	set *profile.Set
}

func (p player) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := sent(req)
	if err != nil {
		return nil, err
	}
	r := match.NewRequest(p.set, req.Method, req.URL.RequestURI(), req.Header, string(body))
	r.Deck = "http://deck.example:1"
	a, miss := p.Serve(r)
	if miss != nil {
		text := fmt.Sprintf(`{"message":"%s: %s"}`, miss.Reason, miss.Sentence)
		return answer(req, 501, http.Header{"Paytape-Miss": {string(miss.Reason)}}, text), nil
	}
	a.Delivered(true)
	return answer(req, a.Code, a.Header, a.Body), nil
}

func answer(req *http.Request, code int, h http.Header, body string) *http.Response {
	return &http.Response{
		StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)),
		ProtoMajor: 1, ProtoMinor: 1, Request: req,
	}
}

func profiles(t testing.TB) *profile.Set {
	t.Helper()
	set, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// builtin parses the built-in profiles once for all tests that do not change them.
var builtin = sync.OnceValues(profile.Builtin)

// withoutRaces skips a test that measures memory where the race detector watches.
func withoutRaces(t *testing.T) {
	t.Helper()
	if raced.Enabled {
		t.Skip("memory is not measured beside the race detector")
	}
}

// ownProfiles returns the built-in profiles for a test that changes them.
func ownProfiles(t testing.TB) *profile.Set {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// tell is one telling of a story.
type tell func(*story.Teller, context.Context) ([]story.Value, error)

var stories = map[string]tell{
	"checkout":  (*story.Teller).Checkout,
	"card life": (*story.Teller).CardLife,
	"transfer":  (*story.Teller).Transfer,
	"p2p":       (*story.Teller).P2P,
}

// walks are stories in which a browser takes part, with messages packed in values. An order's
// life is not among them: it lists everybody's orders.
var walks = map[string]tell{
	"3-D Secure":       tour.Secure,
	"payment page":     tour.PaymentPage,
	"binding":          tour.BindingLife,
	"gateway transfer": tour.GatewayTransfer,
}

// all yields the stories and the walks.
func all(yield func(string, tell) bool) {
	for _, told := range []map[string]tell{stories, walks} {
		for name, tell := range told {
			if !yield(name, tell) {
				return
			}
		}
	}
}

func first() *story.Teller {
	return &story.Teller{
		OrderNumber: "A-1", ClientID: "client-1", Customer: "100001",
		Card: "400000" + "1111111118", Payee: "Payee", Today: recorded,
	}
}

func second(n int) *story.Teller {
	return &story.Teller{
		OrderNumber: fmt.Sprintf("B-%d", n),
		ClientID:    fmt.Sprintf("client-b%d-", n), // one story appends to it
		Customer:    fmt.Sprintf("2000%02d", n), Card: "411111" + "1111111111",
		Payee: fmt.Sprintf("Other %d", n), Today: played,
	}
}

// record tells stories to the sandbox and returns what passed, and what the last one saw.
func record(t testing.TB, tells ...tell) ([]*leaf.Exchange, []story.Value) {
	t.Helper()
	now := func() time.Time { return recorded }
	rec := &recorder{now: now, next: direct{sandbox.New(sandbox.Options{Seed: 1, Now: now})}}
	teller := first()
	teller.Base, teller.HTTP = "https://sandbox.example", &http.Client{Transport: rec}
	var seen []story.Value
	for _, tell := range tells {
		var err error
		if seen, err = tell(teller, t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return rec.xs, seen
}

// play returns a client of a replay of the exchanges.
func play(t testing.TB, xs []*leaf.Exchange) *http.Client {
	t.Helper()
	set := profiles(t)
	tape := match.Compile(match.Options{
		Profiles: set, Seed: 7, Now: func() time.Time { return played },
	}, match.Cassette{Name: "tape", Exchanges: xs})
	return &http.Client{Transport: player{Player: match.NewPlayer(tape), set: set}}
}

func TestStoriesReplayWithFreshValues(t *testing.T) {
	for name, tell := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xs, before := record(t, tell)
			client := play(t, xs)
			for n := range 3 {
				teller := second(n)
				teller.Base, teller.HTTP = "http://deck.example:1", client
				after, err := tell(teller, t.Context())
				if err != nil {
					t.Fatalf("telling %d: %v", n, err)
				}
				differ(t, before, after)
				before = append(before, after...)
			}
		})
	}
}

// differ fails where a fresh value of one telling turns up in another.
func differ(t *testing.T, before, after []story.Value) {
	t.Helper()
	old := map[string]bool{}
	for _, v := range before {
		old[v.Name+v.Text] = true
	}
	for _, v := range after {
		if v.Fresh && v.Name != "date" && !strings.HasSuffix(v.Name, "Date") &&
			!strings.HasSuffix(v.Name, "date") && old[v.Name+v.Text] {
			t.Errorf("%s is not fresh", v.Name)
		}
	}
}

func TestClientsAtOnceSeeTheirOwn(t *testing.T) {
	for name, tell := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xs, _ := record(t, tell)
			client := play(t, xs)
			var wg sync.WaitGroup
			for n := range 16 {
				wg.Go(func() {
					teller := second(n)
					teller.Base, teller.HTTP = "http://deck.example:1", client
					if _, err := tell(teller, t.Context()); err != nil {
						t.Errorf("client %d: %v", n, err)
					}
				})
			}
			wg.Wait()
		})
	}
}

// direct is a transport without a network.
type direct struct{ http.Handler }

func (d direct) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := sent(req)
	if err != nil {
		return nil, err
	}
	at := httptest.NewRequest(req.Method, req.URL.String(), strings.NewReader(string(body)))
	at.Header = req.Header.Clone()
	w := httptest.NewRecorder()
	d.ServeHTTP(w, at)
	resp := w.Result()
	resp.Request = req
	return resp, nil
}
