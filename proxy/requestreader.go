package proxy

import (
	"bytes"
	"io"
	"net/http"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
)

// requestReader reads requests as tapes and rules look at them.
type requestReader struct {
	profiles *profile.Set
	limit    int64   // bytes of a body, coded and decoded
	budget   *budget // of bodies under way
	turns    bool    // requests may have a Turn
}

// canonical reads a request as the tape is searched for it; nil is one that has too many
// parameters for any tape.
func (r *requestReader) canonical(req *http.Request, at inbound, body string) *match.Request {
	if at.ruled.isRead() {
		return at.ruled.request
	}
	q, ok := match.NewLiveRequest(r.profiles, match.Incoming{
		Call: at.call, Method: req.Method, Target: at.address,
		Header: req.Header, Body: body,
	})
	if !ok {
		return nil
	}
	by := at.by
	if r.turns {
		if t := turnOf(req); t != nil {
			q.Now = t.Now
		}
	}
	q.Deck, q.Session = by.deck(at), at.session
	q.Bases, q.Prefix, q.Home = by.bases(at), by.prefix(), by.hostFinder(at)
	if by.up != nil {
		q.Host, q.Address = by.up.Name, by.up.Origin+by.up.Base
	}
	return q
}

// ahead is readAhead for the body of a request, which is src. A small one takes no room.
func (r *requestReader) ahead(req *http.Request, src *budgetedBody,
) (ahead []byte, whole bool, rest io.ReadCloser) {
	n := req.ContentLength
	if n <= 0 || n > min(smallExchange, r.limit) || len(req.Trailer) > 0 {
		return readAhead(src, r.limit)
	}
	ahead, err := readWhole(req, r.limit)
	if err != nil {
		failed := io.MultiReader(bytes.NewReader(ahead), errorReader{err})
		return ahead, false, prefixedBody{failed, req.Body}
	}
	return ahead, true, prefixedBody{bytes.NewReader(ahead), req.Body}
}

// read is canonical for a body as it was on the wire.
func (r *requestReader) read(req *http.Request, at inbound, body string) *match.Request {
	if at.ruled.isRead() {
		return at.ruled.request
	}
	return r.canonical(req, at, r.decoded(req, body))
}

// decoded undoes the content coding and the charset of a request's body. A body of which they
// cannot be undone is compared as it is: that is a miss which tells the field.
func (r *requestReader) decoded(req *http.Request, body string) string {
	text, _ := r.decodedText(req, body)
	return text
}

// decodedText is decoded, and returns the charset too.
func (r *requestReader) decodedText(req *http.Request, body string) (text, charset string) {
	if names := leaf.CodingOf(coding(req.Header), body); names != "" {
		if plain, err := leaf.Decode(names, []byte(body), r.limit); err == nil {
			body = string(plain)
		}
	}
	text, charset, err := leaf.DecodeRequest(req.Header.Get("Content-Type"), body)
	if err != nil {
		return body, ""
	}
	return text, charset
}
