package proxy

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/internal/leaf"
)

// wireCopy is a copy of what passes between a client and a sandbox. Bodies are copied as they
// pass, as they are on the wire.
type wireCopy struct {
	leaf.Unprinted
	route    *Route
	outbound *outbound
	began    time.Time
	header   http.Header      // of the request, as the sandbox sees it
	callback *RelayedCallback //  nil for a request of a client

	// What is known of the answer, by the one goroutine that reads it.
	code    int
	status  string
	answer  http.Header
	got     spool
	res     *http.Response // for the trailers; nil before the head came
	endless bool           // an event stream: ending it is no failure
	fault   string         // the sandbox's, if it has failed (see leaf.Meta)
}

// head notes the head of the sandbox's answer.
func (c *wireCopy) head(res *http.Response) {
	c.res, c.code, c.status, c.answer = res, res.StatusCode, res.Status, res.Header.Clone()
	c.endless = streams(res.Header)
}

// ownAnswer notes the deck's own answer, in place of one of the sandbox.
func (c *wireCopy) ownAnswer(res *http.Response, body []byte) {
	c.code, c.status, c.answer = res.StatusCode, res.Status, res.Header.Clone()
	c.got.add(body)
}

// came reports whether an answer of the sandbox came.
func (c *wireCopy) came() bool { return c.res != nil }

// keep keeps a piece of the answer.
func (c *wireCopy) keep(p []byte) {
	c.got.add(p)
	c.outbound.upload.share(&c.got)
}

// failure says what the end of an answer's body means for the exchange; "" is a good end.
func (c *wireCopy) failure(err error) string {
	if err == io.EOF {
		return ""
	}
	left := err == errClosed || c.outbound.out.Context().Err() != nil
	switch {
	case left && c.endless:
		return ""
	case left:
		return fmt.Sprintf("%s after %d bytes", c.whoLeft(c.outbound.out), c.got.n)
	}
	c.fault = leaf.FaultCut
	return fmt.Sprintf("cut after %d bytes", c.got.n)
}

// whoLeft says who ended an exchange that was not ended by the side that was asked.
func (c *wireCopy) whoLeft(req *http.Request) string {
	switch {
	case context.Cause(req.Context()) == errStopping:
		return "the deck stopped"
	case c.callback != nil:
		return "the sandbox left"
	}
	return "the client left"
}

// hasBody reports whether bytes may follow the head of an answer.
func hasBody(req *http.Request, res *http.Response) bool {
	switch {
	case req.Method == http.MethodHead, res.Body == http.NoBody, res.ContentLength == 0:
		return false
	}
	return res.StatusCode != http.StatusNoContent && res.StatusCode != http.StatusNotModified
}

// exchange makes the exchange as it was on the wire, and says in a word why a body is not part of
// it (see Event.Withheld). go-vcr's form stays empty: it would be a second copy of every parameter
// of the body.
func (c *wireCopy) exchange(failure string) (*leaf.Exchange, string) {
	up := c.outbound.upload
	up.mu.Lock()
	defer up.mu.Unlock()
	word, sentence := c.withheld(up)
	x := &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Method: c.outbound.out.Method, URL: c.outbound.tapeURL(),
				Headers: c.requestHeader(up.trailer),
			},
			Response: cassette.Response{
				Code: c.code, Status: c.status, Headers: c.answer, Duration: time.Since(c.began),
			},
		},
		Meta: leaf.Meta{
			At: c.began, Base: c.outbound.up.Base, Host: c.route.Upstreams.nameOf(c.outbound.up),
			Aliases: c.route.Upstreams.aliasesOf(c.outbound.up),
			Failure: failure, Fault: c.fault, Withheld: sentence,
		},
	}
	x.Request.Body = up.sent.stored(&x.Request.Headers)
	x.Response.Body = c.got.stored(&x.Response.Headers)
	up.stored = x.Request.Body
	up.sent.free()
	c.got.free()
	if p := c.outbound.call.Profile; p != nil {
		x.Meta.Profile = p.Name
	}
	if o := c.outbound.call.Operation; o != nil {
		x.Meta.Operation = o.Name
	}
	c.noteCallbacks(x)
	if c.res != nil && len(c.res.Trailer) > 0 {
		x.Meta.Trailers = filled(c.res.Trailer)
	}
	return x, word
}

// requestHeader is the request's header as the sandbox saw it, with the trailers among it,
// because a tape has no other place for those.
func (c *wireCopy) requestHeader(trailer http.Header) http.Header {
	agent := c.header["User-Agent"]
	noAgent := len(agent) == 1 && agent[0] == "" // how net/http is told to send none
	raw, hasRaw := c.header[rawUserAgent]
	if !noAgent && !hasRaw && len(trailer) == 0 {
		return c.header // which is ours, and has been sent
	}
	h := c.header.Clone()
	if noAgent {
		delete(h, "User-Agent")
	}
	if hasRaw {
		delete(h, rawUserAgent)
		h["User-Agent"] = raw
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
func (c *wireCopy) withheld(up *upload) (word, sentence string) {
	limit := strconv.FormatInt(c.got.limit, 10) + " bytes"
	length := c.outbound.out.ContentLength
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
