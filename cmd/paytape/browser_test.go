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

// browserTestbed is what a payment in a browser needs: a shop, browsers, and sandboxes that can be
// switched off.
type browserTestbed struct {
	t       *testing.T
	dir     string
	shop    *httptest.Server
	tabs    []*chromium
	o       deck.Options
	sandbox []*httptest.Server
	start   func(deck string) // the browsers, if they must know the deck before; else nil
}

// record lets the browsers pay while everything is recorded, and switches the sandboxes off.
func (tb *browserTestbed) record(pay func(p *checkout, deck, run string)) {
	tb.t.Helper()
	tb.o.Dir = tb.dir
	d := recordingFrom(tb.t, tb.o)
	tb.payAtOnce(d.URL, []string{"A", "B"}, pay)
	if err := d.Close(); err != nil {
		tb.t.Fatal(err)
	}
	for _, s := range tb.sandbox {
		s.Close()
	}
	checkNoSecrets(tb.t, tb.dir)
}

// replay lets them pay again. The deck is told nothing of the hosts on tape.
func (tb *browserTestbed) replay(pay func(p *checkout, deck, run string)) {
	tb.t.Helper()
	d, err := deck.Start(tb.t.Context(), deck.Options{
		Dir: tb.dir, Cassettes: []string{"tape"}, Authority: tb.o.Authority, Observe: tb.missed,
		Tell: warned(tb.t),
	})
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.payAtOnce(d.URL, []string{"C", "D"}, pay)
	if err := d.Close(); err != nil {
		tb.t.Error(err)
	}
	if s := d.Summary().Stats; s.Hits == 0 {
		tb.t.Errorf("counted %+v", s)
	}
}

// missed tells of a miss. When a browser asks for the icon of a site is its own affair, and so is
// how far the hidden frames of the payment page come before that goes on: a frame that came less
// far on tape, or in another state, is a miss which nobody sees.
func (tb *browserTestbed) missed(e proxy.Event) {
	frame := strings.HasPrefix(e.Operation, "threeDSMethod")
	if e.Kind == proxy.Missed && e.Target.String() != "/favicon.ico" && !frame {
		tb.t.Errorf("%s missed: %s", e.Operation, e.Text)
	}
}

// payAtOnce lets the browsers pay at the same time, one run in each.
func (tb *browserTestbed) payAtOnce(
	deck string, runs []string, pay func(p *checkout, deck, run string),
) {
	tb.t.Helper()
	if tb.start != nil {
		tb.start(deck)
	}
	var all sync.WaitGroup
	for i, run := range runs {
		tab := tb.tabs[i]
		tab.visited = nil
		all.Go(func() {
			pay(&checkout{chromium: tab, shop: tb.shop, base: deck, client: direct(tb.t)}, deck, run)
		})
	}
	all.Wait()
	if tb.t.Failed() {
		tb.t.FailNow()
	}
}

// direct is a client that uses no proxy.
func direct(t *testing.T) *http.Client {
	c := &http.Client{Transport: plainTransport(), Timeout: time.Minute}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// stayed checks that a browser went to some hosts and to no others.
func (c *checkout) stayed(urls ...string) {
	c.t.Helper()
	want := []string{strings.TrimPrefix(c.shop.URL, "http://")}
	for _, u := range urls {
		to, err := url.Parse(u)
		if err != nil {
			c.t.Fatal(err)
		}
		want = append(want, to.Host)
	}
	slices.Sort(want)
	if diff := gocmp.Diff(want, c.went()); diff != "" {
		c.t.Errorf("the browser went elsewhere (-want +got):\n%s", diff)
	}
}

func TestBrowserPayments(t *testing.T) { // one browser test at a time: each has two tabs
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	gateway := httptest.NewServer(box)
	defer gateway.Close()
	h := &browserTestbed{
		t: t, dir: t.TempDir(), shop: newBrowserShop(t), tabs: startChromium(t, browsers),
		o:       deck.Options{Upstreams: []string{gateway.URL}},
		sandbox: []*httptest.Server{gateway},
	}
	pay := func(p *checkout, deck, run string) {
		p.payAll(run, 1)
		p.stayed(deck)
	}
	h.record(pay)
	h.replay(pay)
}

// TestBrowserPaymentsAtAnotherHost has the ACS on a host of its own, which the deck serves under
// /_host/acs/. Replay knows of it by the tape.
func TestBrowserPaymentsAtAnotherHost(t *testing.T) {
	b := newBranches(t, httptest.NewServer)
	h := &browserTestbed{
		t: t, dir: t.TempDir(), shop: b.shop, tabs: startChromium(t, browsers),
		o: deck.Options{
			Upstreams: []string{b.gateway.URL}, Hosts: []string{"acs=" + b.acs.URL},
		},
		sandbox: []*httptest.Server{b.gateway, b.acs},
	}
	pay := func(p *checkout, deck, run string) {
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

// TestBrowserPaymentsThroughTheForwardDoor has the hosts hard-coded and reaches them through the
// deck as a proxy, in tunnels.
func TestBrowserPaymentsThroughTheForwardDoor(t *testing.T) {
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
	h := &browserTestbed{
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
	pay := func(p *checkout, deck, run string) {
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
