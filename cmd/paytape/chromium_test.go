package main

import (
	"context"
	"net/url"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// chromium is a tab of a real browser, with cookies of its own.
type chromium struct {
	t   *testing.T
	ctx context.Context

	mu      sync.Mutex // guards visited
	visited []string   // hosts that were asked for anything
}

// startChromium starts a browser without a window and opens so many tabs. It runs without its
// sandbox, which it needs as root, and finds no names of hosts: it only ever sees pages of this
// test.
func startChromium(t *testing.T, tabs int, more ...chromedp.ExecAllocatorOption) []*chromium {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("Chromium is not installed: no browser walks through the deck")
	}
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:],
		[]chromedp.ExecAllocatorOption{
			chromedp.NoSandbox, chromedp.ExecPath(path),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		}, more)
	starter, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	first := openTab(t, starter)
	all := []*chromium{first}
	for len(all) < tabs {
		all = append(all, openTab(t, first.ctx, chromedp.WithNewBrowserContext()))
	}
	return all
}

func openTab(t *testing.T, parent context.Context, options ...chromedp.ContextOption) *chromium {
	t.Helper()
	tab, shut := chromedp.NewContext(parent, options...)
	t.Cleanup(shut)
	ctx, cancel := context.WithTimeout(tab, 3*time.Minute)
	t.Cleanup(cancel)
	b := &chromium{t: t, ctx: ctx}
	b.do("opening a tab")
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatalf("listening to the browser: %v", err)
	}
	return b
}

// note notes to whom a request goes.
func (b *chromium) note(event any) {
	e, ok := event.(*network.EventRequestWillBeSent)
	if !ok {
		return
	}
	to, err := url.Parse(e.Request.URL)
	if err != nil || to.Scheme == "data" || to.Scheme == "about" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.visited, to.Host) {
		b.visited = append(b.visited, to.Host)
	}
}

// went returns the hosts that the browser went to, sorted.
func (b *chromium) went() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(slices.Values(b.visited))
}

func (b *chromium) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		at, _ := chromedp.Run(b.ctx, chromedp.Location())
		if to, err := url.Parse(at); err == nil {
			at = to.Path // a query holds live values
		}
		b.t.Errorf("%s: %v; the browser is at %q", what, err, at)
		b.t.FailNow()
	}
}

// fill types a card into the payment page and pays.
func (b *chromium) fill(card string) {
	b.t.Helper()
	type css = chromedp.CSS
	b.do("filling in the form",
		chromedp.WaitVisible(css(`input[name="TEXT"]`)),
		chromedp.SendKeys(css(`input[name="$PAN"]`), card),
		chromedp.SendKeys(css(`input[name="MM"]`), "12"),
		chromedp.SendKeys(css(`input[name="YYYY"]`), "2030"),
		chromedp.SendKeys(css(`input[name="$CVC"]`), "123"),
		chromedp.SendKeys(css(`input[name="TEXT"]`), "Test Person"),
		chromedp.Click(css(`button`)))
}

// answer answers the ACS.
func (b *chromium) answer(password string) {
	b.t.Helper()
	b.do("answering the ACS",
		chromedp.WaitVisible(chromedp.CSS(`input[name="password"]`)),
		chromedp.SendKeys(chromedp.CSS(`input[name="password"]`), password),
		chromedp.Click(chromedp.CSS(`button[value="confirm"]`)))
}

// atShop waits for the shop's page and returns how it was opened.
func (b *chromium) atShop() string {
	b.t.Helper()
	b.do("waiting for the shop", chromedp.WaitVisible(chromedp.CSS(`#shop`)))
	got, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS(`#shop`)))
	if err != nil {
		b.t.Fatalf("reading the shop's page: %v", err)
	}
	return got
}
