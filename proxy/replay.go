package proxy

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact"
)

// Player finds the answer to a request on tape: exactly one of the two results is nil. It does not keep
// the request, whose memory is used again.
type Player interface {
	Serve(r *match.Request) (*match.Answer, *match.Miss)
}

// FieldCleaner makes what a report of a miss may hold.
type FieldCleaner interface {
	Field(f profile.Field, value string) redact.Safe
	Text(s string) redact.Safe
}

// ReplayOptions are what a Replay is made of.
type ReplayOptions struct {
	Player   Player
	Profiles *profile.Set
	Cleaner  FieldCleaner
	// Observe is told of every hit and miss, by many goroutines. Nil: nobody is told.
	Observe func(Event)
	// Tape yields what the player can answer with, for Unused, each with its class, as
	// match.Tape.Recorded does. Nil: nobody asks.
	Tape iter.Seq2[match.Recorded, uint64]
	// Now is the clock of the replay, which the Date header shows; nil means time.Now.
	Now func() time.Time
	// Quiet leaves Paytape-Served out of the answers.
	Quiet bool
	// Limit is how many bytes the body of a request may have, coded and decoded; 0 means
	// DefaultLimit. Nothing larger is on any tape.
	Limit int64
	// Hosts are the sandboxes on tape, whose addresses stand in headers. Nil: none are known.
	Hosts *Upstreams
	// AtOnce has recorded time-outs replayed without their time.
	AtOnce bool
	// Latency has every answer take the time that it took when it was recorded.
	Latency bool
	// Callbacks takes each answer that brings callbacks, or behind which something comes by itself:
	// once, when it has gone out or was lost on its way. The client does not wait for that, but its
	// next request on the connection may. Nil: nobody takes them.
	Callbacks func(*match.Answer)
	// Announce is shown each answer before it goes out, and the answer waits for it. What it returns
	// takes the place of Callbacks for that answer; nil: nothing does. Nil: nobody is shown answers.
	Announce func(ctx context.Context, a Announced) (gone func())
	// Turns has requests served by their Turn, if they have one. False: none has one.
	Turns bool
	// Why is where a person finds misses explained, such as "http://127.0.0.1:7070/why/": the body of
	// the third miss says that it is explained at "http://127.0.0.1:7070/why/m3". It must hold no
	// secret, because it goes into logs of the client. Empty: the body says nothing of it.
	Why string
}

// Announced is an answer from tape that is about to go out, and the call that it answers.
type Announced struct {
	*match.Answer
	Session        string
	Call           profile.Call
	Method, Target string
}

// Replay answers from tape. It holds no transport: what is not on tape is a miss, never a
// guess and never the network.
type Replay struct {
	player Player
	requestReader
	cleaner FieldCleaner
	observe func(Event)
	quiet   bool
	date    dateText
	counter *replayCounter
	atOnce  bool
	latency bool
	hosts   *Upstreams
	settle  func(*match.Answer)
	// announce is that of the options; nil: nobody is shown answers.
	announce func(context.Context, Announced) func()
	why      string
	misses   atomic.Uint64
	rooms    buffers // for bodies on their way in
}

