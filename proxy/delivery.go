package proxy

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
)

// deliver makes a response of an answer when its time has come.
func (m *Replay) deliver(req *http.Request, h tapeAnswer, o *outcome) (*http.Response, error) {
	r, a := h.at.ruled, h.Answer
	if r != nil {
		r.Answered(rules.Answer{Code: a.Code, Header: a.Header, Body: a.Body})
		r.undelivered = func() { a.Delivered(false) }
		o.Code = a.Code
		o.ruled(r.Ruling)
	}
	s := m.settlement(req, h)
	if r != nil {
		r.settlement = s
	}
	if err := m.stall(req, a, o.began); err != nil {
		s.settle()
		return nil, err
	}
	res := m.fromTape(req, h, o)
	if r == nil { // else the rules decide when it goes out
		s.follow(res)
	}
	return res, nil
}

// settlement tells once that an answer has gone out, or that it was lost on its way: then the sandbox
// tells the shop what it has done. No settlement, nil, tells nobody.
type settlement struct {
	once sync.Once
	tell func()
}

// settlement announces an answer and returns its settlement; nil if nobody has to know.
func (m *Replay) settlement(req *http.Request, h tapeAnswer) *settlement {
	a := h.Answer
	if m.turns {
		if t := turnOf(req); t != nil {
			t.Announced = announced(req, h)
			return nil
		}
	}
	if m.announce != nil {
		gone := m.announce(req.Context(), announced(req, h))
		if gone != nil {
			return &settlement{tell: gone}
		}
	}
	if m.settle == nil || len(a.Callbacks) == 0 && a.Due.IsZero() {
		return nil
	}
	return &settlement{tell: func() { m.settle(a) }}
}

// announced returns an answer with the call that it answers.
func announced(req *http.Request, h tapeAnswer) Announced {
	return Announced{
		Answer: h.Answer, Session: h.at.session, Call: h.at.call, Method: req.Method,
		Target: h.at.target,
	}
}

// settle tells that an answer has come to its end.
func (s *settlement) settle() {
	if s != nil {
		s.once.Do(s.tell)
	}
}

// follow has the end of a response settle it.
func (s *settlement) follow(res *http.Response) {
	if s != nil {
		res.Body = &settlingBody{ReadCloser: res.Body, of: s}
	}
}

// settlingBody is the body of a response that settles something when the door closes it.
type settlingBody struct {
	io.ReadCloser
	of    *settlement
	flush func() error // sends what the door still holds of the response; nil: nobody knows how
}

// Close sends the rest, and then tells: a shop that is called has had the answer, if it got one.
func (b *settlingBody) Close() error {
	err := b.ReadCloser.Close()
	if b.flush != nil {
		_ = b.flush() // a client that has gone needs none
	}
	b.of.settle()
	return err
}

// flushInto has a body that settles something flush a writer first, and returns the body below.
func flushInto(w http.ResponseWriter, body io.ReadCloser) io.ReadCloser {
	b, ok := body.(*settlingBody)
	if !ok {
		return body
	}
	b.flush = http.NewResponseController(w).Flush
	return b.ReadCloser
}

// latencyOf returns how long an answer is to take: a recorded time-out takes its time unless
// AtOnce is set, and every other answer if Latency is.
func (m *Replay) latencyOf(a *match.Answer) time.Duration {
	if a.Fault == leaf.FaultTimeout && m.atOnce || a.Fault != leaf.FaultTimeout && !m.latency {
		return 0
	}
	return a.Took
}

// stall lets an answer take its time, which began with its request. It ends early, with ErrAbort, if
// the client does not wait that long; then the answer counts as not delivered.
func (m *Replay) stall(req *http.Request, a *match.Answer, began time.Time) error {
	latency := m.latencyOf(a)
	if latency <= 0 {
		return nil
	}
	if t := turnOf(req); t != nil {
		t.Waited += latency
		return nil
	}
	rest := latency - time.Since(began)
	if rest <= 0 {
		return nil
	}
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-req.Context().Done():
		a.Delivered(false)
		return ErrAbort
	}
}

// notServed reports whether a header of a recorded answer is made anew or belongs to the
// connection on which it was recorded (RFC 9110, section 7.6.1).
func notServed(name string) bool {
	switch name {
	case "Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding",
		"Upgrade", "Content-Length", "Content-Encoding", "Date":
		return true
	}
	return false
}

