package proxy

import (
	"errors"
	"io"
	"net/http"
	"time"

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
	cleaner texter
}

// NewPass returns a mode that passes requests on.
func NewPass(o PassOptions) (*Pass, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Cleaner == nil {
		return nil, errors.New("passing needs a cleaner")
	}
	return &Pass{route: o.Route, cleaner: o.Cleaner}, nil
}

// RoundTrip forwards a request and returns the sandbox's answer. Its only error is ErrAbort.
func (m *Pass) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	report := func(e Event) {
		at, _ := enter(req.URL) // a bad session stays part of the target
		target := pathOf(at.target)
		e.Took = time.Since(began)
		e.identify(m.route.Upstreams.find(req.Method, target))
		e.line(m.cleaner, req.Method, target)
		tell(m.route.Observe, e)
	}
	res, failure := m.forward(req)
	if failure != nil {
		res, err := settle(req, failure)
		e := Event{Kind: Failed}
		e.answered(res)
		e.blame(failure)
		report(e)
		return res, err
	}
	if res.StatusCode == http.StatusSwitchingProtocols {
		report(Event{Kind: Passed, Code: res.StatusCode})
		return res, nil // its body is the connection
	}
	code, endless := res.StatusCode, streams(res.Header)
	res.Body = &tap{src: res.Body, end: func(err error) {
		e := Event{Kind: Passed, Code: code}
		if err != io.EOF && !endless {
			e.Kind = Failed
		}
		if e.Kind == Failed && err != errClosed && req.Context().Err() == nil {
			e.Problem, e.Cause = ProblemCut, CauseCut
		}
		report(e)
	}}
	return res, nil
}

func (m *Pass) forward(req *http.Request) (*http.Response, error) {
	v, err := m.route.find(req)
	if err != nil {
		return nil, err
	}
	if err := m.route.prepare(v, spool{}); err != nil {
		return nil, err
	}
	res, err := m.route.send(v)
	if err != nil {
		return nil, err
	}
	m.route.turnAnswer(v, res)
	return res, nil
}
