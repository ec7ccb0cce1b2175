package web_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tab is a tab of a real browser, which notes what the page complains of.
type tab struct {
	t    *testing.T
	ctx  context.Context
	deck *deck

	mu         sync.Mutex // guards complaints
	complaints []string
}

// errNoBrowser says that nobody can look at the page.
var errNoBrowser = errors.New("no Chromium is installed: nobody looks at the page")

// browser is a browser without a window, for all tests of the package; TestMain ends it. It runs
// without its sandbox, which it needs as root, and finds no names of hosts.
var browser = sync.OnceValues(func() (context.Context, error) {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	if program == "" {
		return nil, errNoBrowser
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.NoSandbox, chromedp.ExecPath(program),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	starter, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, shut := chromedp.NewContext(starter)
	endBrowser = func() { shut(); stop() }
	return ctx, chromedp.Do(ctx)
})

var endBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	endBrowser()
	os.Exit(code)
}

// openTab opens the page of a deck at a path, in a tab with a memory of its own. At the end of the
// test nothing may have been complained of.
func openTab(t *testing.T, d *deck, path string, width, height int64) *tab {
	t.Helper()
	starter, err := browser()
	if errors.Is(err, errNoBrowser) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	opened, shut := chromedp.NewContext(starter, chromedp.WithNewBrowserContext())
	t.Cleanup(shut)
	ctx, cancel := context.WithTimeout(opened, 5*time.Minute)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, deck: d}
	b.do("opening a tab")
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatalf("listening to the browser: %v", err)
	}
	b.do("opening the page", chromedp.EmulateViewport(width, height),
		chromedp.Navigate(d.URL+"/"+testToken+path))
	t.Cleanup(func() {
		for _, complaint := range b.complained() {
			t.Errorf("the browser complains: %s", complaint)
		}
	})
	return b
}

// note keeps what a person would find in the console: errors, warnings, and what the policy of the
// page refused. Answers that are no 2xx are the business of each test.
func (b *tab) note(event any) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type != runtime.ConsoleAPICalledTypeError && e.Type != runtime.ConsoleAPICalledTypeWarning {
			return
		}
		for _, arg := range e.Args {
			text += fmt.Sprintf(" %s%s", arg.Value, arg.Description)
		}
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceNetwork {
			return
		}
		text = e.Entry.Text
	default:
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, text)
}

func (b *tab) complained() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.complaints)
}

func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// press types strings: characters, and names of keys such as kb.Enter. A key goes down with its
// character, as in a browser that a person uses: a page that takes the key keeps the character out
// of a field that has the focus afterwards.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, r := range strings.Join(keys, "") {
		b.do("pressing a key", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
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

// run runs statements in the page.
func (b *tab) run(statements string) {
	b.t.Helper()
	eval[bool](b, "(() => { "+statements+"; return true })()")
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+expression+")",
		chromedp.WithPollingTimeout(time.Minute)))
	if err != nil {
		b.picture("failed")
		b.t.Fatalf("waiting for %s: %v; complaints: %q; the page shows:\n%.2000s", expression, err,
			b.complained(), eval[string](b, "document.body.innerText"))
	}
}

// theme makes the system of the reader light or dark.
func (b *tab) theme(name string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
	b.do("theme "+name, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: features})
		return err
	}))
}

// picture writes a screenshot into the folder that PAYTAPE_SCREENSHOTS names, for people to look
// at.
func (b *tab) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("PAYTAPE_SCREENSHOTS")
	if folder == "" {
		return
	}
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatalf("taking a picture: %v", err)
	}
	name = strings.ReplaceAll(b.t.Name()+"-"+name, "/", "-") + ".png"
	if err := os.WriteFile(filepath.Join(folder, name), shot, 0o600); err != nil {
		b.t.Fatalf("writing a picture: %v", err)
	}
}

// firstRow is the text of the first line in sight.
const firstRow = `[...document.querySelectorAll('.rows .r')].find(r => r.getBoundingClientRect().top >= ` +
	`document.querySelector('.scroller').getBoundingClientRect().top - 1)`

// selected is the line that is selected.
const selected = `document.querySelector('.rows [aria-selected=true]')`
