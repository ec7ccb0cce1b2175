package proxytest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/proxy/deck"
)

// Variable is the environment variable that says what Replay does: "record", or "replay", which
// is what it does if the variable is not set or empty.
const Variable = "PAYTAPE"

// StoreVariable and OfflineVariable are environment variables that say where the store of tapes is, and
// whether it may be asked: as for the program.
const (
	StoreVariable   = "PAYTAPE_STORE"
	OfflineVariable = "PAYTAPE_OFFLINE"
)

// Deck is a deck for one test, which is closed when the test and all its subtests are done.
type Deck struct {
	// URL is the base URL of the APIs: "http://127.0.0.1:40123".
	URL string
	// Callbacks are what the deck tells the shop by itself.
	Callbacks *Callbacks

	running *deck.Deck
	client  *http.Client
	t       testing.TB
}

// Client returns a client for this deck, the same each time. It takes no proxy from the
// environment, and its connections are closed with the deck.
func (d *Deck) Client() *http.Client { return d.client }

// Summary returns what the deck has come to so far: hits, misses, and what was not asked for.
func (d *Deck) Summary() deck.Summary { return d.running.Summary() }

// Replay returns a deck that answers from a cassette, or that records the cassette if the
// environment says PAYTAPE=record. A fault of the cassette or of an option ends the test. A miss
// fails it, with an explanation that holds nothing secret.
func Replay(t testing.TB, cassette string, options ...Option) *Deck {
	t.Helper()
	s := settings{dir: DefaultDir, cassettes: []string{cassette}}
	for _, o := range options {
		o(&s)
	}
	d := &Deck{t: t, client: &http.Client{Transport: &http.Transport{}}}
	switch mode := os.Getenv(Variable); mode {
	case "", "replay":
		d.replay(t, s)
	case "record":
		d.record(t, s)
	default:
		t.Fatalf("paytape: %s=%s: expected record or replay", Variable, mode)
	}
	d.URL, d.Callbacks = d.running.URL, newCallbacks(d)
	return d
}

// replay starts a deck of this test's own.
func (d *Deck) replay(t testing.TB, s settings) {
	t.Helper()
	tape, told, err := tapes.load(t.Context(), s)
	if err != nil {
		t.Fatalf("paytape: %v%s", err, advice(t, err))
	}
	r := &report{t: t, allowMisses: s.allowMisses}
	for _, n := range told {
		r.notice(n)
	}
	// The deck outlives the context of the test, which ends before functions of Cleanup run.
	d.running, err = deck.Start(context.Background(), deck.Options{
		Tape: tape, Observe: r.observe, Tell: r.notice, Callbacks: s.callbacks,
	})
	if err != nil {
		t.Fatalf("paytape: %v", err)
	}
	t.Cleanup(func() {
		d.disconnect()
		r.end(d.running.Close())
	})
}

// disconnect closes the connections of this deck's client and, as httptest does, those of the
// client that most people use: a server waits for connections that nobody has used yet.
func (d *Deck) disconnect() {
	d.client.CloseIdleConnections()
	http.DefaultClient.CloseIdleConnections()
}

// advice says how to come by a cassette that is not there.
func advice(t testing.TB, err error) string {
	if errors.Is(err, store.ErrNoStore) {
		return fmt.Sprintf("\nto pull it: %s=URL, or proxytest.Store in the test", StoreVariable)
	}
	if !errors.Is(err, cassettes.ErrNotFound) && !errors.Is(err, cassettes.ErrNoFolder) {
		return ""
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("\nto record it: %s=record go test -count=1 -run '^%s$', "+
		"with proxytest.Upstream in the test", Variable, test)
}
