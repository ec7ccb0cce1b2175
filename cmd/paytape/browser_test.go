package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
)

// browsers is how many browsers pay at once.
const browsers = 2

// theatre is what browsers walk through: a shop, browsers, and sandboxes that can be switched
// off.
type theatre struct {
	t       *testing.T
	dir     string
	shop    *httptest.Server
	tabs    []*chromium
	o       deckOptions
	sandbox []*httptest.Server
}

// record lets the browsers pay while everything is recorded, and switches the sandboxes off.
func (h *theatre) record(pay func(p *payer, deck, run string)) {
	h.t.Helper()
	d := recordingFrom(h.t, h.dir, h.o)
	h.payers(d.url, []string{"A", "B"}, pay)
	if _, err := d.eject(); err != nil {
		h.t.Fatal(err)
	}
	for _, s := range h.sandbox {
		s.Close()
	}
	sweep(h.t, h.dir)
}

// replay lets them pay again. The deck is told nothing of the hosts on tape.
func (h *theatre) replay(pay func(p *payer, deck, run string)) {
	h.t.Helper()
	tapes, err := loadTapes(shelf{h.o.knowledge, h.dir}, []string{"tape"},
		func(w string) { h.t.Error(w) })
	if err != nil {
		h.t.Fatal(err)
	}
	ln, err := listenLocal()
	if err != nil {
		h.t.Fatal(err)
	}
	through := h.o.passage
	through.hosts = nil
	d, err := startReplay(h.t.Context(), ln, replayOptions{
		knowledge: h.o.knowledge, passage: through,
		tape:      compile(tapes, match.Options{Profiles: h.o.profiles}),
		addresses: addressesOf(tapes), recorded: match.Hosts(cassettesOf(tapes)...),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.payers(d.url, []string{"C", "D"}, pay)
	if err := d.close(); err != nil {
		h.t.Error(err)
	}
	s := d.mode.Stats()
	if s.Misses != 0 || s.Hits == 0 {
		h.t.Errorf("counted %+v", s)
	}
}

// payers lets browsers pay at once.
func (h *theatre) payers(deck string, runs []string, pay func(p *payer, deck, run string)) {
	h.t.Helper()
	var all sync.WaitGroup
	for i, run := range runs {
		tab := h.tabs[i]
		tab.visited = nil
		all.Go(func() {
			pay(&payer{chromium: tab, shop: h.shop, base: deck, client: direct(h.t)}, deck, run)
		})
	}
	all.Wait()
	if h.t.Failed() {
		h.t.FailNow()
	}
}

// direct is a client that uses no proxy.
func direct(t *testing.T) *http.Client {
	c := &http.Client{Transport: plainTransport(), Timeout: time.Minute}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// stayed checks that a browser went to some hosts and to no others.
func (p *payer) stayed(urls ...string) {
	p.t.Helper()
	want := []string{strings.TrimPrefix(p.shop.URL, "http://")}
	for _, u := range urls {
		to, err := url.Parse(u)
		if err != nil {
			p.t.Fatal(err)
		}
		want = append(want, to.Host)
	}
	slices.Sort(want)
	if diff := gocmp.Diff(want, p.went()); diff != "" {
		p.t.Errorf("the browser went elsewhere (-want +got):\n%s", diff)
	}
}

func TestBrowserLegs(t *testing.T) {
	t.Parallel()
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	gateway := httptest.NewServer(box)
	defer gateway.Close()
	h := &theatre{
		t: t, dir: t.TempDir(), shop: newBrowserShop(t), tabs: startChromium(t, browsers),
		o:       deckOptions{knowledge: builtinKnowledge(t), upstreams: []string{gateway.URL}},
		sandbox: []*httptest.Server{gateway},
	}
	pay := func(p *payer, deck, run string) {
		p.payAll(run)
		p.stayed(deck)
	}
	h.record(pay)
	h.replay(pay)
}
