package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/proxy/inspect/web"
)

// screenServer answers the API from a run that stands still, and notes what is changed.
type screenServer struct {
	*deck
	mu      sync.Mutex // guards what follows
	changed []string
	answers map[string]any
}

// openScreen opens a page of a run.
func openScreen(
	t *testing.T, run *checkoutRun, path string, width, height int64,
) (*screenServer, *tab) {
	t.Helper()
	s := &screenServer{answers: run.answers()}
	mux := http.NewServeMux()
	page := web.Handler("/")
	mux.Handle("/", page)
	mux.Handle("/"+testToken+"/", http.StripPrefix("/"+testToken, page))
	mux.HandleFunc("GET /api/events", s.events)
	mux.HandleFunc("GET /api/", s.get)
	mux.HandleFunc("POST /api/", s.post)
	s.deck = &deck{Server: httptest.NewServer(mux)}
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	b := openTab(t, s.deck, path, width, height)
	b.wait(`document.querySelector('h1')`)
	return s, b
}

func (s *screenServer) get(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer, ok := s.answers[strings.TrimPrefix(r.URL.Path, "/api/")]
	s.mu.Unlock()
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		answer = map[string]string{"error": "there is no such thing"}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// post notes what was asked for. A rule that is armed or disarmed is so from now on.
func (s *screenServer) post(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.RequestURI(), "/api/")
	s.changed = append(s.changed, path)
	rules := s.answers["rules"].(view.Rules)
	for i := range rules.Rules {
		name, act, _ := strings.Cut(strings.TrimPrefix(path, "rules/"), "/")
		if rules.Rules[i].Name == name {
			rules.Rules[i].Armed = act == "arm"
		}
	}
	saved := view.Saved{OK: true}
	if strings.Contains(path, "exchanges/37/resend") {
		saved.ID = 36
	}
	if status := s.answers["status"].(view.Status); status.Asks && path == "exchanges/37/resend" {
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "say sure=1"})
		return
	}
	_ = json.NewEncoder(w).Encode(saved)
}

// events tells the status, and nothing after it.
func (s *screenServer) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	s.mu.Lock()
	data, _ := json.Marshal(s.answers["status"])
	s.mu.Unlock()
	fmt.Fprintf(w, "event: status\ndata: %s\n\n", data)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func (s *screenServer) wasChanged(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.changed, path)
}

// screens are the deep links of all screens, and what each shows when it is there.
var screens = []struct{ name, path, shows string }{
	{"flow", "/flow/g12", "finish3dsVer2Payment.do"},
	{"compare", "/compare/g12/g17", "Compare with B-1050"},
	{"flow-table", "/flow/g12?tab=table", "threeDSMethod"},
	{"flow-values", "/flow/g12?tab=values", "authRefNum"},
	{"exchange", "/x/37", "cardAuthInfo"},
	{"exchange-value", "/x/37?side=answer&path=attributes.mdOrder", "Born in"},
	{"exchange-headers", "/x/37?tab=headers", "Paytape-Served"},
	{"exchange-raw", "/x/37?tab=raw", "as served"},
	{"why-miss", "/why/52", "What would mend it"},
	{"why-hit", "/why/42", "Recordings that came into question"},
	{"tape", "/tape/checkout", "What orders can do on this tape"},
	{"tape-table", "/tape/checkout?tab=table", "paymentorder.do, card 500000******1115"},
	{"rules", "/rules", "status-flaky"},
	{"callbacks", "/callbacks?callback=3", "refund unknown"},
}

// contains is an expression that is true when the page shows a text.
func contains(text string) string {
	return fmt.Sprintf(`document.querySelector('main').textContent.includes(%q)`, text)
}

// TestScreensByDeepLink opens each screen in a wide and in a narrow window, light and dark, looks for
// faults of accessibility, and takes pictures.
func TestScreensByDeepLink(t *testing.T) {
	for _, screen := range screens {
		t.Run(screen.name, func(t *testing.T) {
			_, b := openScreen(t, newCheckoutRun(), screen.path, 1440, 900)
			b.wait(contains(screen.shows))
			for _, theme := range []string{"light", "dark"} {
				b.theme(theme)
				b.picture(theme)
				b.checkAccessibility()
			}
		})
	}
}

// A link from elsewhere names one thing by its path. Its query cannot name another, or another call
// of the API.
func TestQueryOfALinkNamesNothingElse(t *testing.T) {
	_, b := openScreen(t, newCheckoutRun(), "/x/37?id=..%2Fwhy%2F52&name=rules", 1440, 900)
	b.wait(contains("cardAuthInfo"))
}

// TestScreensOnAPhone opens each screen at 390 pixels: nothing but diagrams and tables scrolls
// sideways.
func TestScreensOnAPhone(t *testing.T) {
	for _, screen := range screens {
		t.Run(screen.name, func(t *testing.T) {
			_, b := openScreen(t, newCheckoutRun(), screen.path, 390, 844)
			b.wait(contains(screen.shows) + ` || document.querySelector('[role=tab]')`)
			b.picture("phone")
			b.checkAccessibility()
			if wide := eval[int](b, `document.querySelector('.screen').scrollWidth`); wide > 390 {
				t.Errorf("the screen is %d pixels wide", wide)
			}
		})
	}
}

// checkAccessibility lets axe look at the page, if PAYTAPE_AXE names its script.
func (b *tab) checkAccessibility() {
	b.t.Helper()
	path := os.Getenv("PAYTAPE_AXE")
	if path == "" {
		return
	}
	script, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatalf("reading axe: %v", err)
	}
	b.accessible(string(script), "screen")
}

