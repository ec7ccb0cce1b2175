package proxy

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// RelayedCallback is a request of a sandbox to a shop on its way there.
type RelayedCallback struct {
	leaf.Unprinted
	// Began is when it arrived.
	Began time.Time
	// To is where it goes, and Target its path and query as a tape holds them: without what belongs
	// to the address of the shop. "", "?mdOrder=3f...", "/paid?...".
	To     *url.URL
	Target string
	// Call is what is known of it: see profile.Set.FindCallback.
	Call profile.Call
	// Shops sends it, once. Its error may be a problem of its own.
	Shops http.RoundTripper
	// Mark returns what a tape notes of it, when it is over.
	Mark func() leaf.Callback
	// Rules are the names of the rules of the run that change what becomes of it.
	Rules []string
	// RuleCounts tells how often each of Rules has fired: see Event.RuleCounts.
	RuleCounts []string
	// Number is that of the callback, which its attempts share; 0: nobody knows.
	Number int
	// Signed returns the text that its signature is over, for people to look at, given its cleaned
	// request. Nil: it has no signature.
	Signed func(clean *leaf.Exchange) string
}

// Watch is told of exchanges while they are recorded, by many goroutines, and the exchange waits.
type Watch interface {
	// Began is told of a request that is about to be sent, of which sent returns what went out.
	Began(number int, call profile.Call, sent func() string)
	// Ended is told of an exchange as it was on the wire, before its client has the whole answer.
	Ended(x *leaf.Exchange)
}

// signed returns what Signed does.
func (cb *RelayedCallback) signed(clean *leaf.Exchange) string {
	if cb.Signed == nil {
		return ""
	}
	return cb.Signed(clean)
}

// outbound returns a callback on its way. On tape its origin is one that leads nowhere.
func (cb *RelayedCallback) outbound(req *http.Request) *outbound {
	v := &outbound{
		call: cb.Call, up: &Upstream{Origin: leaf.CallbackOrigin}, target: cb.Target,
		upload: &upload{},
	}
	v.out = req.WithContext(req.Context())
	v.out.Header, v.out.URL = req.Header.Clone(), cb.To
	v.out.GetBody = nil
	v.out.Host = ""
	return v
}

// send sends a callback once. Its error is ErrAbort if the sandbox has gone, and a problem
// otherwise.
func (cb *RelayedCallback) send(v *outbound) (*http.Response, error) {
	res, err := cb.Shops.RoundTrip(v.out)
	var p *problem.Problem
	switch {
	case err == nil && res.StatusCode == http.StatusSwitchingProtocols:
		_ = res.Body.Close() // it is useless in any case
		return nil, shopSilent(errors.New("it switched protocols"))
	case err == nil:
		return res, nil
	case v.out.Context().Err() != nil:
		return nil, ErrAbort
	case v.upload.failed():
		return nil, problemRequest
	case errors.As(err, &p):
		return nil, p
	}
	return nil, shopSilent(err)
}

// shopSilent says in constant words why a shop gave no answer.
func shopSilent(err error) *problem.Problem {
	cause, sentence := causeOf(err)
	p := &problem.Problem{
		Code: http.StatusBadGateway, Kind: ProblemShop,
		Message: "the shop gave no answer: " + sentence,
		Fault:   leaf.FaultNoAnswer, Cause: cause,
	}
	if cause == CauseTimeout {
		p.Code, p.Fault = http.StatusGatewayTimeout, leaf.FaultTimeout
	}
	return p
}

// wireCopy returns the copy of a callback on its way, and puts it between the callback and its body.
func (cb *RelayedCallback) wireCopy(req *http.Request, observe func(Event), room func() spool) wireCopy {
	v := cb.outbound(req)
	v.upload.watch(v.out, room(), nil)
	return wireCopy{
		route: &Route{Upstreams: &Upstreams{}, Observe: observe}, outbound: v,
		began: cb.Began, header: v.out.Header, callback: cb, got: room(),
	}
}

// Relay passes a callback on to its shop and returns the shop's answer. The attempt is on tape when
// the reader of the answer has the whole of it. Its only error is ErrAbort.
func (m *Record) Relay(req *http.Request, cb RelayedCallback) (*http.Response, error) {
	c := &capture{wireCopy: cb.wireCopy(req, m.route.Observe, m.spool), mode: m, number: m.tape.Next()}
	res, err := cb.send(c.outbound)
	if err != nil {
		return c.fail(req, err)
	}
	c.watchAnswer(res)
	return res, nil
}

// Relay passes a callback on to its shop and returns the shop's answer. Its only error is ErrAbort.
func (m *Pass) Relay(req *http.Request, cb RelayedCallback) (*http.Response, error) {
	c := cb.wireCopy(req, m.route.Observe, m.spool)
	report := func(e Event, failure string) {
		x, _ := c.exchange(failure)
		e.Code, e.Took = c.code, x.Response.Duration
		e.relayed(x, &cb)
		e.Operation = m.cleaner.Text(e.Operation).String()
		e.Text, e.Exchange = m.cleaner.Text(failure), NewExchange(x)
		tell(m.route.Observe, e)
	}
	res, err := cb.send(c.outbound)
	if err != nil {
		var p *problem.Problem
		if !errors.As(err, &p) {
			report(Event{}, c.whoLeft(req)+" before the answer")
			return nil, ErrAbort
		}
		res := p.Response(req)
		c.ownAnswer(res, p.Body())
		c.fault = p.Fault
		report(Event{Problem: p.Kind, Cause: p.Cause}, p.Message)
		return res, nil
	}
	c.head(res)
	res.Body = &tap{src: res.Body, data: c.keep, end: func(err error) {
		report(Event{}, c.failure(err))
	}}
	return res, nil
}

// relayed makes an event that of a callback that was passed on, if the exchange is one. What the
// callback tells is a word of the sandbox's.
func (e *Event) relayed(x *leaf.Exchange, cb *RelayedCallback) {
	mark := x.Meta.Callback
	if mark == nil {
		return
	}
	e.Kind, e.Outcome = Callback, OutcomeRelayed
	e.Profile, e.Operation = x.Meta.Profile, mark.Operation
	e.Attempt, e.Checksum, e.Rules = mark.Attempt, mark.Checksum, x.Meta.Rules
	e.Callback, e.RuleCounts = cb.Number, cb.RuleCounts
}
