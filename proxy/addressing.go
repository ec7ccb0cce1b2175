package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/internal/authority"
)

// hostPrefix is the path of the reverse door under which the hosts with a name are served.
const hostPrefix = "/_host/"

// addressing is how a client came to address a request. A request without an addressing has a path
// of the deck's own address, whose upstream is the upstream that owns the path.
type addressing struct {
	all *Upstreams
	// up is what the client named; nil where the path decides.
	up *Upstream
	// forward is set for requests that came through the forward door, whose clients use the
	// addresses of the sandboxes themselves.
	forward bool
	// alias is the origin that stands for up at the forward door, where the client does not
	// use the address of up itself; empty otherwise.
	alias string
	// entrance is the target of the request, if it had to be taken apart to know up; nil if that
	// is for the mode to do.
	entrance *entrance
}

type addressingKey struct{}

// by returns a request that was addressed so.
func (w *addressing) by(req *http.Request) *http.Request {
	return req.WithContext(context.WithValue(req.Context(), addressingKey{}, w))
}

// addressingOf returns how a request was addressed; the zero addressing if nothing is noted.
func addressingOf(req *http.Request) addressing {
	if w, ok := req.Context().Value(addressingKey{}).(*addressing); ok {
		return *w
	}
	return addressing{}
}

// own reports whether the client uses the sandbox's own address.
func (w addressing) own() bool { return w.forward && w.alias == "" }

// origin returns the origin at which a client that came this way reached the deck; empty if
// it is not known or the client uses the sandbox's own address.
func (w addressing) origin(at inbound) string {
	switch {
	case w.forward:
		return w.alias
	case at.known:
		return at.origin
	}
	return ""
}

// deck is origin with the path of a session; empty if origin is.
func (w addressing) deck(at inbound) string {
	if origin := w.origin(at); origin != "" {
		return origin + at.base
	}
	return ""
}

// prefix is the path under which this way finds its upstream at the deck's own address.
func (w addressing) prefix() string {
	if w.forward || w.up == nil {
		return ""
	}
	return hostPrefix + w.up.Name
}

// address returns the base URL under which a client finds an upstream, given the origin and
// the path of a session by which it reached the deck; empty if that is the upstream's own.
func (w addressing) address(origin, base string, up *Upstream) string {
	switch {
	case origin == "" || w.forward && (w.up.Origin != up.Origin || w.up.Base != up.Base):
		return ""
	case !w.forward && up.Name != "":
		return origin + base + hostPrefix + up.Name
	}
	return origin + base
}

