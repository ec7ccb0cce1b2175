package proxy

import (
	"errors"
	"net/http"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// SpyPlayer decides what is answered from tape and what the sandbox is asked for.
type SpyPlayer interface {
	// Spy returns an answer or a miss, or neither for what the sandbox must be asked.
	Spy(r *match.Request) (*match.Answer, *match.Miss)
	// Adopt is told of an exchange that the sandbox has answered with a status. The body of the
	// answer has no content coding and is UTF-8.
	Adopt(r *match.Request, code int, answer leaf.Message)
}

// SpyOptions are what a Spy is made of.
type SpyOptions struct {
	Player SpyPlayer
	Replay *Replay // words what the player answers
	Record *Record // asks the sandbox
}

// Spy answers from tape, and asks the sandbox for what is not on it. What it asks for it records.
// Whoever knows of an order upstream by an answer finds the order there, because the answer is
// adopted before its last byte goes out.
type Spy struct {
	player SpyPlayer
	replay *Replay
	record *Record
}

// NewSpy returns a mode that replays, and records what is not on tape.
func NewSpy(o SpyOptions) (*Spy, error) {
	switch {
	case o.Player == nil:
		return nil, errors.New("spying needs a player")
	case o.Replay == nil || o.Record == nil:
		return nil, errors.New("spying needs replay and record")
	}
	return &Spy{player: o.Player, replay: o.Replay, record: o.Record}, nil
}

// RoundTrip answers a request from tape or from the sandbox. Its only error is ErrAbort.
func (m *Spy) RoundTrip(req *http.Request) (*http.Response, error) {
	o := &outcome{}
	at, err := m.replay.begin(req, req.URL, o)
	if err != nil {
		return m.replay.respondFailure(req, err, o)
	}
	src := &budgetedBody{ReadCloser: req.Body, budget: m.replay.budget}
	defer src.free()
	r, err := m.read(req, at, src, o)
	switch {
	case err != nil:
		return m.replay.respondFailure(req, err, o)
	case r == nil:
		return m.record.forward(req, at, nil)
	}
	a, miss := m.player.Spy(r)
	switch {
	case a != nil:
		res, err := m.replay.deliver(req, tapeAnswer{a, reply{newServedResponse(), at}}, o)
		if err != nil {
			return m.replay.respondFailure(req, err, o)
		}
		return m.replay.tell(res, o), nil
	case miss != nil:
		return m.replay.tell(m.replay.missed(req, miss, &o.Event), o), nil
	}
	if a, ok := ruling(req).Declined(); ok {
		return nil, declinedHere{a}
	}
	return m.record.forward(req, at, func(x *leaf.Exchange) { m.adopt(r, x) })
}

// read reads a request as the tape is searched for it and leaves all of its body to be sent.
// It returns nil for one that no tape can hold: its body is too large, has too many parameters,
// or ends too early, which the way upstream finds out. src is its body. The error is problemBusy.
func (m *Spy) read(req *http.Request, at inbound, src *budgetedBody, o *outcome,
) (*match.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		m.replay.keep(withOwnHeader(req), at, "", o)
		return m.replay.canonical(req, at, ""), nil
	}
	ahead, whole, rest := readAhead(src, m.replay.limit)
	if src.starved {
		return nil, problemBusy
	}
	src.passing = true
	req.Body = rest
	if !whole {
		return nil, nil
	}
	body := string(ahead)
	m.replay.keep(withOwnHeader(req), at, body, o)
	if n := int64(min(len(ahead), cleanedAtOnce)); n > smallExchange {
		m.replay.budget.acquireCleaning(n)
		defer m.replay.budget.releaseCleaning(n)
	}
	return m.replay.canonical(req, at, m.replay.decoded(req, body)), nil
}

// adopt tells the player of an exchange as it was on the wire.
func (m *Spy) adopt(r *match.Request, x *leaf.Exchange) {
	h := x.Response.Headers
	text := "" // ids that cannot be read cannot come back
	names := leaf.CodingOf(coding(h), x.Response.Body)
	if body, err := leaf.Decode(names, []byte(x.Response.Body), m.record.limit); err == nil {
		text = string(body)
	}
	if decoded, _, err := leaf.DecodeText(h.Get("Content-Type"), text); err == nil {
		text = decoded
	}
	m.player.Adopt(r, x.Code, leaf.Message{Header: h, Body: text})
}
