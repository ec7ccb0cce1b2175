package proxy

import (
	"io"
	"maps"
	"net/http"
	"net/url"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// sourced is a mode that has its answers itself. Behind it is no upstream for which a request
// would have to be readied, and its answers do not come piece by piece, so the door spares it
// the way through ReverseProxy, which takes longer than finding the answer.
type sourced interface {
	// answer is RoundTrip for a request with another URL, which it leaves as it is. The header
	// of an answer from tape is made in h.
	answer(req *http.Request, u *url.URL, h http.Header) (*http.Response, error)
}

// direct serves a request from a mode that has its answers itself.
func (d *Door) direct(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	res, err := d.source.answer(req, addressed(req), h)
	if err != nil {
		fail(w, req, err)
		return
	}
	http1.SetStatus(req, res)
	maps.Copy(h, res.Header) // if it is another one
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
