package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// entrance is the raw target of a request taken apart.
type entrance struct {
	// session is the name of the session, and base the path by which the client named it:
	// "one" and "/~one". Both are empty for a client without a session.
	session, base string
	// target is what an API knows of the target: it is below base, and below the name of a host.
	target string
}

// inbound is a request as a mode sees it: where and how it came to the deck, and what it is. It is
// made once for each request, by enter, and handed on.
type inbound struct {
	entrance
	began time.Time // when the mode was asked
	// origin is the deck's own: "http://127.0.0.1:8080". Its host is empty if the request does
	// not tell by which the client reached the deck.
	origin string
	known  bool // whether origin has a host
	// address is origin and target in one.
	address string
	// by is how the client came to address the request.
	by addressing
	// call is what the profiles recognise of the request.
	call profile.Call
	// ruled is what the rules have made of the request; nil if they have not looked at it.
	ruled *ruledRequest
}

// enter takes a request apart that came to a mode with a URL, and looks it up in profiles; nil
// knows nothing. With an error comes all that is known of the request, whose target then includes
// a session that is none.
func enter(req *http.Request, u *url.URL, set *profile.Set) (inbound, error) {
	if r := ruledOf(req); r != nil {
		at := r.at // the rules have asked before
		at.ruled = r
		return at, nil
	}
	at := inbound{began: time.Now(), by: addressingOf(req), known: u.Host != ""}
	var err error
	if at.by.entrance != nil {
		at.entrance = *at.by.entrance
	} else {
		at.entrance, err = parseTarget(rawTarget(u))
	}
	at.locate(u.Scheme, u.Host)
	if set != nil {
		at.call = set.Find(req.Method, pathOf(at.target))
	}
	return at, err
}

// locate makes origin and address, which share their memory, of the scheme and the host by which the
// client reached the deck.
func (at *inbound) locate(scheme, host string) {
	scheme, host = canonicalHost(scheme, host)
	slash := ""
	if !strings.HasPrefix(at.target, "/") {
		slash = "/"
	}
	at.address = scheme + "://" + host + slash + at.target
	at.origin = at.address[:len(scheme)+len("://")+len(host)]
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

// parseTarget takes a request target apart. A path that begins with /~NAME/ names a session, which
// an API never sees; every mode takes it off, so that a client may be recorded and replayed
// with one base URL. Some clients escape the tilde. A bad name leaves the target as it is.
func parseTarget(target string) (entrance, error) {
	e := entrance{target: target}
	mark := ""
	for _, m := range []string{"/~", "/%7E", "/%7e"} {
		if strings.HasPrefix(target, m) {
			mark = m
		}
	}
	if mark == "" {
		return e, nil
	}
	end := len(target)
	if i := strings.IndexAny(target[1:], "/?"); i >= 0 {
		end = i + 1
	}
	name := target[len(mark):end]
	if !sessionName(name) {
		return e, problemSession
	}
	e.session, e.base, e.target = name, target[:end], target[end:]
	if !strings.HasPrefix(e.target, "/") {
		e.target = "/" + e.target // "/~one" alone, or with a query
	}
	return e, nil
}

// SessionOf returns the session that a request target names; empty for none. The error says that what
// it names can be no session.
func SessionOf(target string) (string, error) {
	e, err := parseTarget(target)
	return e.session, err
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
