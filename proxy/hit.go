package proxy

import (
	"net/http"
	"strconv"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// hit is an answer from tape, and what becomes of it.
type hit struct {
	*match.Answer
	reply
}

// hit makes a response of an answer, for a client that came in as it did.
func (m *Replay) hit(req *http.Request, h hit, e *Event) *http.Response {
	res := m.served(req, h, e)
	if by := wayOf(req); concerns(res.Header) && by.origin(h.at) != "" {
		by.guise(m.hosts, h.at, recordedAt(h.Answer)).settle(res.Header)
	}
	return res
}

// served makes a response of an answer.
func (m *Replay) served(req *http.Request, to hit, e *Event) *http.Response {
	a, h := to.Answer, to.header
	m.tally.hit(a)
	e.Kind, e.Number, e.Cassette = Served, a.Number, a.Cassette
	e.Flow, e.State, e.Mark = a.Flow, leaf.Clip(a.State, maxState), a.Mark
	keepServed(req, a, e.Exchange)
	copyRecorded(h, a.Header)
	added := new(addedHeader)
	added.set(h, "Date", m.date.text())
	if !m.quiet {
		added.set(h, "Paytape-Served", explanation(a, e.Session))
	}
	body := m.coded(req, a, h, e)
	res := &http.Response{
		StatusCode: a.Code, Status: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: http.NoBody, Request: req,
	}
	if req.Method == http.MethodHead || !bodyAllowed(a.Code) {
		if length, ok := a.Header["Content-Length"]; ok && a.Code != http.StatusNoContent {
			h["Content-Length"] = length // of a body that is not sent
		}
		a.Delivered(true)
		return res
	}
	if a.Fault == leaf.FaultCut {
		cut(res, a, body)
		return res
	}
	res.Body = deliver(body, a.Delivered)
	if len(a.Trailer) > 0 {
		res.Trailer, res.ContentLength = a.Trailer.Clone(), -1
		return res
	}
	res.ContentLength = int64(len(body))
	added.set(h, "Content-Length", strconv.Itoa(len(body)))
	return res
}

// keepServed keeps an answer from tape for whoever looks at the exchange later. Nil: nobody does.
func keepServed(req *http.Request, a *match.Answer, to *Exchange) {
	if to == nil {
		return
	}
	x := to.raw
	to.fromTape = true
	x.Code, x.Response.Status, x.Response.Headers = a.Code, a.Status, a.Header
	x.Meta.Trailers, x.Meta.Charset, x.Meta.Fault = a.Trailer, a.Charset, a.Fault
	if req.Method != http.MethodHead {
		x.Response.Body = a.Body
	}
}

// coded returns the body in the charset that it was recorded in, and in the content coding, if
// this client takes that.
func (m *Replay) coded(req *http.Request, a *match.Answer, h http.Header, e *Event) string {
	text, err := leaf.EncodeText(a.Charset, a.Body)
	if err != nil {
		e.Note = NoteCharset
		text = a.Body
	}
	if a.Coding == "" || a.Body == "" || !accepts(req.Header, a.Coding) {
		return text
	}
	body, err := leaf.Encode(a.Coding, []byte(text))
	if err != nil {
		e.Note = NoteCoding
		return text
	}
	h.Set("Content-Encoding", a.Coding)
	return string(body)
}

// maxState bounds the words of a state in a header and in an event, in bytes.
const maxState = 200

// explanation says which exchange is served, in which state it found what it is about, in which
// session, and on what the answer stands beside the tape.
func explanation(a *match.Answer, session string) string {
	s := append(make([]byte, 0, 96), a.Cassette...) // of which most need no more
	s = strconv.AppendInt(append(s, '#'), int64(a.Number), 10)
	s = append(append(s, "; state="...), leaf.Clip(a.State, maxState)...)
	if session != "" {
		s = append(append(s, "; session="...), session...)
	}
	if a.Mark != "" {
		s = append(append(s, "; "...), a.Mark...)
	}
	return string(s)
}

func bodyAllowed(code int) bool {
	return code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified
}
