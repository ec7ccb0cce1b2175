package proxy

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/redact"
)

// PassOptions are what a Pass is made of.
type PassOptions struct {
	Route
	// Cleaner cleans what events tell of calls that no profile knows.
	Cleaner interface{ Text(s string) redact.Safe }
}

// Pass forwards requests and records nothing; it tells its observer what went through.
type Pass struct {
	route   Route
	cleaner textCleaner
	budget  *budget // of what is kept of bodies for whoever looks at them
}

// NewPass returns a mode that passes requests on.
func NewPass(o PassOptions) (*Pass, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Cleaner == nil {
		return nil, errors.New("passing needs a cleaner")
	}
	return &Pass{
		route: o.Route, cleaner: o.Cleaner, budget: newBudget(enough(0, passedLimit)),
	}, nil
}

// passedLimit is how many bytes of one body are kept of what passes, for whoever looks at it.
const passedLimit = 1 << 20

// spool returns a place for a body. It keeps nothing if nobody is told of what passes.
func (m *Pass) spool() spool {
	if m.route.Observe == nil {
		return spool{}
	}
	return spool{limit: passedLimit, budget: m.budget}
}

// RoundTrip forwards a request and returns the sandbox's answer. Its only error is ErrAbort.
func (m *Pass) RoundTrip(req *http.Request) (*http.Response, error) {
	at, err := enter(req, req.URL, m.route.Upstreams.set)
	c := &wireCopy{route: &m.route, began: at.began, got: m.spool()}
	report := func(e Event, failure string) {
		e.Took = time.Since(at.began)
		e.in(m.cleaner, at.session)
		e.identify(at.call)
		e.of(req.Context())
		e.line(m.cleaner, req.Method, pathOf(at.target))
		if m.route.Observe != nil && c.outbound != nil {
			x, _ := c.exchange(failure)
			ruledOf(req).answered(x, passedLimit, c.came())
			e.ruled(ruling(req))
			e.Exchange = &Exchange{raw: x}
			e.Exchange.measure()
		}
		tell(m.route.Observe, e)
	}
	var res *http.Response
	if err == nil {
		res, err = m.forward(req, at, c)
	}
	if failure := err; failure != nil {
		res, err := failureResponse(req, failure)
		e := Event{Kind: Failed}
		e.answered(res)
		e.blame(failure)
		if res != nil {
			c.ownAnswer(res, []byte(problem.Text(res)))
		}
		report(e, failure.Error())
		return res, err
	}
	if res.StatusCode == http.StatusSwitchingProtocols {
		report(Event{Kind: Passed, Code: res.StatusCode}, "")
		return res, nil // its body is the connection
	}
	body := &tap{src: res.Body, end: func(err error) {
		e := Event{Kind: Passed, Code: c.code}
		if err != io.EOF && !c.endless {
			e.Kind = Failed
		}
		if e.Kind == Failed && err != errClosed && req.Context().Err() == nil {
			e.Problem, e.Cause = ProblemCut, CauseCut
		}
		report(e, c.failure(err))
	}}
	res.Body = body
	if ruling(req).Looks() { // who has all of the answer may count on it that the rules know it
		res.Body = &holdback{src: body, left: res.ContentLength}
	}
	return res, nil
}

// forward asks the sandbox, and has c copy what passes.
func (m *Pass) forward(req *http.Request, at inbound, c *wireCopy) (*http.Response, error) {
	v, err := m.route.find(req, at)
	if err != nil {
		return nil, err
	}
	c.outbound = v
	c.header = v.out.Header
	if err := m.route.prepare(v, m.spool()); err != nil {
		return nil, err
	}
	c.header = v.header()
	res, err := m.route.send(v)
	if err != nil {
		return nil, err
	}
	c.head(res)
	if m.route.Observe != nil && res.StatusCode != http.StatusSwitchingProtocols &&
		hasBody(v.out, res) {
		// What the sandbox sent is kept, before addresses in it lead to the deck.
		res.Body = &tap{src: res.Body, data: c.keep, end: func(error) {}}
	}
	m.route.rewriteAnswer(v, res)
	return res, nil
}
