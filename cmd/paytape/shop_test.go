package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// shopKey is under what a script finds its shop.
type shopKey struct{}

// shop is the server of a script that a gateway calls back.
type shop struct {
	mu  sync.Mutex // guards got
	got []string   // method, path with query, and body of each call
}

func (s *shop) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the call is not told of, which the script will miss
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, r.Method+" "+r.RequestURI+" "+string(body))
}

// openShop is shop NAME: it starts the shop of the script and sets a variable to its URL.
func openShop(ts *testscript.TestScript, _ bool, args []string) {
	server := httptest.NewServer(ts.Value(shopKey{}).(*shop))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// awaitCallback is told PATTERN: it waits until the shop was called back with what matches.
func awaitCallback(ts *testscript.TestScript, _ bool, args []string) {
	s, pattern := ts.Value(shopKey{}).(*shop), regexp.MustCompile(args[0])
	came := eventually(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.ContainsFunc(s.got, pattern.MatchString)
	})
	if !came {
		ts.Fatalf("no such callback came")
	}
}
