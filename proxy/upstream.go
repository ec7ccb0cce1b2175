package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/internal/transport"
)

// Upstream is one sandbox that requests may be forwarded to.
type Upstream struct {
	// Profile is the name of the API whose paths go there; empty for every path that no
	// other upstream owns.
	Profile string
	// Name is that of a host which belongs to a flow beside the APIs: its requests come by
	// name and not by path. Empty for the sandboxes of the APIs.
	Name string
	// Origin is scheme and host in lower case, without a default port:
	// "https://sandbox.example".
	Origin string
	// Base is a path put in front of the path of each request: "" or "/base". Profiles and
	// replay know nothing of it: they speak of paths as the client asks for them.
	Base string

	scheme, host string // of Origin
}

// Upstreams are all sandboxes of a deck. The zero Upstreams finds nothing.
type Upstreams struct {
	set *profile.Set
	all []*Upstream
}

// ParseUpstreams reads upstreams as the command line names them: URL for every path that no
// other upstream owns, or PROFILE=URL for the paths of one API. Its errors repeat nothing of
// a URL, which might hold a password.
func ParseUpstreams(set *profile.Set, specs []string) (*Upstreams, error) {
	if len(specs) == 0 {
		return nil, errors.New("no upstream is given")
	}
	u := &Upstreams{set: set}
	for i, spec := range specs {
		up, err := parseUpstream(spec)
		if err == nil {
			err = u.add(up)
		}
		if err != nil {
			return nil, fmt.Errorf("reading upstream %d: %w", i+1, err)
		}
	}
	return u, nil
}

// add checks an upstream against the profiles and against those before it.
func (u *Upstreams) add(up *Upstream) error {
	if up.Profile != "" {
		var known []string
		for _, p := range u.set.Profiles() {
			known = append(known, p.Name)
		}
		if !slices.Contains(known, up.Profile) {
			return fmt.Errorf("profile %q is unknown: known are %s",
				up.Profile, strings.Join(known, ", "))
		}
	}
	for _, other := range u.all {
		if other.Profile != up.Profile || other.Name != "" {
			continue
		}
		if up.Profile == "" {
			return errors.New("there is one already for all paths: write PROFILE=URL")
		}
		return fmt.Errorf("there is one already for profile %q", up.Profile)
	}
	u.all = append(u.all, up)
	return nil
}

func parseUpstream(spec string) (*Upstream, error) {
	name, address := "", spec
	if before, after, found := strings.Cut(spec, "="); found &&
		!strings.ContainsAny(before, ":/?#@") {
		name, address = before, after
		if name == "" {
			return nil, errors.New("the name before '=' is empty")
		}
	}
	to, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("it is not a URL") // the cause would repeat it
	}
	switch {
	case to.Scheme != "http" && to.Scheme != "https":
		return nil, errors.New("it must begin with http:// or https://")
	case to.User != nil:
		return nil, errors.New("user and password do not belong here: the client sends them")
	case to.Hostname() == "":
		return nil, errors.New("it has no host")
	case to.RawQuery != "" || to.ForceQuery:
		return nil, errors.New("it has a query, which could not be kept")
	case strings.Contains(address, "#"):
		return nil, errors.New("it has a fragment, which could not be kept")
	}
	origin := canonicalOrigin(to.Scheme, to.Host)
	return &Upstream{
		Profile: name, Origin: origin, Base: strings.TrimRight(to.EscapedPath(), "/"),
		scheme: to.Scheme, host: strings.TrimPrefix(origin, to.Scheme+"://"),
	}, nil
}

// canonicalOrigin writes an origin in the one form in which origins are compared.
func canonicalOrigin(scheme, host string) string {
	scheme, host = canonicalHost(scheme, host)
	return scheme + "://" + host
}

// canonicalHost returns the scheme and the host of an origin in canonical form: without the port that
// the scheme means anyway.
func canonicalHost(scheme, host string) (string, string) {
	scheme, host = strings.ToLower(scheme), strings.ToLower(host)
	port := ":80"
	if scheme == "https" {
		port = ":443"
	}
	name, cut := strings.CutSuffix(host, port)
	if cut && (!strings.Contains(name, ":") || strings.HasSuffix(name, "]")) {
		host = name
	}
	return scheme, host
}

// All returns the upstreams in the order in which they were given.
func (u *Upstreams) All() []*Upstream { return slices.Clone(u.all) }

// For returns the upstream of a raw request path: that of the profile which owns the path,
// or else the one for all paths. It returns false where there is neither.
func (u *Upstreams) For(path string) (*Upstream, bool) {
	if len(u.all) == 0 {
		return nil, false
	}
	return u.of(u.set.Find("POST", path).Profile)
}

// of returns the upstream of a profile; nil stands for none.
func (u *Upstreams) of(p *profile.Profile) (*Upstream, bool) {
	var rest *Upstream
	for _, up := range u.all {
		if p != nil && up.Profile == p.Name {
			return up, true
		}
		if up.Profile == "" && up.Name == "" {
			rest = up
		}
	}
	return rest, rest != nil
}

// split returns how many bytes at the start of an address are the origin and base of an
// upstream, or false if the address leads elsewhere.
func (u *Upstreams) split(address string) (n int, up *Upstream, ok bool) {
	origin, end := originOf(address)
	if origin == "" {
		return 0, nil, false
	}
	for _, candidate := range u.all {
		if candidate.Origin != origin || !underBase(address[end:], candidate.Base) {
			continue
		}
		if up == nil || len(candidate.Base) > len(up.Base) {
			up = candidate
		}
	}
	if up == nil {
		return 0, nil, false
	}
	return end + len(up.Base), up, true
}

// lead is split that takes addresses without a scheme too: they have that of the page that they
// are on.
func (u *Upstreams) lead(address, scheme string) (n int, up *Upstream, ok bool) {
	if !strings.HasPrefix(address, "//") {
		return u.split(address)
	}
	n, up, ok = u.split(scheme + ":" + address)
	return n - len(scheme+":"), up, ok
}

// originOf returns the origin that an address begins with, in canonical form, and where it
// ends; it returns "" for text that is no address. A user before the host stays part of it,
// so that such an address has the origin of no upstream.
func originOf(address string) (origin string, end int) {
	i := strings.Index(address, "://")
	if i < 0 {
		return "", 0
	}
	end = len(address)
	if j := strings.IndexAny(address[i+3:], `/?#\`); j >= 0 {
		end = i + 3 + j
	}
	scheme, host := address[:i], address[i+3:end]
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") ||
		host == "" || host[0] == ':' {
		return "", 0
	}
	return canonicalOrigin(scheme, host), end
}

// underBase reports whether the rest of an address, after its origin, is under a base path.
func underBase(rest, base string) bool {
	after, found := strings.CutPrefix(rest, base)
	return found && (base == "" || after == "" || strings.IndexByte("/?#", after[0]) >= 0)
}

// Transport sends requests to upstreams, each of them once, whatever it asks for: a request that was
// sent to a connection which breaks may have arrived, and only its client knows whether it may be
// sent again. It is safe for concurrent use.
type Transport = transport.Transport

// NewTransport returns the transport for upstreams. It takes no proxy from the environment, touches
// no content coding, and refuses to dial the addresses in own: those that the deck listens on.
func NewTransport(own ...net.Addr) *Transport { return transport.New(own...) }
