package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/internal/leaf"
)

// capture is an exchange while it is being recorded. Bodies are copied as they pass, as they
// are on the wire; nothing is cleaned before the exchange is complete.
type capture struct {
	leaf.Unprinted
	mode   *Record
	visit  *visit
	number int
	began  time.Time
	header http.Header          // of the request, as the sandbox sees it
	show   func(*leaf.Exchange) // see Record.forward; may be nil

	// What is known of the answer, by the one goroutine that reads it.
	code    int
	status  string
	answer  http.Header
	got     spool
	res     *http.Response // for the trailers; nil before the head came
	endless bool           // an event stream: ending it is no failure
	fault   string         // the sandbox's, if it has failed (see leaf.Meta)

	problem, cause, unkept string // of Event

	once sync.Once
}

// watchAnswer notes the head of the answer and puts the capture between the sandbox's body
// and the client. An answer without a body is on tape when watchAnswer returns.
func (c *capture) watchAnswer(res *http.Response) {
	c.res, c.code, c.status, c.answer = res, res.StatusCode, res.Status, res.Header.Clone()
	c.endless = streams(res.Header)
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols:
		c.finish("")
		return
	case !hasBody(c.visit.out, res):
		c.finish("")
		return
	}
	body := &tap{src: res.Body, data: c.keep, end: func(err error) { c.finish(c.failure(err)) }}
	res.Body = &holdback{src: body, left: res.ContentLength}
	if res.ContentLength < 0 && (c.endless || c.visit.out.ProtoAtLeast(1, 1)) {
		// Of what comes without a length every byte passes at once: its reader has the whole
		// only with the end, which tap holds. A reader of HTTP/1.0 is different: a process
		// that is killed ends an answer for it.
		res.Body = body
	}
}

// keep keeps a piece of the answer.
func (c *capture) keep(p []byte) {
	c.got.add(p)
	c.visit.upload.share(&c.got)
}

// hasBody reports whether bytes may follow the head of an answer.
func hasBody(req *http.Request, res *http.Response) bool {
	switch {
	case req.Method == http.MethodHead, res.Body == http.NoBody, res.ContentLength == 0:
		return false
	}
	return res.StatusCode != http.StatusNoContent && res.StatusCode != http.StatusNotModified
}

// failure says what the end of an answer's body means for the exchange; "" is a good end.
func (c *capture) failure(err error) string {
	if err == io.EOF {
		return ""
	}
	left := err == errClosed || c.visit.out.Context().Err() != nil
	switch {
	case left && c.endless:
		return ""
	case left:
		return fmt.Sprintf("%s after %d bytes", whoLeft(c.visit.out), c.got.n)
	}
	c.fault, c.problem, c.cause = leaf.FaultCut, ProblemCut, CauseCut
	return fmt.Sprintf("cut after %d bytes", c.got.n)
}

// fail ends an exchange to which no sandbox gave an answer, and returns what the client gets.
func (c *capture) fail(req *http.Request, err error) (*http.Response, error) {
	var p *problem
	if !errors.As(err, &p) {
		c.finish(whoLeft(req) + " before the answer")
		return nil, ErrAbort
	}
	if c.fault = p.fault; c.fault != "" {
		c.visit.upload.drain(c.visit.out)
	}
	res := p.response(req)
	c.code, c.status, c.answer = res.StatusCode, res.Status, res.Header.Clone()
	c.got.add(p.body())
	c.problem, c.cause = p.Kind, p.cause
	c.finish(p.Message)
	return res, nil
}

// whoLeft says who ended an exchange that the sandbox did not end.
func whoLeft(req *http.Request) string {
	if context.Cause(req.Context()) == errStopping {
		return "the deck stopped"
	}
	return "the client left"
}

// finish puts the exchange on tape. It returns when it is there, or cannot be.
func (c *capture) finish(failure string) {
	c.once.Do(func() {
		up := c.visit.upload
		c.mode.budget.cleaning(up.held()+c.got.held, func() {
			c.mode.append(c, c.exchange(failure))
		})
	})
}

// exchange makes the exchange as it was on the wire. go-vcr's form stays empty: it would be
// a second copy of every parameter of the body.
func (c *capture) exchange(failure string) *leaf.Exchange {
	up := c.visit.upload
	up.mu.Lock()
	defer up.mu.Unlock()
	var withheld string
	c.unkept, withheld = c.withheld(up)
	x := &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Method: c.visit.out.Method, URL: c.visit.tapeURL(),
				Headers: c.requestHeader(up.trailer),
			},
			Response: cassette.Response{
				Code: c.code, Status: c.status, Headers: c.answer, Duration: time.Since(c.began),
			},
		},
		Meta: leaf.Meta{
			Number: c.number, At: c.began, Base: c.visit.up.Base,
			Host:    c.mode.route.Upstreams.nameOf(c.visit.up),
			Failure: failure, Fault: c.fault, Withheld: withheld,
		},
	}
	x.Request.Body = up.sent.stored(x.Request.Headers)
	x.Response.Body = c.got.stored(x.Response.Headers)
	up.sent.free()
	c.got.free()
	if p := c.visit.call.Profile; p != nil {
		x.Meta.Profile = p.Name
	}
	if o := c.visit.call.Operation; o != nil {
		x.Meta.Operation = o.Name
	}
	if c.res != nil && len(c.res.Trailer) > 0 {
		x.Meta.Trailers = filled(c.res.Trailer)
	}
	return x
}

// requestHeader is the request's header as the sandbox saw it, with the trailers among it,
// because a tape has no other place for those.
func (c *capture) requestHeader(trailer http.Header) http.Header {
	h := c.header.Clone()
	if agent, ok := h["User-Agent"]; ok && len(agent) == 1 && agent[0] == "" {
		delete(h, "User-Agent") // how net/http is told to send none
	}
	if agent, ok := h[oddAgent]; ok {
		delete(h, oddAgent)
		h["User-Agent"] = agent
	}
	for name, values := range trailer {
		if _, known := h[name]; !known && len(values) > 0 {
			h[name] = values
		}
	}
	return h
}

// withheld says why a body is not on tape, in a word and in a sentence; both are empty if both
// bodies are.
func (c *capture) withheld(up *upload) (word, sentence string) {
	limit := strconv.FormatInt(c.mode.limit, 10) + " bytes"
	length := c.visit.out.ContentLength
	switch {
	case up.sent.over():
		return WithheldLimit, "the body of the request is over the limit of " + limit
	case c.got.over():
		return WithheldLimit, "the body of the answer is over the limit of " + limit
	case up.sent.starved || c.got.starved:
		return WithheldBudget, "the bodies under way were more than are kept at once"
	case !up.whole && (length < 0 || up.sent.n != length):
		return WithheldUnread, "the body of the request was not read to its end"
	case c.code == http.StatusSwitchingProtocols:
		return WithheldSwitch, "the protocol was switched: what followed is not on tape"
	}
	return "", ""
}

// filled returns the trailers that came, without those that were only announced.
func filled(trailer http.Header) http.Header {
	h := maps.Clone(trailer)
	maps.DeleteFunc(h, func(_ string, values []string) bool { return len(values) == 0 })
	return h.Clone()
}
