package admin

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
)

// What people look at is below /inspect/: a page, which needs no token, and its API (package inspect).

// inspectAPI is where the API is.
const inspectAPI = "/inspect/api/"

// inspect answers a call of the API.
func (a *Admin) inspect(w http.ResponseWriter, req *http.Request) {
	d := a.deck.Load()
	if d == nil || d.Inspect == nil {
		fail(w, req, http.StatusServiceUnavailable, "starting")
		return
	}
	d.Inspect.ServeHTTP(w, req)
}

// fail answers a request that is refused: by JSON where the API answers so.
func fail(w http.ResponseWriter, req *http.Request, code int, text string) {
	if !strings.HasPrefix(req.URL.Path, inspectAPI) {
		http.Error(w, text, code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text}) // who has gone needs no answer
}

// pages is what needs no token: calls of our own, and the page of a deck that serves.
type pages struct {
	*http.ServeMux
	deck *atomic.Pointer[Deck]
}

// Handler returns what answers a request, and the pattern by which it does.
func (p *pages) Handler(req *http.Request) (http.Handler, string) {
	if h, pattern := p.ServeMux.Handler(req); pattern != "" {
		return h, pattern
	}
	if d := p.deck.Load(); d != nil && d.InspectOpen != nil {
		return d.InspectOpen.Handler(req)
	}
	return nil, ""
}

// ServeHTTP answers a request for which Handler has a pattern.
func (p *pages) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if _, pattern := p.ServeMux.Handler(req); pattern != "" {
		p.ServeMux.ServeHTTP(w, req)
		return
	}
	p.deck.Load().InspectOpen.ServeHTTP(w, req)
}
