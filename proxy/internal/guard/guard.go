// Package guard stands before an address at which a deck is looked after, and lets in whoever has
// the token.
//
// A browser on this machine reaches such an address for any page that it shows. Four things keep
// that page out:
//
//   - it does not know the token, which no answer, redirect, referrer or error repeats;
//   - a name of its own that leads here (rebinding) is refused, as all names are but known ones;
//   - what a page of another origin sends is refused, by Sec-Fetch-Site and Origin, be it a fetch,
//     a form or an image, and nothing here allows another origin to read an answer;
//   - no page can show an answer in a frame.
//
// Limit: whoever can read the memory or the terminal of the user has the token, and needs no page.
package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
)

// Options are what a guard is made of.
type Options struct {
	// Token opens all that is not open. It is "Authorization: Bearer TOKEN", or the first part of
	// the path, so that one URL is all that a script or a scraper needs. See CheckToken.
	Token string
	// Hosts are names, beside localhost, under which clients may reach the address, and HostFlag is
	// the flag with which an operator adds one.
	Hosts    []string
	HostFlag string
	// Fail answers a request that is refused. The path of the request has no token that is good.
	// Nil: with a line of text.
	Fail func(w http.ResponseWriter, req *http.Request, code int, text string)
}

// guard is a handler that lets in whoever has the token.
type guard struct {
	token    [sha256.Size]byte
	hosts    []string
	hostFlag string
	fail     func(w http.ResponseWriter, req *http.Request, code int, text string)
	open     Router // needs no token
	closed   http.Handler
}

// Router is a handler that says what it has patterns for, as an http.ServeMux does: for what it has
// none for, the pattern is empty.
type Router interface {
	http.Handler
	Handler(req *http.Request) (h http.Handler, pattern string)
}

// New returns a handler that asks open for what it has patterns for, whoever asks, and closed for
// all else, for clients with the token. Neither sees the token. It refuses to be made without a
// token that cannot be guessed.
func New(o Options, open Router, closed http.Handler) (http.Handler, error) {
	if err := CheckToken(o.Token); err != nil {
		return nil, err
	}
	g := &guard{
		token: sha256.Sum256([]byte(o.Token)), hosts: []string{"localhost"}, hostFlag: o.HostFlag,
		open: open, fail: o.Fail,
	}
	for _, name := range o.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(name))
	}
	if g.fail == nil {
		g.fail = func(w http.ResponseWriter, _ *http.Request, code int, text string) {
			http.Error(w, text, code)
		}
	}
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(g.refuseForeign))
	g.closed = crossOrigin.Handler(closed)
	return g, nil
}

// protective are headers of every answer, unless a page sets a policy of its own: they keep a
// browser from doing more with an answer than showing it, and from telling another site of its
// address, which may hold the token.
var protective = [...][2]string{
	{"Cache-Control", "no-store"},
	{"Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
}

// maxQuery bounds what is asked for, in bytes: a filter and the names of folded groups.
const maxQuery = 16 << 10

func (g *guard) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	for _, h := range protective {
		w.Header().Set(h[0], h[1])
	}
	if !g.knows(req.Host) {
		g.fail(w, req, http.StatusForbidden, "this address is not known under that name: see "+
			g.hostFlag)
		return
	}
	inside, has := g.enter(req)
	if _, pattern := g.open.Handler(inside); pattern != "" && isClean(inside.URL.Path) {
		g.open.ServeHTTP(w, inside)
		return
	}
	switch {
	case !has:
		w.Header().Set("WWW-Authenticate", `Bearer realm="paytape"`)
		g.fail(w, req, http.StatusUnauthorized, "the token is missing or wrong: it is part of the "+
			"address that paytape prints when it starts")
	case !isClean(inside.URL.Path):
		g.fail(w, inside, http.StatusNotFound, "there is nothing at that path")
	case len(inside.URL.RawQuery) > maxQuery:
		g.fail(w, inside, http.StatusRequestURITooLong, "the query is too long")
	case isForeign(inside):
		g.refuseForeign(w, inside)
	default:
		g.closed.ServeHTTP(w, inside)
	}
}

func (g *guard) refuseForeign(w http.ResponseWriter, req *http.Request) {
	g.fail(w, req, http.StatusForbidden, "a page of another origin has sent this request")
}

// isForeign reports whether a browser sends the request for a page of another origin, whatever the
// method. A client that is no browser does not say.
func isForeign(req *http.Request) bool {
	site := req.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}

// isClean reports whether a path is as it would be written after a redirect to it. A ServeMux
// redirects other paths, and repeats them in the answer.
func isClean(p string) bool {
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}

// knows reports whether a request may name this address so. A numeric address is no name, so nobody
// can make it lead here from elsewhere.
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

// enter returns the request as handlers see it, and whether it has the token. Of a request that has
// it nothing is left that holds it.
func (g *guard) enter(req *http.Request) (*http.Request, bool) {
	scheme, inHeader, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	has := strings.EqualFold(scheme, "Bearer") && g.is(strings.TrimSpace(inHeader))
	inside, at := *req, *req.URL
	inside.URL, inside.Header = &at, req.Header.Clone()
	inside.Header.Del("Authorization")
	inside.Header.Del("Referer")
	inPath, rest, _ := strings.Cut(strings.TrimPrefix(at.Path, "/"), "/")
	if g.is(inPath) {
		has, at.Path = true, "/"+rest
		escaped, ok := strings.CutPrefix(at.RawPath, "/"+inPath)
		if at.RawPath = ""; ok && strings.HasPrefix(escaped, "/") { // else the slash itself is escaped
			at.RawPath = escaped
		}
	}
	inside.RequestURI = at.RequestURI()
	return &inside, has
}

// is compares in a time that tells nothing of where, or whether by length, a token differs.
func (g *guard) is(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// minToken is how many characters a token has at least.
const minToken = 16

// CheckToken says what is wrong with a token, without repeating it.
func CheckToken(token string) error {
	if len(token) < minToken {
		return errors.New("a token has 16 characters or more")
	}
	for _, c := range []byte(token) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' {
			return errors.New("a token is made of letters, digits, dashes and underscores")
		}
	}
	return nil
}
