package proxy_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// asked is a sandbox of its own behind a spy, which counts what it is asked.
type asked struct {
	count atomic.Int64
	box   *sandbox.Sandbox
}

func (a *asked) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	a.count.Add(1)
	a.box.ServeHTTP(w, req)
}

// whileSpying plays the tape in a folder, in front of a sandbox that begins empty, and
// returns how many requests the sandbox was asked and how many were missed.
func whileSpying(t *testing.T, dir string, visit func(url string) error) (upstream, missed int64) {
	t.Helper()
	a := &asked{box: sandbox.New(sandbox.Options{})}
	defer a.box.Close()
	up := httptest.NewServer(a)
	defer up.Close()
	set := builtin(t)
	lib, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	cleaner := redact.New(redact.Options{Profiles: set, Prefixes: []string{"427600"}})
	tape, err := lib.Record("tape", cleaner)
	if err != nil {
		t.Fatal(err)
	}
	transport := proxy.NewTransport()
	defer transport.CloseIdleConnections()
	rec, err := proxy.NewRecord(proxy.RecordOptions{
		Route: proxy.Route{Upstreams: builtinUpstreams(t, up.URL), Transport: transport},
		Tape:  tape, Cleaner: cleaner,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := match.NewSessions(match.Compile(match.Options{Profiles: set}, loaded(t, lib)))
	rep, err := proxy.NewReplay(proxy.ReplayOptions{Player: p, Profiles: set, Cleaner: cleaner})
	if err != nil {
		t.Fatal(err)
	}
	mode, err := proxy.NewSpy(proxy.SpyOptions{Player: p, Replay: rep, Record: rec})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(proxy.NewDoor(mode, nil))
	err = visit(srv.URL)
	srv.Close()
	if _, closed := tape.Close(); errors.Join(err, closed) != nil {
		t.Fatal(errors.Join(err, closed))
	}
	return a.count.Load(), rep.Stats().Misses
}

func builtinUpstreams(t *testing.T, url string) *proxy.Upstreams {
	t.Helper()
	ups, err := proxy.ParseUpstreams(builtin(t), []string{url})
	if err != nil {
		t.Fatal(err)
	}
	return ups
}

// TestASpyCompletesATape has a checkout on tape. A spy replays it and records all of a tour,
// while another client makes a transfer; a second one finds everything on the tape, though its
// sandbox knows nothing, and so does replay.
func TestASpyCompletesATape(t *testing.T) {
	for name, tell := range map[string]func(*story.Teller, context.Context) ([]story.Value, error){
		"card life": (*story.Teller).CardLife,
		"transfer":  (*story.Teller).Transfer,
		"version 1": (*story.Teller).TourV1,
		"version 2": (*story.Teller).TourV2,
		"gateway":   (*story.Teller).TourGateway,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			record(t, dir, "", (*story.Teller).Checkout)
			checkout := func(url string) error {
				c := teller(url, 1)
				c.Card = teller(url, 0).Card // the tours pay with the other one in other states
				_, err := c.Checkout(t.Context())
				return err
			}
			if n, missed := whileSpying(t, dir, checkout); n != 0 || missed != 0 {
				t.Errorf("the sandbox was asked %d times for what is on tape, %d missed", n, missed)
			}
			visit := func(client int) func(string) error {
				return func(url string) error {
					_, err := tell(teller(url, client), t.Context())
					return errors.Join(err, checkout(url))
				}
			}
			atOnce := func(url string) error {
				var other error
				var client sync.WaitGroup
				client.Go(func() { _, other = teller(url, 5).Transfer(t.Context()) })
				err := visit(2)(url)
				client.Wait()
				return errors.Join(err, other)
			}
			if n, missed := whileSpying(t, dir, atOnce); n == 0 || missed != 0 {
				t.Errorf("the sandbox was asked %d times, %d missed", n, missed)
			}
			n, missed := whileSpying(t, dir, visit(3))
			if n != 0 || missed != 0 {
				t.Errorf("the second time it was asked %d times, %d missed", n, missed)
			}
			mode, url := replay(t, dir)
			if err := visit(4)(url); err != nil || mode.Stats().Misses != 0 {
				t.Errorf("counted %+v, %v", mode.Stats(), err)
			}
		})
	}
}