// servedResponse is an answer from tape as it goes out. Its header is there before the rest.
type servedResponse struct {
	http.Response
	body delivery
}

func newServedResponse() *servedResponse {
	return &servedResponse{Response: http.Response{Header: http.Header{}}}
}

// servedResponses are those that went out, for their memory.
var servedResponses = sync.Pool{New: func() any { return &servedResponse{} }}

// free lets go of an answer that nobody has any more. What was added to its header stays with that.
func (s *servedResponse) free() {
	*s = servedResponse{}
	servedResponses.Put(s)
}

// addedHeader is one piece of memory for the headers of an answer that are made for it: Date,
// Paytape-Served and Content-Length.
type addedHeader struct {
	values [3]string
	n      int
}

// set puts the next one into a header.
func (a *addedHeader) set(h http.Header, name, value string) {
	a.values[a.n] = value
	h[name] = a.values[a.n : a.n+1 : a.n+1]
	a.n++
}

// copyRecorded copies a recorded header without what is not served: the recorded one and its
// values stay as they are when the copy is added to.
func copyRecorded(h, recorded http.Header) {
	for name, values := range recorded {
		if !notServed(name) {
			h[name] = slices.Clip(values)
		}
	}
	for _, list := range recorded["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
}

// dateText writes Date headers, and each second only one. It is safe for concurrent use.
type dateText struct {
	now  func() time.Time
	last atomic.Pointer[dated] // nil before the first
}

type dated struct {
	second int64 // of Unix time
	text   string
}

// text returns the Date header of an answer that is served now.
func (d *dateText) text() string { return d.at(d.now()) }

// at returns the Date header of an answer that is served at a time.
func (d *dateText) at(now time.Time) string {
	last := d.last.Load()
	if last == nil || last.second != now.Unix() {
		last = &dated{now.Unix(), now.UTC().Format(http.TimeFormat)}
		d.last.Store(last)
	}
	return last.text
}

// delivery is the body of a served answer. The answer counts as delivered when its last byte
// is handed to the door, because a client that has it may send the next request before the
// door asks for more; and no longer, if the door then does not.
type delivery struct {
	text  strings.Reader
	of    receipt
	told  bool
	ended bool
}

// receipt is told whether a client has an answer. A match.Answer is one.
type receipt interface{ Delivered(whole bool) }

// deliver makes d the body of an answer.
func (d *delivery) deliver(of receipt, text string) {
	d.of = of
	d.text.Reset(text)
}

// WriteTo is Read for those who take all at once.
func (d *delivery) WriteTo(w io.Writer) (int64, error) {
	if !d.told {
		d.told = true
		d.of.Delivered(true)
	}
	n, err := d.text.WriteTo(w)
	d.ended = err == nil
	return n, err
}

func (d *delivery) Read(p []byte) (int, error) {
	n, err := d.text.Read(p)
	if d.text.Len() == 0 && !d.told {
		d.told = true
		d.of.Delivered(true)
	}
	d.ended = d.ended || err == io.EOF
	return n, err
}

// Close takes back what a Read said if the door has not come for the end.
func (d *delivery) Close() error {
	if !d.ended {
		d.ended = true
		d.of.Delivered(false)
	}
	return nil
}

// cut gives an answer a body that breaks off where the recorded one did. What was missing of
// the recorded length is missing again; an answer that had no length has none.
func cut(res *http.Response, a *match.Answer, body string) {
	res.ContentLength = -1
	if length, err := strconv.Atoi(a.Header.Get("Content-Length")); err == nil {
		length = max(length, len(body)+1)
		res.ContentLength = int64(length)
		res.Header.Set("Content-Length", strconv.Itoa(length))
	}
	res.Body = &brokenBody{text: strings.NewReader(body), done: a.Delivered}
}

// brokenBody is a body that ends with an error, at which the door closes the connection. The
// client has then had all that there is: if it asks again that is a request of its own, and
// no retry that would get the same piece for ever.
type brokenBody struct {
	text *strings.Reader
	done func(whole bool)
}

func (b *brokenBody) Read(p []byte) (int, error) {
	if b.text.Len() == 0 {
		b.done(true)
		return 0, io.ErrUnexpectedEOF
	}
	return b.text.Read(p)
}

func (b *brokenBody) Close() error { return nil }
