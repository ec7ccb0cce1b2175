package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// watcher is a person at the inspector of a deck: a tab in which keys are pressed.
type watcher struct {
	t      *testing.T
	ctx    context.Context
	at     *url.URL // of the page, without the token
	token  string
	close  func() // leaves the page; it may be called twice
	shown  *shownTexts
	folder string // of the pictures; "" for none

	mu         sync.Mutex // guards what follows
	complaints []string   // what the browser wrote into its console
	asked      []string   // addresses that were asked for
}

// shownTexts are what browsers were shown by name of the picture: the page, addresses and what is
// stored.
type shownTexts struct {
	mu    sync.Mutex // guards texts
	texts map[string]string
}

// copies keeps what the page copies where a test can see it.
const copies = `Object.defineProperty(navigator, 'clipboard', {value: {
	writeText: async (text) => { window.copied = text }}})`

// watch opens a page of the inspector in a tab of a browser, at 1440 by 900 pixels. The tab shares
// what is stored with the other tabs of its parent.
func (s *shownTexts) watch(
	t *testing.T, parent context.Context, address string, o ...chromedp.ContextOption,
) *watcher {
	t.Helper()
	tab, shut := chromedp.NewContext(parent, o...)
	t.Cleanup(shut)
	ctx, cancel := context.WithTimeout(tab, 3*time.Minute)
	t.Cleanup(cancel)
	w := &watcher{t: t, ctx: ctx, shown: s, folder: os.Getenv("PAYTAPE_SCREENSHOTS")}
	w.close = sync.OnceFunc(func() {
		shut()
		w.checkAddresses()
	})
	w.do("opening a tab")
	if err := chromedp.Listen(ctx, w.note); err != nil {
		t.Fatalf("listening to the browser: %v", err)
	}
	w.do("opening the page", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: copies})
		return err
	}), chromedp.EmulateViewport(1440, 900), chromedp.Navigate(address))
	t.Cleanup(w.close)
	return w
}

// openInspector opens the printed address of a page in a browser of its own, which then has the
// token.
func (s *shownTexts) openInspector(t *testing.T, parent context.Context, printed string) *watcher {
	t.Helper()
	w := s.watch(t, parent, printed, chromedp.WithNewBrowserContext())
	to, err := url.Parse(printed)
	if err != nil {
		t.Fatal("the address of the page is none")
	}
	_, w.token, _ = strings.Cut(strings.TrimSuffix(to.Path, "/inspect/"), "/")
	w.token, _, _ = strings.Cut(w.token, "/")
	w.at = to.JoinPath("/")
	w.at.Path = strings.Replace(to.Path, "/"+w.token, "", 1)
	w.wait(`document.querySelector('.connection.live')`)
	return w
}

// another opens a path of the same page in a new tab.
func (w *watcher) another(path string) *watcher {
	w.t.Helper()
	next := w.shown.watch(w.t, w.ctx, w.at.String()+path)
	next.at, next.token = w.at, w.token
	return next
}

// note keeps what a person would find in the console, and where requests go.
func (w *watcher) note(event any) {
	text := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, e.Request.URL)
		return
	case *runtime.EventConsoleAPICalled:
		text = string(e.Type)
		for _, arg := range e.Args {
			text += fmt.Sprintf(" %s%s", arg.Value, arg.Description)
		}
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
	case *log.EventEntryAdded:
		text = e.Entry.Text + " " + e.Entry.URL
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.complaints = append(w.complaints, text)
}

// forgive returns what the browser complained of, and forgets it.
func (w *watcher) forgive() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	complaints := w.complaints
	w.complaints = nil
	return complaints
}

