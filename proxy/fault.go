package proxy

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// deliver makes a response of an answer when its time has come.
func (m *Replay) deliver(req *http.Request, h tapeAnswer, o outcome) (*http.Response, error) {
	if err := m.stall(req, h.Answer, time.Since(o.began)); err != nil {
		return nil, err
	}
	return m.fromTape(req, h, o.Event), nil
}

// latencyOf returns how long an answer is to take: a recorded time-out takes its time unless
// AtOnce is set, and every other answer if Latency is.
func (m *Replay) latencyOf(a *match.Answer) time.Duration {
	if a.Fault == leaf.FaultTimeout && m.atOnce || a.Fault != leaf.FaultTimeout && !m.latency {
		return 0
	}
	return a.Took
}

// stall lets an answer take its time, of which some has passed. It ends early, with ErrAbort, if
// the client does not wait that long; then the answer counts as not delivered.
func (m *Replay) stall(req *http.Request, a *match.Answer, passed time.Duration) error {
	rest := m.latencyOf(a) - passed
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
