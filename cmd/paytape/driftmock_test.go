package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/mock"
	"github.com/paytape/paytape/match/drift"
	"github.com/paytape/paytape/proxy/deck"
)

// witness keeps the requests that a server was sent.
type witness struct {
	next http.Handler
	mu   sync.Mutex // guards sent
	sent []*leaf.Exchange
}

func (w *witness) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is left is what the server gets
	r.Body = io.NopCloser(bytes.NewReader(body))
	x := &leaf.Exchange{}
	x.URL, x.Request.Headers, x.Request.Body = r.URL.RequestURI(), r.Header.Clone(), string(body)
	w.mu.Lock()
	w.sent = append(w.sent, x)
	w.mu.Unlock()
	w.next.ServeHTTP(rw, r)
}

// recordMock records the suite of an API that no profile knows, as one of its clients.
func recordMock(t *testing.T, api mock.API, seed uint64, run string) toured {
	t.Helper()
	server := api.New(mock.Options{Seed: seed})
	w := &witness{next: server}
	s := httptest.NewServer(w)
	defer s.Close()
	dir := t.TempDir()
	d := recordingFrom(t, deck.Options{Dir: dir, Upstreams: []string{s.URL}})
	shop := mock.NewShop() // nobody calls it
	defer shop.Close()
	client := &mock.Client{API: api, Base: d.URL, HTTP: s.Client(), Run: run, Shop: shop, Patience: 1}
	client.Play(api.Checkouts...)
	server.Close()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	c := cassetteOf(loaded(t, dir))
	return toured{c, secretsOf(w.sent, c)}
}

// TestDriftOfUnknownAPIs records suites of APIs that no profile knows twice, and verifies them.
func TestDriftOfUnknownAPIs(t *testing.T) {
	t.Parallel()
	for _, api := range mock.APIs {
		t.Run(api.Name, func(t *testing.T) {
			t.Parallel()
			one, two := recordMock(t, api, 1, "tape"), recordMock(t, api, 9, "live")
			o := drift.Options{Profiles: builtinKnowledge(t).profiles()}
			a, b := drift.Read(o, one.Cassette), drift.Read(o, two.Cassette)
			if r := drift.Compare(a, b); !r.Equal() {
				t.Errorf("two recordings differ:\n%s", diffText(r))
			}
			server := api.New(mock.Options{Seed: 5})
			defer server.Close()
			if r := verifiedAt(t, server, one, nil); r.Drifted > 0 || r.NotPlayed > 0 {
				t.Errorf("without a change:\n%s", verifyText(r))
			}
		})
	}
}
