package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
)

// branches are the stand-in as two hosts: the gateway, and an issuer's ACS, whose pages lead on
// in all the ways that pages do. Both answer /status. The hidden frames stay at the gateway: no
// profile knows a post to another host for one that changes nothing, and frames load in any order.
type branches struct {
	box     http.Handler
	gateway *httptest.Server
	acs     *httptest.Server
	shop    *httptest.Server // to which browsers return

	visits sync.Map // messages that browsers came to the ACS with, by a number of its own
}

func newBranches(t *testing.T, start func(http.Handler) *httptest.Server) *branches {
	t.Helper()
	box := sandbox.New(sandbox.Options{})
	t.Cleanup(box.Close)
	b := &branches{box: box, shop: newBrowserShop(t)}
	b.gateway = start(http.HandlerFunc(b.serveGateway))
	b.acs = start(http.HandlerFunc(b.serveACS))
	t.Cleanup(b.gateway.Close)
	t.Cleanup(b.acs.Close)
	return b
}

// ask asks the stand-in for a page of the gateway.
func (b *branches) ask(r *http.Request, path string) *httptest.ResponseRecorder {
	r = r.Clone(r.Context())
	at, err := url.Parse(b.gateway.URL)
	if err != nil {
		panic("the test server has no address")
	}
	r.Host, r.URL.Path = at.Host, path
	w := httptest.NewRecorder()
	b.box.ServeHTTP(w, r)
	return w
}

// send sends an answer of the stand-in with some of its text replaced.
func send(w http.ResponseWriter, got *httptest.ResponseRecorder, pairs ...string) {
	for name, values := range got.Header() {
		w.Header()[name] = values
	}
	body := strings.NewReplacer(pairs...).Replace(got.Body.String())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(got.Code)
	_, _ = io.WriteString(w, body)
}

// serveGateway is the gateway, which sends browsers to the issuer's own host. Who comes back
// must bring the cookie of the page that it has left from, if there was one.
func (b *branches) serveGateway(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/status" {
		_, _ = io.WriteString(w, `{"host":"gateway"}`)
		return
	}
	if _, err := r.Cookie("acs"); err == nil {
		http.Error(w, "the issuer's cookie came here", http.StatusBadRequest)
		return
	}
	own := b.gateway.URL + "/payment/acs/challenge"
	w.Header().Set("Access-Control-Allow-Origin", b.gateway.URL)
	got := b.ask(r, r.URL.Path)
	got.Header().Del("Content-Security-Policy") // of which one directive would not let it out
	if strings.HasPrefix(got.Header().Get("Content-Type"), "text/html") {
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("form-action 'self' %s; frame-src "+
			"'self' %s; upgrade-insecure-requests", b.acs.URL, b.acs.URL))
	}
	send(w, got, own, b.acs.URL+"/acs/challenge",
		`action="acs/challenge`, `action="`+b.acs.URL+`/acs/challenge`)
}

// serveACS is the issuer. The way to its question leads through a redirect, a refresh and a
// script, and it wants its cookie.
func (b *branches) serveACS(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	at := strings.TrimPrefix(b.acs.URL, "https://")
	at = strings.TrimPrefix(at, "http://")
	host, _, _ := strings.Cut(at, ":")
	step := strings.TrimPrefix(r.URL.Path, "/acs/")
	if step != "challenge" && r.URL.Path != "/status" {
		if c, err := r.Cookie("acs"); err != nil || c.Value == "" {
			http.Error(w, "the cookie is missing", http.StatusBadRequest)
			return
		}
	}
	body, _ := io.ReadAll(r.Body)
	visit := r.URL.Query().Get("visit")
	if step == "challenge" {
		visit = fmt.Sprintf("%032x", rand.Uint64()) // repeated by nobody
		b.visits.Store(visit, body)
	}
	h.Set("Content-Type", "text/html")
	h.Set("Strict-Transport-Security", "max-age=1000")
	// Browsers want those to be named too to whom the answer to a form redirects.
	h.Set("Content-Security-Policy", fmt.Sprintf("form-action 'self' %s %s; base-uri %s",
		b.gateway.URL, b.shop.URL, b.acs.URL))
	switch step {
	case "challenge":
		h.Set("Set-Cookie", "acs=yes; Domain="+host+"; Path=/acs; Secure; HttpOnly; SameSite=None")
		h.Set("Location", "/acs/refresh?visit="+visit)
		w.WriteHeader(http.StatusSeeOther)
	case "refresh":
		_, _ = fmt.Fprintf(w, `<!doctype html><meta http-equiv="refresh" content="0;url=/acs/script?visit=%s">`,
			visit)
	case "script":
		_, _ = fmt.Fprintf(w, `<!doctype html><script>window.location = "%s/acs/question?visit=%s"</script>`,
			strings.ReplaceAll(b.acs.URL, "/", `\/`), visit)
	case "question", "answer":
		if came, ok := b.visits.Load(visit); ok && step == "question" {
			step, body, r.Method = "challenge", came.([]byte), http.MethodPost
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		got := b.ask(r, "/payment/acs/"+step)
		got.Header().Del("Content-Security-Policy")
		send(w, got, `<meta charset="utf-8">`, `<meta charset="utf-8"><base href="/acs/">`,
			`action="../3ds/`, `action="//`+strings.SplitN(b.gateway.URL, "//", 2)[1]+`/payment/3ds/`)
	case "/status":
		_, _ = io.WriteString(w, `{"host":"acs"}`)
	default:
		http.NotFound(w, r)
	}
}
