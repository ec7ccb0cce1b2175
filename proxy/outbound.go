package proxy

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Route is the way to the sandboxes, which the modes that use it have in common.
type Route struct {
	// Upstreams are all that is ever dialled.
	Upstreams *Upstreams
	// Transport sends the requests; NewTransport makes one.
	Transport http.RoundTripper
	// Observe is told of everything that happens, by many goroutines. Nil: nobody is told.
	Observe func(Event)
	// Callbacks has callbacks come through the deck. Nil: they go to the shops themselves.
	Callbacks *CallbackRoute
}

func (r *Route) check() error {
	switch {
	case r.Upstreams == nil:
		return errors.New("a mode that forwards needs upstreams")
	case r.Transport == nil:
		return errors.New("a mode that forwards needs a transport")
	}
	return nil
}

// outbound is one request on its way to a sandbox.
type outbound struct {
	leaf.Unprinted
	call       profile.Call
	up         *Upstream
	addressing addressing
	// deck is the origin at which the client reached the deck; empty if it is not known or the
	// client uses the sandbox's own, and then no address is turned. base is the path of its
	// session there; empty for none.
	deck, base string
	session    string // its name; empty for none
	// target is the raw request target with the sandbox's addresses, without a base path.
	target string
	// relayed is the request with the shop's own address, of which the sandbox gets another; nil for
	// a request that goes out as it is.
	relayed *relayedRequest
	// out is the request as it goes upstream.
	out *http.Request
	// upload is the body of out.
	upload *upload
}

// find finds the upstream of a request. It reads nothing, so that exchanges are numbered in the
// order in which their requests begin.
func (r *Route) find(req *http.Request, at inbound) (*outbound, error) {
	v := &outbound{
		call: at.call, up: at.by.up, addressing: at.by, deck: at.by.origin(at), base: at.base,
		session: at.session, target: at.target, upload: &upload{},
	}
	if v.up == nil {
		var ok bool
		if v.up, ok = r.Upstreams.of(v.call.Profile); !ok {
			return nil, problemNoUpstream
		}
	}
	v.out = req.WithContext(req.Context()) // with the same header, until it is changed: see replaceRequest
	v.out.GetBody = nil
	v.out.Host = ""
	return v, nil
}

// prepare makes the request that goes upstream. Its body is copied as it passes.
func (r *Route) prepare(v *outbound, sent spool) error {
	if err := r.rewriteRequest(v); err != nil {
		return err
	}
	if err := r.relayCallbacks(v); err != nil {
		return err
	}
	var ok bool
	if v.out.URL, ok = v.address(); !ok {
		return problemSlashes
	}
	var asSent []byte
	if v.relayed != nil {
		asSent = v.relayed.body
	}
	v.upload.watch(v.out, sent, asSent)
	return nil
}

func (u *Upstreams) find(method, path string) profile.Call {
	if u.set == nil {
		return profile.Call{}
	}
	return u.set.Find(method, path)
}

// address is the URL that puts the target on the wire as it is. There is none for a target
// that begins with two slashes and has a bad percent escape.
func (v *outbound) address() (*url.URL, bool) {
	target := v.target
	if v.relayed != nil {
		target = v.relayed.target
	}
	to := &url.URL{Scheme: v.up.scheme, Host: v.up.host, Opaque: v.up.Base + target}
	if !strings.HasPrefix(target, "/") {
		to.Opaque = target // "*" has no path to join
	}
	if !strings.HasPrefix(to.Opaque, "//") {
		return to, true
	}
	// net/url would take an opaque part with two slashes for a host.
	path, query, found := strings.Cut(to.Opaque, "?")
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return nil, false
	}
	to.Opaque, to.Path, to.RawPath = "", decoded, path
	to.RawQuery, to.ForceQuery = query, found
	return to, true
}

// tapeURL is the URL of the request as tapes hold it.
func (v *outbound) tapeURL() string { return absolute(v.up.Origin+v.up.Base, v.target) }

// absolute joins an origin and a raw request target.
func absolute(origin, target string) string {
	if !strings.HasPrefix(target, "/") {
		return origin + "/" + target
	}
	return origin + target
}

// send sends the request once and returns the answer's head; its error is ErrAbort if the
// client has gone and a problem otherwise.
func (r *Route) send(v *outbound) (*http.Response, error) {
	res, err := r.Transport.RoundTrip(v.out)
	switch {
	case err == nil && res.StatusCode == http.StatusSwitchingProtocols &&
		v.out.Header.Get("Upgrade") == "":
		_ = res.Body.Close() // it is useless in any case
		return nil, problemSwitched
	case err == nil:
		return res, nil
	case v.out.Context().Err() != nil:
		return nil, ErrAbort
	case v.upload.failed():
		return nil, problemRequest
	}
	return nil, unreachable(err)
}

// rawTarget returns the request target as a door or a client has put it into a URL.
func rawTarget(u *url.URL) string {
	if u.Opaque != "" {
		if u.RawQuery != "" || u.ForceQuery {
			return u.Opaque + "?" + u.RawQuery
		}
		return u.Opaque
	}
	return u.RequestURI()
}

// pathOf returns the path of a target, as raw as it is.
func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}
