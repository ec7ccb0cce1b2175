package proxy

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact"
)

// Player finds the answer to a request on tape: exactly one of the two results is nil.
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
	// Tape names what the player can answer with, for Unused. Nil: nobody asks.
	Tape []match.Recorded
	// Now is the clock of the replay, which the Date header shows; nil means time.Now.
	Now func() time.Time
	// Quiet leaves Paytape-Served out of the answers.
	Quiet bool
	// Limit is how many bytes the body of a request may have, coded and decoded; 0 means
	// DefaultLimit. Nothing larger is on any tape.
	Limit int64
	// AtOnce has recorded time-outs replayed without their time.
	AtOnce bool
}

// Replay answers from tape. It holds no transport: what is not on tape is a miss, never a
// guess and never the network.
type Replay struct {
	player   Player
	profiles *profile.Set
	cleaner  FieldCleaner
	observe  func(Event)
	quiet    bool
	limit    int64
	now      func() time.Time
	tally    *tally
	atOnce   bool
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
	return &Replay{
		player: o.Player, profiles: o.Profiles, cleaner: o.Cleaner, observe: o.Observe,
		quiet: o.Quiet, limit: o.Limit, now: o.Now, tally: newTally(o.Tape),
		atOnce: o.AtOnce,
	}, nil
}

// sourced says that replay has its answers itself.
func (m *Replay) sourced() {}

// RoundTrip answers a request from tape. Its only error is ErrAbort.
func (m *Replay) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	at, err := enter(req.URL)
	e := Event{Kind: Failed, Session: at.session}
	e.identify(m.profiles.Find(req.Method, pathOf(at.target)))
	e.line(m.cleaner, req.Method, pathOf(at.target))
	var res *http.Response
	if err == nil {
		res, err = m.serve(req, at, &e)
	}
	if err != nil {
		res, err = settle(req, err)
	}
	if res != nil {
		e.Code = res.StatusCode
	}
	e.Took = time.Since(began)
	tell(m.observe, e)
	return res, err
}

func (m *Replay) serve(req *http.Request, at entrance, e *Event) (*http.Response, error) {
	body, err := m.requestBody(req)
	if err != nil {
		return nil, err
	}
	a, miss := m.player.Serve(m.canonical(req, at, body))
	if miss != nil {
		return m.missed(req, miss, e), nil
	}
	if err := m.stall(req, a); err != nil {
		return nil, err
	}
	res := m.served(req, a, e)
	wayOf(req).redirect(res.Header, at.base)
	return res, nil
}

// canonical reads a request as the tape is searched for it.
func (m *Replay) canonical(req *http.Request, at entrance, body string) *match.Request {
	target := absolute(at.origin, at.target)
	r := match.NewRequest(m.profiles, req.Method, target, req.Header, body)
	by := wayOf(req)
	r.Deck, r.Session, r.Conn = by.deck(at), at.session, req.RemoteAddr
	r.Bases = by.bases(at)
	return r
}

// requestBody reads the body of a request and undoes its content coding and charset. A body
// of which they cannot be undone is compared as it is: that is a miss which tells the field.
func (m *Replay) requestBody(req *http.Request) (string, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return "", nil
	}
	body, whole, _ := readAhead(req.Body, m.limit)
	switch {
	case !whole && int64(len(body)) > m.limit:
		return "", problemTooLarge
	case !whole && req.Context().Err() != nil:
		return "", ErrAbort
	case !whole:
		return "", problemRequest
	}
	if text, err := leaf.Decode(coding(req.Header), body, m.limit); err == nil {
		body = text
	}
	text, _, err := leaf.DecodeRequest(req.Header.Get("Content-Type"), string(body))
	if err != nil {
		return string(body), nil
	}
	return text, nil
}

// served makes a response of an answer.
func (m *Replay) served(req *http.Request, a *match.Answer, e *Event) *http.Response {
	m.tally.hit(a)
	e.Kind, e.Number, e.Cassette, e.Thread = Served, a.Number, a.Cassette, a.Thread
	if a.Ambiguous {
		e.Note = NoteAmbiguous
	}
	h := recordedHeader(a.Header)
	h.Set("Date", m.now().UTC().Format(http.TimeFormat))
	if !m.quiet {
		h.Set("Paytape-Served", explanation(a, e.Session))
	}
	body := m.coded(req, a, h, e)
	res := respond(req, answer{Code: a.Code, Header: h})
	if req.Method == http.MethodHead || !bodyAllowed(a.Code) {
		a.Delivered(true)
		return res
	}
	if a.Fault == leaf.FaultCut {
		cut(res, a, body)
		return res
	}
	res.Body = &delivery{text: strings.NewReader(body), done: a.Delivered}
	if len(a.Trailer) > 0 {
		res.Trailer, res.ContentLength = a.Trailer.Clone(), -1
		return res
	}
	res.ContentLength = int64(len(body))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	return res
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

// explanation says which exchange is served and to which live thread of which session.
func explanation(a *match.Answer, session string) string {
	s := a.Cassette + "#" + strconv.Itoa(a.Number) + "; thread=" + strconv.Itoa(a.Thread)
	if session != "" {
		s += "; session=" + session
	}
	if a.Ambiguous {
		s += "; ambiguous"
	}
	return s
}

// notServed are the headers of a recorded answer that are made anew or belong to the
// connection on which it was recorded (RFC 9110, section 7.6.1).
var notServed = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding",
	"Upgrade", "Content-Length", "Content-Encoding", "Date",
}

// recordedHeader returns a copy of a recorded header without what is not served. Copies are
// never shared: the door writes into them.
func recordedHeader(recorded http.Header) http.Header {
	h := recorded.Clone()
	if h == nil {
		h = http.Header{}
	}
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range notServed {
		delete(h, name)
	}
	return h
}

func bodyAllowed(code int) bool {
	return code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified
}

// delivery is the body of a served answer. The answer counts as delivered when its last byte
// is handed to the door, because a client that has it may send the next request before the
// door asks for more; and no longer, if the door then does not.
type delivery struct {
	text  *strings.Reader
	done  func(whole bool)
	told  bool
	ended bool
}

// WriteTo is Read for those who take all at once.
func (d *delivery) WriteTo(w io.Writer) (int64, error) {
	if !d.told {
		d.told = true
		d.done(true)
	}
	n, err := d.text.WriteTo(w)
	d.ended = err == nil
	return n, err
}

func (d *delivery) Read(p []byte) (int, error) {
	n, err := d.text.Read(p)
	if d.text.Len() == 0 && !d.told {
		d.told = true
		d.done(true)
	}
	d.ended = d.ended || err == io.EOF
	return n, err
}

// Close takes back what a Read said if the door has not come for the end.
func (d *delivery) Close() error {
	if !d.ended {
		d.ended = true
		d.done(false)
	}
	return nil
}
