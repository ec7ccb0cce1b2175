package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// originRewriter is the deck as a browser sees it that came for the pages of a sandbox: all hosts
// of a flow have one origin there, and paths of their own below it. What the sandbox tells the
// browser of its own origin (cookies, policies) is made to hold there; without that, a browser
// would drop it, or be kept from where the page leads.
//
// Limits: one host's cookies with Path=/ are sent to the others too; cookies whose names begin with
// __Host- or __Secure- need a deck with TLS, or a browser that takes a loopback address for as
// good; a policy that allows scripts by their hash does not know a script in which an address was
// turned.
type originRewriter struct {
	all  *Upstreams // whose addresses stand in headers
	deck string     // "http://127.0.0.1:8080"
	path string     // below which the host is: of the session and of its name
	base string     // of the upstream: a path that clients do not see
}

// rewrite changes the header of an answer, whose values it leaves as they are: they may be shared.
func (g originRewriter) rewrite(h http.Header) {
	g.each(h, "Set-Cookie", g.cookie)
	g.each(h, "Content-Security-Policy", g.policy)
	g.each(h, "Content-Security-Policy-Report-Only", g.policy)
	g.each(h, "Access-Control-Allow-Origin", g.source)
	if g.secure() {
		// It would bind every other port of the deck's host. Without TLS browsers ignore it.
		delete(h, "Strict-Transport-Security")
	}
}

// concerns reports whether a header tells a browser anything of an origin.
func concerns(h http.Header) bool {
	return h["Set-Cookie"] != nil || h["Content-Security-Policy"] != nil ||
		h["Content-Security-Policy-Report-Only"] != nil ||
		h["Access-Control-Allow-Origin"] != nil || h["Strict-Transport-Security"] != nil
}

func (g originRewriter) secure() bool { return strings.HasPrefix(g.deck, "https:") }

// each replaces the values of a header that change.
func (g originRewriter) each(h http.Header, name string, change func(string) string) {
	values := h[name]
	for i, value := range values {
		if to := change(value); to != value {
			values = slices.Clone(values)
			values[i] = to
			h[name] = values
		}
	}
}

// cookie makes a cookie one that a browser takes from the deck and brings back to the host. A cookie
// that a browser does not lose stays as it is, and so does what no change would save.
func (g originRewriter) cookie(value string) string {
	parts := strings.Split(value, ";")
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(parts[0])), "=")
	if strings.HasPrefix(name, "__host-") {
		return value // it has no Domain, and with another Path no browser takes it
	}
	// Browsers take Secure over TLS alone, and the other two with Secure alone.
	secured := !g.secure() && !strings.HasPrefix(name, "__secure-") &&
		slices.ContainsFunc(parts[1:], func(part string) bool {
			return strings.EqualFold(strings.TrimSpace(part), "secure")
		})
	kept := parts[:1]
	for _, part := range parts[1:] {
		name, text, _ := strings.Cut(strings.TrimSpace(part), "=")
		text = strings.TrimSpace(text)
		switch name := strings.ToLower(strings.TrimSpace(name)); {
		case name == "domain" && text != "" && !g.within(text):
			continue
		case name == "path":
			if to := g.at(text); to != text {
				part = " Path=" + to
			}
		case !secured:
		case name == "secure", name == "partitioned",
			name == "samesite" && strings.EqualFold(text, "none"):
			continue
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, ";")
}

// within reports whether the deck is in the domain of a cookie.
func (g originRewriter) within(domain string) bool {
	domain = strings.ToLower(strings.TrimPrefix(domain, "."))
	to, err := url.Parse(g.deck)
	return err == nil && (to.Hostname() == domain || strings.HasSuffix(to.Hostname(), "."+domain))
}

// at returns where the deck has a path of the host, for a cookie.
func (g originRewriter) at(path string) string {
	switch {
	case g.path+g.base == "" || !strings.HasPrefix(path, "/"):
		return path
	case underBase(path, g.base):
		path = path[len(g.base):]
	case underBase(g.base, strings.TrimSuffix(path, "/")):
		path = "" // of the whole host, or at least of more than is served here
	default:
		return path
	}
	if path = g.path + strings.TrimSuffix(path, "/"); path == "" {
		return "/"
	}
	return path
}

// policy makes a content security policy allow at the deck what it allows at the sandbox.
func (g originRewriter) policy(value string) string {
	directives := strings.Split(value, ";")
	var kept []string
	for _, d := range directives {
		sources := strings.Split(d, " ")
		if !g.secure() && strings.EqualFold(strings.TrimSpace(d), "upgrade-insecure-requests") {
			continue // to the deck itself
		}
		named := false // the first word is the name of the directive
		for i, s := range sources {
			if s != "" && named {
				sources[i] = g.source(s)
			}
			named = named || s != ""
		}
		kept = append(kept, strings.Join(sources, " "))
	}
	return strings.Join(kept, ";")
}

// source leads a source of a policy to the deck; where it means more than one sandbox, the deck
// is added.
func (g originRewriter) source(s string) string {
	if _, _, ok := g.all.split(s); ok {
		return g.deck
	}
	if scheme, host, ok := strings.Cut(s, "://"); ok || strings.Contains(s, ".") {
		if !ok {
			scheme, host = "", s
		}
		switch host, _, _ = strings.Cut(host, "/"); {
		case g.all.has(scheme, host):
			return g.deck
		case strings.HasPrefix(host, "*.") && g.all.below(host[1:]):
			return s + " " + g.deck
		}
	}
	if strings.EqualFold(s, "https:") && !g.secure() {
		return s + " " + g.deck
	}
	return s
}

// has reports whether a host, with its port, is that of an upstream. An empty scheme is any.
func (u *Upstreams) has(scheme, host string) bool {
	if scheme == "" {
		return u.has("https", host) || u.has("http", host)
	}
	at := canonicalOrigin(scheme, host)
	return slices.ContainsFunc(u.all, func(up *Upstream) bool { return up.Origin == at })
}

// below reports whether an upstream is in a domain, which begins with a dot.
func (u *Upstreams) below(domain string) bool {
	return slices.ContainsFunc(u.all, func(up *Upstream) bool {
		name, _, _ := strings.Cut(up.host, ":")
		return strings.HasSuffix(name, strings.ToLower(domain))
	})
}
