package proxy

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// tapeAnswer is an answer from tape, and what becomes of it.
type tapeAnswer struct {
	*match.Answer
	reply
}

// fromTape makes a response of an answer, for a client that came in as it did.
func (m *Replay) fromTape(req *http.Request, h tapeAnswer, o *outcome) *http.Response {
	res := m.response(req, h, o)
	if by := h.at.by; concerns(res.Header) && by.origin(h.at) != "" {
		by.rewriterFor(m.hosts, h.at, recordedAt(h.Answer)).rewrite(res.Header)
	}
	return res
}

// response makes a response of an answer.
func (m *Replay) response(req *http.Request, to tapeAnswer, o *outcome) *http.Response {
	a, h, e := to.Answer, to.served.Header, &o.Event
	m.counter.countHit(a)
	e.Kind, e.Number, e.Cassette = Served, a.Number, a.Cassette
	e.Flow, e.State, e.Mark = a.Flow, leaf.Clip(a.State, maxState), a.Mark
	e.Exchange.keepServed(req, a)
	e.lineKnows(a.Trace.Secrets())
	copyRecorded(h, a.Header)
	added := &addedHeader{}
	added.set(h, "Date", m.dateOf(req))
	if !m.quiet {
		added.set(h, "Paytape-Served", explanation(a, to.at.session))
	}
	body := m.coded(req, a, h, e)
	res := &to.served.Response
	*res = http.Response{
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
	to.served.body.deliver(a, body)
	res.Body = &to.served.body
	if len(a.Trailer) > 0 {
		res.Trailer, res.ContentLength = a.Trailer.Clone(), -1
		return res
	}
	res.ContentLength = int64(len(body))
	added.set(h, "Content-Length", strconv.Itoa(len(body)))
	return res
}

// dateOf returns the Date header of the answer to a request.
func (m *Replay) dateOf(req *http.Request) string {
	if m.turns {
		if t := turnOf(req); t != nil {
			return m.date.at(t.Now)
		}
	}
	return m.date.text()
}

// coded returns the body in the charset that it was recorded in, and in the content coding, if
// this client takes that.
func (m *Replay) coded(req *http.Request, a *match.Answer, h http.Header, e *Event) string {
	text, err := leaf.EncodeText(a.Charset, a.Body)
	if err != nil {
		e.Note = NoteCharset
		text = a.Body
	}
	labelled := a.Coding != leaf.Unlabelled // a client gets what is not labelled whatever it takes
	if a.Coding == "" || a.Body == "" || labelled && !accepts(req.Header, a.Coding) {
		return text
	}
	body, err := leaf.Encode(a.Coding, []byte(text))
	if err != nil {
		e.Note = NoteCoding
		return text
	}
	if labelled {
		h.Set("Content-Encoding", a.Coding)
	}
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

// accepts reports whether a client takes a body in the content codings of a list such as
// "gzip, br". A client that names no coding gets none: RFC 9110, section 12.5.3, would allow
// any, but such a client seldom decodes.
func accepts(h http.Header, codings string) bool {
	weights := acceptedCodings(h)
	for name := range strings.SplitSeq(strings.ToLower(codings), ",") {
		name = canonicalCoding(name)
		if name == "" || name == "identity" {
			continue
		}
		weight, named := weights[name]
		if !named {
			weight = weights["*"]
		}
		if weight <= 0 {
			return false
		}
	}
	return true
}

// acceptedCodings reads Accept-Encoding: names and weights.
func acceptedCodings(h http.Header) map[string]float64 {
	weights := map[string]float64{}
	for _, line := range h.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(strings.ToLower(line), ",") {
			name, parameter, _ := strings.Cut(item, ";")
			if name = canonicalCoding(name); name != "" {
				weights[name] = weight(parameter)
			}
		}
	}
	return weights
}

// weight reads "q=0.5"; no weight, or one that is none, counts as 1.
func weight(parameter string) float64 {
	text, found := strings.CutPrefix(strings.ReplaceAll(parameter, " ", ""), "q=")
	if !found {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 1
	}
	return q
}

// canonicalCoding trims a name and resolves the alias of RFC 9110, section 8.4.1.3.
func canonicalCoding(name string) string {
	if name = strings.TrimSpace(name); name == "x-gzip" {
		return "gzip"
	}
	return name
}
