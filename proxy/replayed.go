package proxy

import (
	"net/http"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/internal/http1"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// replayed is an exchange of replay as it was on the wire, until somebody looks at it. A deck that
// replays makes an Exchange for each request, and nearly all of them are dropped unseen: a
// leaf.Exchange takes three times the memory.
type replayed struct {
	leaf.Unprinted
	method, address string
	header          http1.KeptHeader // of the request
	sent            string           // the body of the request
	at              time.Time
	took            time.Duration
	answer          replayedAnswer
	unanswered      bool // the client has got no answer
}

// replayedAnswer is the answer of such an exchange. The zero value is none.
type replayedAnswer struct {
	leaf.Unprinted
	code            int
	status, body    string
	charset, fault  string
	header, trailer http.Header
	fromTape        bool // header is the recorded one, and the answer was sent with another
}

// keptExchange is an Exchange of replay in one piece of memory.
type keptExchange struct {
	leaf.Unprinted
	told Exchange
	wire replayed
}

// keep keeps a request in its event, for whoever looks at the exchange later. body is as it was on
// the wire. The header is read when somebody looks: nobody may change it any more.
func (m *Replay) keep(req *http.Request, at inbound, body string, o *outcome) {
	if m.observe == nil {
		return
	}
	x := &keptExchange{wire: replayed{
		method: req.Method, address: at.address, header: http1.KeepHeader(req), sent: body, at: o.began,
	}}
	x.told.replayed = &x.wire
	o.Exchange = &x.told
}

// keepServed keeps an answer from tape in an event that keeps its request.
func (x *Exchange) keepServed(req *http.Request, a *match.Answer) {
	if x == nil {
		return
	}
	x.trace = a.Trace
	x.replayed.answer = replayedAnswer{
		code: a.Code, status: a.Status, header: a.Header, trailer: a.Trailer,
		charset: a.Charset, fault: a.Fault, fromTape: true,
	}
	if req.Method != http.MethodHead {
		x.replayed.answer.body = a.Body
	}
}

// keepEnd keeps how an exchange has ended, and an answer that is not from tape: nil is no answer.
func (x *Exchange) keepEnd(res *http.Response, took time.Duration) {
	r := x.replayed
	r.took = took
	switch {
	case res == nil:
		r.unanswered = true
	case !r.answer.fromTape:
		r.answer = replayedAnswer{
			code: res.StatusCode, status: res.Status, header: res.Header, body: problem.Text(res),
		}
	}
	x.size = exchangeOverhead + int64(len(r.sent)+len(r.answer.body)) + x.trace.Size()
}

// exchange makes the exchange that somebody looks at.
func (r *replayed) exchange() *leaf.Exchange {
	x, a := &leaf.Exchange{}, &r.answer
	x.Method, x.URL = r.method, r.address
	x.Request.Headers, x.Request.Body = r.header.Header(), r.sent
	x.Code, x.Response.Status, x.Response.Headers, x.Response.Body = a.code, a.status, a.header, a.body
	x.Response.Duration = r.took
	x.Meta.At, x.Meta.Trailers, x.Meta.Charset, x.Meta.Fault = r.at, a.trailer, a.charset, a.fault
	if a.fromTape {
		x.Response.Headers = http.Header{}
		copyRecorded(x.Response.Headers, a.header)
	}
	if r.unanswered {
		x.Meta.Failure = "there was no answer: the client has left, or the deck stops"
	}
	return x
}