// NewReplay returns a mode that answers from tape.
func NewReplay(o ReplayOptions) (*Replay, error) {
	switch {
	case o.Player == nil:
		return nil, errors.New("replaying needs a player")
	case o.Profiles == nil:
		return nil, errors.New("replaying needs profiles")
	case o.Cleaner == nil:
		return nil, errors.New("replaying needs a cleaner")
	case o.Limit < 0:
		return nil, errors.New("the limit of request bodies is negative")
	case o.Limit == 0:
		o.Limit = DefaultLimit
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hosts == nil {
		o.Hosts = &Upstreams{}
	}
	return &Replay{
		requestReader: requestReader{o.Profiles, o.Limit, newBudget(enough(0, o.Limit)), o.Turns},
		player:        o.Player, cleaner: o.Cleaner, observe: o.Observe,
		quiet: o.Quiet, date: dateText{now: o.Now},
		counter: newReplayCounter(o.Tape),
		atOnce:  o.AtOnce, latency: o.Latency, hosts: o.Hosts, settle: o.Callbacks,
		announce: o.Announce, why: o.Why,
	}, nil
}

// RoundTrip answers a request from tape. Its only error is ErrAbort.
func (m *Replay) RoundTrip(req *http.Request) (*http.Response, error) {
	if m.observe != nil {
		req = withOwnHeader(req)
	}
	return m.answer(req, *req.URL, newServedResponse())
}

// withOwnHeader returns a request with a copy of its header: whoever calls a RoundTripper may
// change the header when the answer is there, and an event holds it for longer.
func withOwnHeader(req *http.Request) *http.Request {
	own := *req
	own.Header = req.Header.Clone()
	return &own
}

func (m *Replay) answer(req *http.Request, u url.URL, to *servedResponse) (*http.Response, error) {
	var o outcome
	at, err := m.begin(req, &u, &o)
	var res *http.Response
	if err == nil {
		res, err = m.serve(req, reply{to, at}, &o)
	}
	if err != nil {
		return m.respondFailure(req, err, &o)
	}
	return m.tell(res, &o), nil
}

// outcome is what becomes of a request, to be told when it is answered. It is large and nobody keeps
// it, so it stays on the stack: what may outlive the request must not point to it.
type outcome struct {
	Event
	began time.Time
}

// begin takes a request apart and begins what there is to tell of it.
func (m *Replay) begin(req *http.Request, u *url.URL, e *outcome) (inbound, error) {
	at, err := enter(req, u, m.profiles)
	e.Kind, e.began = Failed, at.began
	e.in(m.cleaner, at.session)
	e.identify(at.call)
	e.of(req.Context())
	if m.observe != nil {
		e.lineLater(m.cleaner, req.Method, pathOf(at.target))
	}
	return at, err
}

// tell tells of an answer; nil is none.
func (m *Replay) tell(res *http.Response, o *outcome) *http.Response {
	if res != nil {
		o.Code = res.StatusCode
	}
	o.Took = time.Since(o.began)
	if o.Exchange != nil {
		o.Exchange.keepEnd(res, o.Took)
	}
	tell(m.observe, o.Event)
	return res
}

// respondFailure answers with what went wrong.
func (m *Replay) respondFailure(req *http.Request, err error, o *outcome) (*http.Response, error) {
	res, err := failureResponse(req, err)
	o.lineNow()
	o.answered(res)
	return m.tell(res, o), err
}

// reply is where an answer from tape is made, and where its client came in.
type reply struct {
	served *servedResponse
	at     inbound
}

func (m *Replay) serve(req *http.Request, to reply, o *outcome) (*http.Response, error) {
	s := spool{limit: m.limit, budget: m.budget}
	defer s.free()
	body, err := m.requestBody(req, to.at.ruled, &s)
	if err != nil {
		return nil, err
	}
	m.keep(req, to.at, body, o)
	a, res, err := m.ask(req, to, body, &o.Event)
	if res != nil || err != nil {
		return res, err
	}
	return m.deliver(req, tapeAnswer{a, to}, o)
}

// ask looks for a request on tape, and words a miss. What that costs grows with the body, which is as
// it was on the wire, so large ones do it one by one.
func (m *Replay) ask(req *http.Request, to reply, body string, e *Event,
) (*match.Answer, *http.Response, error) {
	if n := int64(min(len(body), cleanedAtOnce)); n > smallExchange {
		m.budget.acquireCleaning(n)
		defer m.budget.releaseCleaning(n)
	}
	r := m.read(req, to.at, body)
	if r == nil {
		return nil, nil, problemTooMany
	}
	player := m.player
	if m.turns {
		if t := turnOf(req); t != nil {
			player = t.Player
		}
	}
	a, miss := player.Serve(r)
	if !to.at.ruled.isRead() {
		r.Release()
	}
	if miss != nil {
		e.ruled(ruling(req))
		return nil, m.missed(req, miss, e), nil
	}
	return a, nil, nil
}

// requestBody reads the body of a request, as it is on the wire, unless the rules have it. A body that
// is not known to be small goes through a spool, which has the caller's share of the budget.
func (m *Replay) requestBody(req *http.Request, r *ruledRequest, s *spool) (string, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return "", nil
	}
	if r.isRead() && int64(len(r.body)) <= m.limit {
		return r.body, nil
	}
	var body string
	var err error
	if n := req.ContentLength; n > 0 && n <= smallExchange {
		body, err = m.readSmall(req)
	} else if err = s.fill(req.Body); err == nil {
		body = s.text()
	}
	switch {
	case s.starved:
		return "", problemBusy
	case s.over():
		return "", problemTooLarge
	case int64(len(body)) > m.limit:
		return "", problemTooLarge
	case err != nil && req.Context().Err() != nil:
		return "", ErrAbort
	case err != nil:
		return "", problemRequest
	}
	return body, nil
}

// readSmall reads the body of a request that says how long it is, and is small. Nothing of it is kept
// but the text.
func (m *Replay) readSmall(req *http.Request) (string, error) {
	if req.ContentLength > min(copySize, m.limit) {
		body, err := readWhole(req, m.limit)
		return string(body), err
	}
	room := m.rooms.Get()
	defer m.rooms.Put(room)
	n, err := io.ReadFull(req.Body, room[:req.ContentLength])
	return string(room[:n]), err
}
