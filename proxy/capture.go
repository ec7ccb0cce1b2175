package proxy

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// capture is an exchange while it is being recorded. Nothing is cleaned before the exchange is
// complete.
type capture struct {
	wireCopy
	mode   *Record
	number int
	show   func(*leaf.Exchange) // see Record.forward; may be nil

	problem, cause, unkept string // of Event

	once sync.Once
}

// watchAnswer notes the head of the answer and puts the capture between the sandbox's body
// and the client. An answer without a body is on tape when watchAnswer returns.
func (c *capture) watchAnswer(res *http.Response) {
	c.head(res)
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols:
		c.finish("")
		return
	case !hasBody(c.outbound.out, res):
		c.finish("")
		return
	}
	body := &tap{src: res.Body, data: c.keep, end: func(err error) { c.finish(c.ended(err)) }}
	res.Body = &holdback{src: body, left: res.ContentLength}
	if res.ContentLength < 0 && (c.endless || c.outbound.out.ProtoAtLeast(1, 1)) {
		// Of what comes without a length every byte passes at once: its reader has the whole
		// only with the end, which tap holds. A reader of HTTP/1.0 is different: a process
		// that is killed ends an answer for it.
		res.Body = body
	}
}

// hasBody reports whether bytes may follow the head of an answer.
func hasBody(req *http.Request, res *http.Response) bool {
	switch {
	case req.Method == http.MethodHead, res.Body == http.NoBody, res.ContentLength == 0:
		return false
	}
	return res.StatusCode != http.StatusNoContent && res.StatusCode != http.StatusNotModified
}

// fail ends an exchange to which no sandbox gave an answer, and returns what the client gets.
func (c *capture) fail(req *http.Request, err error) (*http.Response, error) {
	var p *problem.Problem
	if !errors.As(err, &p) {
		c.finish(whoLeft(req) + " before the answer")
		return nil, ErrAbort
	}
	if c.fault = p.Fault; c.fault != "" {
		c.outbound.upload.drain(c.outbound.out)
	}
	res := p.Response(req)
	c.ownAnswer(res, p.Body())
	c.problem, c.cause = p.Kind, p.Cause
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
		up := c.outbound.upload
		c.mode.budget.cleaning(up.held()+c.got.held, func() {
			c.mode.append(c, c.recorded(failure))
		})
	})
}

// ended says what the end of an answer's body means for the exchange; "" is a good end.
func (c *capture) ended(err error) string {
	failure := c.failure(err)
	if c.fault != "" {
		c.problem, c.cause = ProblemCut, CauseCut
	}
	return failure
}

// recorded makes the exchange for the tape.
func (c *capture) recorded(failure string) *leaf.Exchange {
	x, withheld := c.exchange(failure)
	x.Meta.Number, c.unkept = c.number, withheld
	return x
}
