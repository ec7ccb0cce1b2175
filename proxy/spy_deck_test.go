package proxy_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/internal/story/tour"
	"github.com/paytape/paytape/proxy/deck"
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
	d := started(t, deck.Options{
		Mode: deck.Spy, Cassettes: []string{"tape"}, Dir: dir, Upstreams: []string{up.URL},
		Knowledge: known(t), Sync: "none",
	})
	if err := errors.Join(visit(d.URL), d.Close()); err != nil {
		t.Fatal(err)
	}
	return a.count.Load(), d.Summary().Misses
}

// TestASpyCompletesATape has a checkout on tape. A spy replays it and records all of a tour,
// while another client makes a transfer; a second one finds everything on the tape, though its
// sandbox knows nothing, and so does replay.
func TestASpyCompletesATape(t *testing.T) {
	for name, tell := range map[string]func(*story.Teller, context.Context) ([]story.Value, error){
		"card life": (*story.Teller).CardLife,
		"transfer":  (*story.Teller).Transfer,
		"version 1": tour.V1,
		"version 2": tour.V2,
		"gateway":   tour.Gateway,
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
			d := replay(t, dir)
			if err := visit(4)(d.URL); err != nil || d.Summary().Misses != 0 {
				t.Errorf("counted %+v, %v", d.Summary().Stats, err)
			}
		})
	}
}
