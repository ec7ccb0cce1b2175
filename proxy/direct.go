package proxy

import (
	"io"
	"maps"
	"net/http"
	"net/url"
)

// sourced is a mode that has its answers itself. Behind it is no upstream for which a request
// would have to be readied, and its answers do not come piece by piece, so the door spares it
// the way through ReverseProxy, which takes longer than finding the answer.
type sourced interface {
	http.RoundTripper
	// sourced marks the mode. Its RoundTrip leaves the request as it is, and the header of its
	// answer is the door's to keep.
	sourced()
}

// direct serves a request from a mode that has its answers itself.
func (d *Door) direct(w http.ResponseWriter, req *http.Request) {
	out := *req
	out.URL = addressed(req)
	res, err := d.source.RoundTrip(&out)
	if err != nil {
		fail(w, req, err)
		return
	}
	say(req, res)
	h := w.Header()
	maps.Copy(h, res.Header)
	for name := range res.Trailer {
		h.Add("Trailer", name)
	}
	w.WriteHeader(res.StatusCode)
	_, err = io.Copy(w, res.Body)
	if closed := res.Body.Close(); err != nil || closed != nil {
		panic(http.ErrAbortHandler) // the answer is cut, which the client must notice
	}
	maps.Copy(h, res.Trailer)
}

// addressed is the URL of a request as a mode sees it: the raw target, with the deck's own
// address as the host.
func addressed(req *http.Request) *url.URL {
	u := &url.URL{Scheme: "http", Host: hostOf(req), Opaque: req.RequestURI}
	if req.TLS != nil {
		u.Scheme = "https"
	}
	return u
}