// checkAddresses checks that the browser asked this page alone, that the token was in no address
// but the printed one, and that nothing was complained of.
func (w *watcher) checkAddresses() {
	for _, complaint := range w.forgive() {
		w.t.Errorf("the browser complains: %s", complaint)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, address := range w.asked {
		to, err := url.Parse(address)
		switch {
		case err != nil:
			w.t.Error("an address that is none was asked for")
		case to.Host != w.at.Host:
			w.t.Errorf("the page asked %s for something", to.Host)
		case i > 0 && strings.Contains(address, w.token):
			w.t.Error("the token is in an address")
		}
	}
	w.shown.add("addresses", strings.Join(w.asked[min(1, len(w.asked)):], "\n"))
}

func (s *shownTexts) add(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[name] += text + "\n"
}

// check searches everything that was shown for secrets.
func (s *shownTexts) check(t *testing.T, secrets ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		for _, secret := range secrets {
			if strings.Contains(s.texts[name], secret) {
				t.Errorf("%s: a secret that begins with %q is shown", name, secret[:4])
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s.texts[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checkNoSecrets(t, dir)
}

func (w *watcher) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.ctx, steps...); err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}

// press types strings: characters, and names of keys such as kb.Enter. A key goes down with its
// character, as it does under a finger: where the page takes the key, no field gets the character.
func (w *watcher) press(keys ...string) {
	w.t.Helper()
	for _, r := range strings.Join(keys, "") {
		w.do("pressing a key", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			events := kb.Encode(r)
			if len(events) == 3 {
				events[0].Text, events[0].UnmodifiedText = events[1].Text, events[1].UnmodifiedText
				events = slices.Delete(events, 1, 2)
			}
			for _, event := range events {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// tabTo presses Tab until an element that a selector names has the focus.
func (w *watcher) tabTo(selector string) {
	w.t.Helper()
	for range 200 {
		if read[bool](w, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
		w.press(kb.Tab)
	}
	w.fail("Tab does not lead to " + selector)
}

// read returns the value of an expression.
func read[T any](w *watcher, expression string) T {
	w.t.Helper()
	value, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// wait waits until an expression is true.
func (w *watcher) wait(expression string) {
	w.t.Helper()
	_, err := chromedp.Run(w.ctx, chromedp.Poll[bool]("Boolean("+expression+")",
		chromedp.WithPollingTimeout(time.Minute)))
	if err != nil {
		w.fail(fmt.Sprintf("waiting for %s: %v", expression, err))
	}
}

// see waits until the content of the page has texts.
func (w *watcher) see(texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		w.wait(fmt.Sprintf(`document.querySelector('main').innerText.includes(%q)`, text))
	}
}

// arrive waits until the page is at a path that matches a regular expression, and its screen has
// the focus, which it takes when it is drawn and has bound its keys.
func (w *watcher) arrive(path string) {
	w.t.Helper()
	w.wait(fmt.Sprintf(`new RegExp(%q).test(location.pathname) &&
		document.querySelector('.screen')?.contains(document.activeElement)`, path))
}

func (w *watcher) fail(what string) {
	w.t.Helper()
	w.picture("failed")
	w.t.Fatalf("%s; complaints: %q; %s shows:\n%.3000s", what, w.forgive(),
		read[string](w, "location.pathname"), read[string](w, "document.body.innerText"))
}

// theme makes the system of the reader light or dark.
func (w *watcher) theme(name string) {
	w.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
	w.do("theme "+name, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: features})
		return err
	}))
}

// picture takes a screenshot, for people to look at, and keeps what is shown, for the search for
// secrets. The token may be in the storage and nowhere else.
func (w *watcher) picture(name string) {
	w.t.Helper()
	text := read[string](w, `[location.href, document.title, document.documentElement.outerHTML,
		...[...document.querySelectorAll('input')].map((field) => field.value),
		...[sessionStorage, localStorage].flatMap((storage) => Object.entries(storage)
			.filter(([key]) => key !== 'paytape-token').flat()),
		document.cookie].join('\n')`)
	w.shown.add(name, text)
	if w.token != "" && strings.Contains(text, w.token) {
		w.t.Errorf("%s: the token is shown", name)
	}
	if w.folder == "" {
		return
	}
	shot, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(w.folder, "inspector-"+name+".png"), shot, 0o600)
	}
	if err != nil {
		w.t.Fatalf("taking a picture: %v", err)
	}
}