// bases returns all base URLs, the longest first, under which a client finds upstreams that
// are not simply at the deck's address.
func (w addressing) bases(at inbound) []string {
	if w.all == nil {
		return nil
	}
	var all []string
	for _, up := range w.all.all {
		base := w.address(w.origin(at), at.base, up)
		if base == "" && w.forward {
			base = up.Origin + up.Base
		}
		if base != "" && base != w.deck(at) {
			all = append(all, base)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// named returns the upstream with a name.
func (u *Upstreams) named(name string) (*Upstream, bool) {
	i := slices.IndexFunc(u.all, func(up *Upstream) bool { return name != "" && up.Name == name })
	if i < 0 {
		return nil, false
	}
	return u.all[i], true
}

// nameOf returns the name of an upstream that is not that of an API as well; "" for others. Of
// the names of one address the first counts.
func (u *Upstreams) nameOf(up *Upstream) string {
	for _, other := range u.all {
		if other.Origin == up.Origin && other.Base == up.Base {
			return other.Name
		}
	}
	return up.Name
}

// aliasesOf returns the names that stand for an upstream which has no name of its own.
func (u *Upstreams) aliasesOf(up *Upstream) []string {
	if u.nameOf(up) != "" {
		return nil
	}
	var names []string
	for _, other := range u.all {
		if other.Name != "" && other.Origin == up.Origin && other.Base == up.Base {
			names = append(names, other.Name)
		}
	}
	return names
}

// knows reports whether clients of the forward door find anything at an origin.
func (u *Upstreams) knows(origin string) bool {
	if _, ok := u.aliased(origin); ok {
		return true
	}
	return slices.ContainsFunc(u.all, func(up *Upstream) bool { return up.Origin == origin })
}

// aliased returns the upstream whose name is the host of an origin, which has no port.
func (u *Upstreams) aliased(origin string) (*Upstream, bool) {
	_, host, _ := strings.Cut(origin, "://")
	return u.named(host)
}

// through returns the addressing of a request at the forward door, and the target without what is
// the upstream's base path.
func (u *Upstreams) through(origin, target string) (*addressing, string, bool) {
	path := strings.TrimPrefix(target, "*") // which no address has
	if n, up, ok := u.split(origin + path); ok {
		if path != "" {
			target = rooted(path[n-len(origin):])
		}
		return &addressing{all: u, up: up, forward: true}, target, true
	}
	if up, ok := u.aliased(origin); ok {
		return &addressing{all: u, up: up, forward: true, alias: origin}, target, true
	}
	return nil, "", false
}

// rooted makes a target of what follows a base path.
func rooted(rest string) string {
	if rest == "*" || strings.HasPrefix(rest, "/") {
		return rest
	}
	return "/" + rest
}

// inHost takes apart a target such as "/_host/acs/path?query".
func inHost(target string) (name, rest string, ok bool) {
	after, ok := strings.CutPrefix(target, hostPrefix)
	if !ok {
		return "", "", false
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	return after[:end], rooted(after[end:]), true
}

// AddHosts adds hosts that belong to a flow beside the APIs, such as the page of an issuer,
// as the command line names them: NAME=URL. The reverse door serves one under
// /_host/NAME/; at the forward door it is found under its own address, and under NAME as a
// host. Errors repeat nothing of a URL.
func (u *Upstreams) AddHosts(specs []string) error {
	for i, spec := range specs {
		up, err := parseUpstream(spec)
		if !strings.Contains(spec, "=") {
			err = errNoName // whatever else is wrong
		}
		if err == nil {
			up.Name, up.Profile = strings.ToLower(up.Profile), ""
			err = u.checkHost(up.Name)
		}
		if err != nil {
			return fmt.Errorf("reading host %d: %w", i+1, err)
		}
		u.all = append(u.all, up)
	}
	return nil
}

var errNoName = errors.New("it has no name: write NAME=URL")

func (u *Upstreams) checkHost(name string) error {
	if _, taken := u.named(name); taken {
		return fmt.Errorf("there is one already with the name %q", name)
	}
	switch {
	case name == "":
		return errNoName
	case !authority.HostName(name):
		return errors.New("the name before '=' must be one that a host can have")
	}
	return nil
}

// Addresses returns upstreams that are never dialled: the base addresses on tapes, by which
// clients of the forward door ask for them. What is no address of a host is left out: tapes
// of other programs hold such.
func Addresses(urls []string) *Upstreams {
	u := &Upstreams{}
	for _, address := range urls {
		if up, err := parseUpstream(address); err == nil && up.Profile == "" {
			u.all = append(u.all, up)
		}
	}
	return u
}

// Hosts serves the hosts with a name under /_host/NAME/ and hands all other requests to a
// door as they are.
type Hosts struct {
	door    http.Handler
	all     *Upstreams
	observe func(Event)
}

// NewHosts returns a handler that puts hosts with a name before a door. observe is told of requests for
// names that there are none of; nil means that nobody is told.
func NewHosts(door http.Handler, all *Upstreams, observe func(Event)) *Hosts {
	return &Hosts{door, all, observe}
}

// ServeHTTP notes which host a request is for and hands it to the door. The path of a session
// comes first, and stays for the mode.
func (h *Hosts) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if addressingOf(req).forward { // its client knows no paths of the deck's
		h.door.ServeHTTP(w, req)
		return
	}
	by := &addressing{all: h.all}
	e, err := parseTarget(req.RequestURI)
	if err != nil {
		h.door.ServeHTTP(w, by.by(req)) // the mode refuses a session that is none
		return
	}
	by.entrance = &e
	if name, rest, ok := inHost(e.target); ok {
		if by.up, ok = h.all.named(strings.ToLower(name)); !ok {
			refuse(h.observe, w, req, problemHostName)
			return
		}
		e.target = rest
		req = by.by(req)
		req.RequestURI = e.base + rest
	} else {
		req = by.by(req)
	}
	h.door.ServeHTTP(w, req)
}

// Named reports whether there are hosts with a name.
func (u *Upstreams) Named() bool {
	return slices.ContainsFunc(u.all, func(up *Upstream) bool { return up.Name != "" })
}

// Has reports whether there is a host with a name.
func (u *Upstreams) Has(name string) bool {
	_, ok := u.named(name)
	return ok
}

// AddRecorded adds the hosts with a name that are on tape, unless there is one of the name.
func (u *Upstreams) AddRecorded(hosts []match.Host) {
	for _, h := range hosts {
		up, err := parseUpstream(h.Address)
		if err != nil || u.checkHost(h.Name) != nil {
			continue // somebody wrote the tape by hand
		}
		up.Name = h.Name
		u.all = append(u.all, up)
	}
}

// rewriterFor returns the deck as a browser sees it that came this way for an upstream. A browser
// that uses the deck as a proxy finds the other upstreams at their own addresses.
func (w addressing) rewriterFor(all *Upstreams, at inbound, up *Upstream) originRewriter {
	if w.forward {
		all = &Upstreams{all: []*Upstream{up}}
	}
	origin := w.origin(inbound{origin: at.origin, known: true})
	return originRewriter{all, origin, at.base + w.prefix(), up.Base}
}

// recordedAt returns the sandbox that an answer is from.
func recordedAt(a *match.Answer) *Upstream {
	up, err := parseUpstream(a.Address)
	if err != nil {
		return &Upstream{} // a tape of another program
	}
	return up
}

// hostFinder returns what finds hosts on tape for a client that came this way; nil if all of them
// are at the deck.
func (w addressing) hostFinder(at inbound) func(match.Host) string {
	if w.all == nil {
		return nil
	}
	origin, base := w.origin(at), at.base
	return func(h match.Host) string {
		up := w.all.recorded(h)
		switch {
		case origin == "":
			return ""
		case up == nil, h.Name == "" && w.standsForAll():
			return origin + base
		}
		return w.address(origin, base, up)
	}
}

// standsForAll reports whether the client named a host that is not on tape: it stands for the
// APIs that are.
func (w addressing) standsForAll() bool {
	return w.alias != "" && w.all.recorded(match.Host{Address: w.up.Origin + w.up.Base}) == nil
}

// recorded returns the upstream that stands for a host on tape; nil if none does.
func (u *Upstreams) recorded(h match.Host) *Upstream {
	if up, ok := u.named(h.Name); ok {
		return up
	}
	i := slices.IndexFunc(u.all, func(up *Upstream) bool {
		return up.Name == "" && up.Origin+up.Base == h.Address
	})
	if i < 0 {
		return nil
	}
	return u.all[i]
}
