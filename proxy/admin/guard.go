package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// guard lets in whoever has the token, either as "Authorization: Bearer TOKEN" or as the first
// part of the path, so that one URL is all that a script or a scraper needs.
//
// A browser on this machine reaches this address for any page that it shows. Such a page
// cannot read answers, because nothing here allows other origins to; it cannot change anything,
// because requests of other origins that would are refused; and it cannot pass as of our own
// origin by a name of its own that leads here, because such names are refused.
type guard struct {
	token  [sha256.Size]byte
	hosts  []string
	open   *http.ServeMux // needs no token
	closed http.Handler
}

func newGuard(o Options, open, closed *http.ServeMux) *guard {
	hosts := []string{"localhost"}
	for _, name := range o.Hosts {
		hosts = append(hosts, strings.ToLower(name))
	}
	return &guard{
		token: sha256.Sum256([]byte(o.Token)), hosts: hosts, open: open,
		closed: http.NewCrossOriginProtection().Handler(closed),
	}
}

// protective are headers that keep a browser from doing more with an answer than showing it,
// and from telling another site of its address, which holds the token.
var protective = [...][2]string{
	{"Cache-Control", "no-store"},
	{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
}

func (g *guard) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	for _, h := range protective {
		w.Header().Set(h[0], h[1])
	}
	if !g.knows(req.Host) {
		http.Error(w, "this address is not known under that name: see --admin-host",
			http.StatusForbidden)
		return
	}
	if _, pattern := g.open.Handler(req); pattern != "" {
		g.open.ServeHTTP(w, req)
		return
	}
	inside, ok := g.enter(req)
	if !ok {
		w.Header().Set("WWW-Authenticate", `Bearer realm="paytape"`)
		http.Error(w, "the token is missing or wrong: it is part of the address that paytape "+
			"prints when it starts", http.StatusUnauthorized)
		return
	}
	g.closed.ServeHTTP(w, inside)
}

// knows reports whether a request may name this address so. A numeric address is no name, so
// nobody can make it lead here from elsewhere.
func (g *guard) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return slices.Contains(g.hosts, strings.TrimSuffix(host, "."))
}

// enter returns the request of someone who has the token, without it.
func (g *guard) enter(req *http.Request) (*http.Request, bool) {
	scheme, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") && g.is(strings.TrimSpace(token)) {
		return req, true
	}
	token, rest, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	if !g.is(token) {
		return nil, false
	}
	inside := *req
	at := *req.URL
	at.Path, at.RawPath = "/"+rest, ""
	inside.URL = &at
	return &inside, true
}

// is compares in a time that tells nothing of where, or whether by length, a token differs.
func (g *guard) is(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}
