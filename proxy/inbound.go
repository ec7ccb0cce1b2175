package proxy

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/paytape/paytape/proxy/internal/problem"
)

// inbound is where and how a request came to the deck.
type inbound struct {
	// origin is the deck's own: "http://127.0.0.1:8080". Its host is empty if the request does
	// not tell by which the client reached the deck.
	origin string
	// session is the name of the session, and base the path by which the client named it:
	// "one" and "/~one". Both are empty for a client without a session.
	session, base string
	// target is the raw request target below base: what an API knows of.
	target string
	known  bool // whether origin has a host
}

// deck returns the base URL at which the client reached the deck; empty if it is not known.
func (e inbound) deck() string {
	if !e.known {
		return ""
	}
	return e.origin + e.base
}

// maxSessionName bounds the name of a session, in bytes.
const maxSessionName = 64

// problemSession is the answer to a session that has no name or a wild one.
var problemSession = &problem.Problem{
	Code: http.StatusBadRequest, Kind: "session",
	Message: "the path names no session after its ~",
	Hint: "a session is /~NAME/ before the path of the API: up to 64 letters, digits, dots, " +
		"dashes and underscores",
}

// parseInbound takes a request target apart. A path that begins with /~NAME/ names a session, which
// an API never sees; every mode takes it off, so that a client may be recorded and replayed
// with one base URL. Some clients escape the tilde. A bad name leaves the target as it is.
func parseInbound(u *url.URL) (inbound, error) {
	e := inbound{
		origin: canonicalOrigin(u.Scheme, u.Host), target: rawTarget(u), known: u.Host != "",
	}
	mark := ""
	for _, m := range []string{"/~", "/%7E", "/%7e"} {
		if strings.HasPrefix(e.target, m) {
			mark = m
		}
	}
	if mark == "" {
		return e, nil
	}
	end := len(e.target)
	if i := strings.IndexAny(e.target[1:], "/?"); i >= 0 {
		end = i + 1
	}
	name := e.target[len(mark):end]
	if !sessionName(name) {
		return e, problemSession
	}
	e.session, e.base, e.target = name, e.target[:end], e.target[end:]
	if !strings.HasPrefix(e.target, "/") {
		e.target = "/" + e.target // "/~one" alone, or with a query
	}
	return e, nil
}

// sessionName reports whether a session may have a name. What such a name is made of needs
// no escape in a path, a header, a log or a page.
func sessionName(name string) bool {
	if name == "" || len(name) > maxSessionName || strings.Trim(name, ".") == "" {
		return false
	}
	for i := range len(name) {
		c := name[i] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && !(name[i] >= '0' && name[i] <= '9') && strings.IndexByte("-_.", name[i]) < 0 {
			return false
		}
	}
	return true
}
