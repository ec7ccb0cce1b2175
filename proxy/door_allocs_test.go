package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/redact"
)

// quietWriter is a response writer that keeps nothing.
type quietWriter struct{ header http.Header }

func (w quietWriter) Header() http.Header         { return w.header }
func (w quietWriter) Write(p []byte) (int, error) { return len(p), nil }
func (w quietWriter) WriteHeader(int)             {}

// WriteString is what io.Copy of a text finds in the writer of net/http.
func (w quietWriter) WriteString(s string) (int, error) { return len(s), nil }

// TestAllocationsOfTheDoor counts what a request takes on its way through the door of a replay, where
// the player need not search, with events that are kept. It was 23 where each part of an answer had
// memory of its own, and 33 for this path, which no profile knows and of which parts look like a
// coding, where it was cleaned for an event that nobody looks at; it is 8. The race detector has pools
// forget what they hold every now and then.
func TestAllocationsOfTheDoor(t *testing.T) { // not parallel: it counts allocations
	answer := found{&match.Answer{
		Code: 200, Status: "200 OK", Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"orderId":"1"}`, Cassette: "tape", Number: 1,
	}}
	most := 8.0
	if raced.Enabled {
		most = 12
	}
	if got := allocations(t, answer, "/api/v2/merchants/M00123/payments/status"); got > most {
		t.Errorf("a request takes %v allocations, want %v at most", got, most)
	}
}

// TestAllocationsDoNotGrowWithTheTape counts the same for tapes of two sizes, with the search.
func TestAllocationsDoNotGrowWithTheTape(t *testing.T) { // not parallel: it counts allocations
	const small, large = 1_000, 4_000
	counts := map[int]float64{}
	for _, n := range []int{small, large} {
		tape := match.Compile(match.Options{Profiles: profiles(t), Seed: 1},
			match.Cassette{Name: "tape", Exchanges: statuses(n)})
		counts[n] = allocations(t, match.NewPlayer(tape), "/v9/things?name=thing-7")
	}
	if counts[large] > counts[small]+1 {
		t.Errorf("a request takes %v allocations with %d exchanges on tape and %v with %d",
			counts[small], small, counts[large], large)
	}
}

// statuses are exchanges with n questions of an API that no profile knows.
func statuses(n int) []*leaf.Exchange {
	var xs []*leaf.Exchange
	for i := range n {
		x := &leaf.Exchange{}
		x.Method, x.URL = "POST", fmt.Sprintf("https://sandbox.test/v9/things?name=thing-%d", i)
		x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		x.Request.Body = "orderId=1"
		x.Code, x.Response.Body = 200, fmt.Sprintf(`{"thing":"%d"}`, i)
		x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Meta.Number = i + 1
		x.Meta.At = time.Date(2026, 3, 31, 10, 0, 0, i, time.UTC)
		xs = append(xs, x)
	}
	return xs
}

// allocations returns how many allocations a request takes at the door of a replay.
func allocations(t *testing.T, p proxy.Player, target string) float64 {
	t.Helper()
	set := profiles(t)
	cleaner := redact.New(redact.Options{Profiles: set})
	events := hub.New(hub.Options{Redactor: cleaner, Events: 100})
	m, err := proxy.NewReplay(proxy.ReplayOptions{
		Player: p, Profiles: set, Cleaner: cleaner, Observe: events.Publish,
	})
	if err != nil {
		t.Fatal(err)
	}
	door := proxy.NewDoor(m, events.Publish)
	req := httptest.NewRequest("POST", "http://deck.test"+target, nil)
	req.RequestURI, req.ContentLength = target, int64(len("orderId=1"))
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	var body strings.Reader
	req.Body = io.NopCloser(&body)
	w := quietWriter{http.Header{}}
	ask := func() {
		body.Reset("orderId=1")
		clear(w.header)
		door.ServeHTTP(w, req)
		if w.header.Get("Paytape-Served") == "" {
			t.Fatal("the request was not answered from tape")
		}
	}
	for range 200 {
		ask() // the ring is full then
	}
	return testing.AllocsPerRun(200, ask)
}
