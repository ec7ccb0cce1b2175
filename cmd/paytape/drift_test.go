package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/mock"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/drift"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/verify"
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

// TestDriftOfCallbacks compares two recordings of a shop that is called back, and one in which the sandbox
// says something else. verify receives no callback, and says how many are on tape.
func TestDriftOfCallbacks(t *testing.T) {
	t.Parallel()
	o := drift.Options{Profiles: builtinKnowledge(t).profiles()}
	var tapes [2]match.Cassette
	for i := range tapes {
		tape, err := builtinKnowledge(t).loadTape(recordCallbacks(t), "shop", func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		tapes[i] = cassetteOf(tape)
	}
	a, b := drift.Read(o, tapes[0]), drift.Read(o, tapes[1])
	if r := drift.Compare(a, b); !r.Equal() || r.Same != 5 {
		t.Errorf("two recordings differ:\n%s", diffText(r))
	}
	if a.Text() != b.Text() || !strings.Contains(a.Text(), "\ncallback deposited\n") {
		t.Errorf("the texts are\n%s\n%s", a.Text(), b.Text())
	}
	for _, x := range tapes[1].Exchanges {
		if x.Meta.Callback != nil {
			x.Request.URL = strings.Replace(x.URL, "amount=12500", "amount=125.00&fee=1", 1)
		}
	}
	r := drift.Compare(a, drift.Read(o, tapes[1]))
	if len(r.Changes) == 0 || r.Changes[0].Side != drift.SideCallback {
		t.Errorf("the changes are %+v", r.Changes)
	}
	plan, err := verify.NewPlan(verify.Options{
		Profiles: o.Profiles, Cleaner: builtinKnowledge(t).redactor(), Route: routeTo(t, "http://127.0.0.1:1"),
	}, tapes[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, callbacks := plan.Skipped(); callbacks != 2 || plan.Len() != 3 {
		t.Errorf("%d callbacks are left out, %d requests are sent", callbacks, plan.Len())
	}
}

// routeTo returns the way to an address.
func routeTo(t *testing.T, address string) proxy.Route {
	t.Helper()
	boxes, err := deck.Reach(t.Context(), deck.ReachOptions{Upstreams: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = boxes.Close() })
	return boxes.Route()
}

// TestDriftInMarkup plants changes into XML and SOAP.
func TestDriftInMarkup(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ api, old, new, want string }{
		{"soap", "</pay:approvalCode>", "</pay:approvalCode><pay:fee>0</pay:fee>",
			"added answer Envelope.Body.AuthorizeResponse.fee"},
		{"soap", "<pay:approvalCode>[^<]*</pay:approvalCode>", "",
			"removed answer Envelope.Body.AuthorizeResponse.approvalCode"},
		{"xml", "</approval>", "</approval><fee><net>1</net><vat>2</vat></fee>", "added answer saleResponse.fee"},
		{"xml", "<approval>", "<approval kind=\"new\">", "added answer saleResponse.approval.@kind"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			api, _ := mock.Named(tt.api)
			c := recordMock(t, api, 1, "tape")
			server := api.New(mock.Options{Seed: 5})
			defer server.Close()
			change, done := plantedChange{old: tt.old, new: tt.new}.planter(false)
			r := verifiedAt(t, server, c, change)
			if done.Load() != 1 || len(r.Changes) != 1 || fmt.Sprintf("%s %s %s", r.Changes[0].Grade,
				r.Changes[0].Side, r.Changes[0].Path) != tt.want {
				t.Errorf("want %s, found:\n%s", tt.want, verifyText(r))
			}
		})
	}
}