// TestScreensByKeyboard walks from a flow to an exchange, to the birth of a value, to the reason of a
// miss and to a rule that is armed, with keys alone.
func TestScreensByKeyboard(t *testing.T) {
	s, b := openScreen(t, newCheckoutRun(), "/compare/g12/g17", 1440, 900)
	focused := func(text string) string {
		return fmt.Sprintf(`(document.activeElement.getAttribute('aria-label') ??
			document.activeElement.textContent).includes(%q)`, text)
	}
	b.wait(contains("Compare with B-1050"))
	b.press("]")
	b.wait(focused("first sent otherwise"))
	b.press("[")
	b.wait(focused("first answer that differs"))
	b.press("j")
	b.wait(focused("#27 register.do"))
	b.press("t")
	b.wait(`document.querySelector('[role=tab][aria-selected=true]').textContent.includes('Table')`)
	b.press("s")
	b.wait(`document.querySelector('.seq')`)
	b.press("j", "j", kb.Enter)
	b.wait(`location.pathname === '/x/28' && ` + contains("Kinds of values"))
	b.press("j")
	b.wait(contains("Born in"))
	b.press(kb.Escape)
	b.wait(`location.pathname === '/x/28' && !document.querySelector('.hov')`)
	b.press("z")
	b.wait(contains("Show constants"))
	b.press("b")
	b.wait(`location.pathname === '/x/27'`)
	b.press("m")
	b.wait(contains("Why #52"))
	b.press("3")
	b.wait(contains("status-flaky"))
	eval[bool](b, `document.querySelector('[role=switch][aria-label=want-challenge]').focus() || true`)
	b.press(" ")
	b.wait(`document.querySelector('[aria-label=want-challenge]').getAttribute('aria-checked') === 'true'
		&& ` + focused("want-challenge"))
	b.press(">")
	b.wait(`document.querySelector('#say').textContent.includes('next callback')`)
	for _, path := range []string{"rules/want-challenge/arm", "callbacks/next"} {
		if !s.wasChanged(path) {
			t.Errorf("nobody asked for %s", path)
		}
	}
}

// TestTapeByKeyboard walks along the edges of a tape.
func TestTapeByKeyboard(t *testing.T) {
	_, b := openScreen(t, newCheckoutRun(), "/tape/checkout", 1440, 900)
	b.wait(`document.querySelector('.graph .state')`)
	at := `document.activeElement.getAttribute('aria-label')`
	eval[bool](b, `document.querySelector('.graph [tabindex="0"]').focus() || true`)
	for _, step := range []struct{ key, want string }{
		{kb.ArrowRight, "from registered to paid"},
		{kb.ArrowDown, "from registered to at the ACS"},
		{kb.ArrowRight, "at the ACS 5"},
		{kb.ArrowUp, "paid 2"},
		{kb.ArrowLeft, "to paid"},
	} {
		b.press(step.key)
		b.wait(fmt.Sprintf(`%s?.includes(%q)`, at, step.want))
	}
	b.press(kb.Enter)
	b.wait(contains("registered to paid"))
	b.press(kb.ArrowLeft, kb.ArrowLeft, kb.Enter)
	b.wait(contains("start to registered") + ` && document.querySelector(".rec a[href='/x/27']")`)
}

// TestResendAsks checks that nothing goes to a sandbox before a person has agreed.
func TestResendAsks(t *testing.T) {
	run := newCheckoutRun()
	s, b := openScreen(t, run, "/x/37", 1440, 900)
	b.wait(contains("Kinds of values"))
	status := run.status()
	status.Mode, status.Asks = "pass", true
	s.mu.Lock()
	s.answers["status"] = status
	s.mu.Unlock()
	b.do("loading again", chromedp.Reload())
	b.wait(contains("Kinds of values") + ` && document.body.textContent.includes('PASS')`)
	b.press("r")
	b.wait(`document.querySelector('dialog[open]')`)
	b.press(kb.Escape)
	b.wait(`!document.querySelector('dialog[open]')`)
	if s.wasChanged("exchanges/37/resend") {
		t.Error("the exchange was sent though nobody agreed")
	}
	b.press("r")
	b.wait(`document.querySelector('dialog[open]')`)
	eval[bool](b, `document.querySelector('dialog[open] button.main').focus() || true`)
	b.press(kb.Enter)
	b.wait(`location.pathname === '/x/36'`)
	if !s.wasChanged("exchanges/37/resend?sure=1") {
		t.Error("the exchange was not sent")
	}
}

// TestHostileScreens puts markup, scripts and long texts into every text of the traffic. All of them
// stay text.
func TestHostileScreens(t *testing.T) {
	for name, hostile := range map[string]string{
		"markup": `"><img src=x onerror="window.owned=1"><script>window.owned=1</script>` +
			`<style>*{display:none}</style>{{constructor}}` + "\u202e\u0000",
		"long": strings.Repeat("0123456789abcdef", 1<<10),
	} {
		t.Run(name, func(t *testing.T) {
			run := newCheckoutRun()
			run.hostile = hostile
			_, b := openScreen(t, run, "/why/52", 1440, 900)
			for _, screen := range screens {
				eval[bool](b, fmt.Sprintf(`history.pushState(null, '', %q);
					dispatchEvent(new PopStateEvent('popstate')); true`, screen.path))
				b.wait(`document.querySelector('.screen h1, .screen .graph') && !document.querySelector('[aria-busy]')`)
				if eval[bool](b, `'owned' in window || document.querySelectorAll('main :is(img, script, style)').length > 0`) {
					t.Errorf("%s: a text of the traffic is markup", screen.name)
				}
				if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 1440 {
					t.Errorf("%s: the page is %d pixels wide", screen.name, wide)
				}
				b.picture(screen.name)
			}
		})
	}
}
