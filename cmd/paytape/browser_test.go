package main

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
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
	o       deck.Options
	sandbox []*httptest.Server
	start   func(deck string) // the browsers, if they must know the deck before; else nil
}

// record lets the browsers pay while everything is recorded, and switches the sandboxes off.
func (h *theatre) record(pay func(p *payer, deck, run string)) {
	h.t.Helper()
	h.o.Dir = h.dir
	d := recordingFrom(h.t, h.o)
	h.payers(d.URL, []string{"A", "B"}, pay)
	if err := d.Close(); err != nil {
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
	d, err := deck.Start(h.t.Context(), deck.Options{
		Dir: h.dir, Cassettes: []string{"tape"}, Authority: h.o.Authority, Observe: h.missed,
		Tell: warned(h.t),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.payers(d.URL, []string{"C", "D"}, pay)
	if err := d.Close(); err != nil {
		h.t.Error(err)
	}
	if s := d.Summary().Stats; s.Hits == 0 {
		h.t.Errorf("counted %+v", s)
	}
}

// missed tells of a miss. When a browser asks for the icon of a site is its own affair, and so is
// how far the hidden frames of the payment page come before that goes on: a frame that came less
// far on tape, or in another state, is a miss which nobody sees.
func (h *theatre) missed(e proxy.Event) {
	frame := strings.HasPrefix(e.Operation, "threeDSMethod")
	if e.Kind == proxy.Missed && e.Target.String() != "/favicon.ico" && !frame {
		h.t.Errorf("%s missed: %s", e.Operation, e.Text)
	}
}

// payers lets browsers pay at once.
func (h *theatre) payers(deck string, runs []string, pay func(p *payer, deck, run string)) {
	h.t.Helper()
	if h.start != nil {
		h.start(deck)
	}
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

func TestBrowserLegs(t *testing.T) { // one browser test at a time: each has two tabs
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	gateway := httptest.NewServer(box)
	defer gateway.Close()
	h := &theatre{
		t: t, dir: t.TempDir(), shop: newBrowserShop(t), tabs: startChromium(t, browsers),
		o:       deck.Options{Upstreams: []string{gateway.URL}},
		sandbox: []*httptest.Server{gateway},
	}
	pay := func(p *payer, deck, run string) {
		p.payAll(run, 1)
		p.stayed(deck)
	}
	h.record(pay)
	h.replay(pay)
}

// TestBrowserLegsToAnotherHost has the ACS on a host of its own, which the deck serves under
// /_host/acs/. Replay knows of it by the tape.
func TestBrowserLegsToAnotherHost(t *testing.T) {
	b := newBranches(t, httptest.NewServer)
	h := &theatre{
		t: t, dir: t.TempDir(), shop: b.shop, tabs: startChromium(t, browsers),
		o: deck.Options{
			Upstreams: []string{b.gateway.URL}, Hosts: []string{"acs=" + b.acs.URL},
		},
		sandbox: []*httptest.Server{b.gateway, b.acs},
	}
	pay := func(p *payer, deck, run string) {
		for path, want := range map[string]string{"/": "gateway", "/_host/acs/": "acs"} {
			got := p.get("GET", deck+path+"status", "")
			if !strings.Contains(got, want) {
				p.t.Errorf("%sstatus is answered by %s", path, got)
			}
		}
		p.payAll(run, 2)
		p.stayed(deck)
	}
	h.record(pay)
	h.replay(pay)
}

// TestBrowserLegsThroughTheForwardDoor has the hosts hard-coded and reaches them through the
// deck as a proxy, in tunnels.
func TestBrowserLegsThroughTheForwardDoor(t *testing.T) {
	b := newBranches(t, httptest.NewTLSServer)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: b.gateway.Certificate().Raw}
	if err := os.WriteFile(ca, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	as := doorFlags{forward: true, caDir: t.TempDir(), secure: upstreamTLS{ca: ca}}
	if err := as.secure.check(); err != nil {
		t.Fatal(err)
	}
	ours, err := as.authority(voice{w: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	h := &theatre{
		t: t, dir: t.TempDir(), shop: b.shop, sandbox: []*httptest.Server{b.gateway, b.acs},
		o: deck.Options{
			Upstreams: []string{b.gateway.URL}, Hosts: []string{"acs=" + b.acs.URL},
			Authority: ours, UpstreamTLS: as.secure.config,
		},
	}
	shown, _ := pem.Decode(ours.PEM())
	authority, err := x509.ParseCertificate(shown.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	key := sha256.Sum256(authority.RawSubjectPublicKeyInfo)
	pay := func(p *payer, deck, run string) {
		p.base, p.client = b.gateway.URL, through(p.t, deck, ours)
		p.payAll(run, 2)
		p.stayed(b.gateway.URL, b.acs.URL)
	}
	h.start = func(deck string) {
		h.tabs = startChromium(t, browsers, chromedp.ProxyServer(deck),
			chromedp.Flag("proxy-bypass-list", "<-loopback>;"+strings.TrimPrefix(b.shop.URL, "http://")),
			chromedp.Flag("ignore-certificate-errors-spki-list",
				base64.StdEncoding.EncodeToString(key[:])))
	}
	h.record(pay)
	h.replay(pay)
}
