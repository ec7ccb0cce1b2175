package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// RuledOptions are what a mode under rules is made of.
type RuledOptions struct {
	Mode     http.RoundTripper // a Record, Replay, Spy or Pass
	Rules    *rules.Engine
	Profiles *profile.Set
	// Cleaner cleans what events tell of calls that no profile knows.
	Cleaner FieldCleaner
	// Observe is told of requests that a rule answers or loses. Nil: nobody is told.
	Observe func(Event)
	// Quiet leaves Paytape-Rules out of the answers.
	Quiet bool
	// Limit is how many bytes a body may have that rules look at, coded and decoded; 0 means
	// DefaultLimit. A request with a larger one passes by the rules. Of an answer with a larger
	// one, and of a stream, rules see the head.
	Limit int64
	// Turns has requests served by their Turn, if they have one. False: none has one.
	Turns bool
}

// Ruled is a mode under the rules of the run (package match/rules). Before the mode it changes the
// request, answers it or loses it; behind the mode it changes the answer, and delivers it late, in
// pieces or not at all.
//
// The mode in between knows of the rules three things: which branch of the tape is to be taken,
// what the true answer is (that is for the rules to know, see ruledRequest.answered), and the names
// of the rules that fired, for events and for the tape. A tape holds the true answer.
type Ruled struct {
	mode     http.RoundTripper
	rules    *rules.Engine
	requests requestReader
	cleaner  FieldCleaner
	observe  func(Event)
	quiet    bool
}

// ruledDirect is a Ruled whose mode has its answers itself.
type ruledDirect struct {
	*Ruled
	source directMode
}

// NewRuled returns a mode under rules.
func NewRuled(o RuledOptions) (http.RoundTripper, error) {
	switch {
	case o.Mode == nil:
		return nil, errors.New("rules need a mode")
	case o.Rules == nil:
		return nil, errors.New("rules need an engine")
	case o.Profiles == nil || o.Cleaner == nil:
		return nil, errors.New("rules need profiles and a cleaner")
	case o.Limit < 0:
		return nil, errors.New("the limit of bodies is negative")
	case o.Limit == 0:
		o.Limit = DefaultLimit
	}
	m := &Ruled{
		mode: o.Mode, rules: o.Rules, cleaner: o.Cleaner, observe: o.Observe, quiet: o.Quiet,
		requests: requestReader{o.Profiles, o.Limit, newBudget(enough(0, o.Limit)), o.Turns},
	}
	if source, ok := o.Mode.(directMode); ok {
		return &ruledDirect{m, source}, nil
	}
	return m, nil
}

// RoundTrip answers a request as the rules and the mode have it. Its only error is ErrAbort.
func (m *Ruled) RoundTrip(req *http.Request) (*http.Response, error) {
	return m.apply(req, req.URL, m.mode.RoundTrip)
}

// answer is RoundTrip for a mode that has its answers itself.
func (m *ruledDirect) answer(req *http.Request, u url.URL, to *servedResponse) (*http.Response, error) {
	return m.apply(req, &u, func(req *http.Request) (*http.Response, error) {
		return m.source.answer(req, u, to) // which is told by the rules where a rule has turned it
	})
}

// ruledRequest is a request that rules have looked at. The mode behind them need not take it apart
// again.
type ruledRequest struct {
	at      inbound
	request *match.Request // in canonical form; nil if the mode has to read it
	body    string         // as it was on the wire
	streams bool           // the answer of the mode is a stream, which may have no end
	// undelivered tells the mode that the client has not got its answer; nil: the mode need not
	// know.
	undelivered   func()
	settlement    *settlement // of the mode's answer; nil: nobody has to know of its end
	*rules.Ruling             // nil: they have nothing to say of it
}

// isRead reports whether rules have read the whole of a request; nil is one that they have not
// seen.
func (r *ruledRequest) isRead() bool { return r != nil && r.request != nil }

type ruledKey struct{}

// ruledOf returns what the rules have made of a request; nil if they have not looked at it.
func ruledOf(req *http.Request) *ruledRequest {
	r, _ := req.Context().Value(ruledKey{}).(*ruledRequest)
	return r
}

// ruling returns the ruling of a request; nil if there is none, which says nothing.
func ruling(req *http.Request) *rules.Ruling {
	if r := ruledOf(req); r != nil {
		return r.Ruling
	}
	return nil
}

// apply answers a request by its turn, if it has one.
func (m *Ruled) apply(req *http.Request, u *url.URL,
	ask func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if m.requests.turns {
		if t := turnOf(req); t != nil {
			return m.takeTurn(req, u, ask, t)
		}
	}
	return m.ask(req, u, ask)
}

// takeTurn is ask by the rules of a turn, which is told of the status line.
func (m *Ruled) takeTurn(req *http.Request, u *url.URL,
	ask func(*http.Request) (*http.Response, error), t *Turn) (*http.Response, error) {
	own := *m
	own.rules = t.Rules
	res, err := own.ask(req, u, ask)
	if err == nil {
		t.Status = res.Status
	}
	return res, err
}

// ask asks the rules, the mode, and the rules again.
func (m *Ruled) ask(req *http.Request, u *url.URL,
	ask func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	values, named := req.Header[rules.RuleHeader]
	wanted := rules.AskedFor(values)
	if named {
		req = withOwnHeader(req)
		req.Header.Del(rules.RuleHeader) // it is meant for the deck
	}
	if m.rules.Idle() {
		return ask(req)
	}
	at, err := enter(req, u, m.requests.profiles)
	if err != nil || !m.rules.Concerns(at.call) {
		return ask(req)
	}
	src := &budgetedBody{ReadCloser: req.Body, budget: m.requests.budget}
	defer src.free()
	r, next, err := m.begin(req, at, src, wanted)
	if err != nil {
		return m.refuse(req, at, err)
	}
	var res *http.Response
	if r.Ruling == nil {
		res, err = ask(next)
	} else {
		res, err = m.govern(next, r, ask)
	}
	if err != nil {
		r.settlement.settle()
		return nil, err
	}
	r.settlement.follow(res)
	return res, nil
}

// govern answers a request of which the rules have something to say.
func (m *Ruled) govern(req *http.Request, r *ruledRequest,
	ask func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if a, ok := r.Early(); ok {
		return m.alone(req, r, a)
	}
	_, replays := m.mode.(*Replay)
	if _, spies := m.mode.(*Spy); !replays && !spies {
		if a, ok := r.Declined(); ok {
			return m.alone(req, r, a) // the payment must not reach the sandbox
		}
	}
	res, err := ask(req)
	if d := (declinedHere{}); errors.As(err, &d) {
		return m.alone(req, r, d.answer)
	}
	if err != nil {
		return nil, err
	}
	return m.finish(req, r, res)
}

// declinedHere is returned by a Spy that would have to ask the sandbox for a payment which a rule
// declines: it must not reach the sandbox.
type declinedHere struct{ answer *rules.Answer }

// Error says what it is.
func (declinedHere) Error() string { return "a rule declines the payment" }

// begin reads a request, whose body is src, and asks the rules for a ruling. The request that it
// returns has its body again, and tells the mode what was found. The error is problemBusy: a
// request that the rules cannot look at, because too many are under way, goes no further.
func (m *Ruled) begin(req *http.Request, at inbound, src *budgetedBody, wanted []string,
) (r *ruledRequest, next *http.Request, err error) {
	r = &ruledRequest{at: at}
	next = req.WithContext(context.WithValue(req.Context(), ruledKey{}, r))
	if req.Body != nil && req.Body != http.NoBody {
		ahead, whole, rest := m.requests.ahead(req, src)
		if src.starved {
			return nil, nil, problemBusy
		}
		src.passing = true
		if next.Body = rest; !whole {
			return r, next, nil
		}
		r.body = string(ahead)
	}
	m.requests.budget.cleaning(int64(len(r.body)), func() { m.read(next, r, wanted) })
	return r, next, nil
}

// read asks the rules for a ruling about a request whose body is there, and makes the request what
// they want of it.
func (m *Ruled) read(next *http.Request, r *ruledRequest, wanted []string) {
	text, charset := m.requests.decodedText(next, r.body)
	if r.request = m.requests.canonical(next, r.at, text); r.request == nil {
		return
	}
	r.Ruling = m.rules.Begin(&rules.Asked{Request: r.request, Body: text, Rules: wanted})
	r.request.Choice = r.Choice()
	q, changed := r.Ask(rules.Question{Target: r.at.target, Header: next.Header, Body: text})
	if changed {
		m.turn(next, r, q, text, charset)
	}
}

// turn makes a request another, as a rule has it. text is its body as it was, and charset what that
// was in.
func (m *Ruled) turn(req *http.Request, r *ruledRequest, q rules.Question, text, charset string) {
	req.Header = q.Header
	if q.Target != r.at.target {
		r.at.target, r.at.address = q.Target, absolute(r.at.origin, q.Target)
		if m.requests.profiles != nil {
			r.at.call = m.requests.profiles.Find(req.Method, pathOf(q.Target))
		}
	}
	if q.Body != text {
		r.body = recoded(req.Header, charset, q.Body)
		setRequestBody(req, r.body)
	}
	r.request = nil
	if r.request = m.requests.canonical(req, r.at, q.Body); r.request != nil {
		r.request.Choice = r.Choice()
	}
}

// setRequestBody gives a request a body. One with trailers has no length: they follow its chunks.
func setRequestBody(req *http.Request, body string) {
	req.Body, req.ContentLength, req.TransferEncoding = textBody(body), int64(len(body)), nil
	switch {
	case len(req.Trailer) > 0:
		req.ContentLength = -1
		req.Header.Del("Content-Length")
	case req.Header.Get("Content-Length") != "":
		req.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
}

// refuse answers a request that is asked of nobody.
func (m *Ruled) refuse(req *http.Request, at inbound, why error) (*http.Response, error) {
	res, err := failureResponse(req, why)
	e := Event{Kind: Failed, Took: time.Since(at.began)}
	e.in(m.cleaner, at.session)
	e.answered(res)
	e.identify(at.call)
	e.of(req.Context())
	e.line(m.cleaner, req.Method, pathOf(at.target))
	tell(m.observe, e)
	return res, err
}

// alone answers a request without the mode.
func (m *Ruled) alone(req *http.Request, r *ruledRequest, a *rules.Answer) (*http.Response, error) {
	r.Answered(*a)
	changed := r.Change(*a)
	res, err := m.deliver(req, r, ruledResponse(req, &changed))
	e := Event{Kind: ByRule, Code: changed.Code, Rules: r.Fired(), RuleCounts: r.Counts()}
	e.in(m.cleaner, r.at.session)
	if err != nil {
		e.Code = 0
	}
	e.identify(r.at.call)
	e.of(req.Context())
	e.line(m.cleaner, req.Method, pathOf(r.at.target))
	if m.observe != nil {
		e.Exchange = r.exchange(req, &changed, e.Code)
	}
	e.Took = time.Since(r.at.began)
	tell(m.observe, e)
	return res, err
}

// exchange returns a request and the answer of a rule, for whoever looks at it later. Code 0 says
// that the client has got no answer.
func (r *ruledRequest) exchange(req *http.Request, a *rules.Answer, code int) *Exchange {
	x := &leaf.Exchange{}
	x.Method, x.URL = req.Method, r.at.address
	x.Request.Headers, x.Request.Body = req.Header.Clone(), r.body
	x.Meta.At, x.Meta.Rules = r.at.began, r.Fired()
	if x.Code = code; code != 0 {
		x.Response.Headers, x.Response.Body = a.Header, a.Body
	} else {
		x.Meta.Failure = "there was no answer: a rule has lost it, or the client has left"
	}
	e := &Exchange{raw: x}
	e.measure()
	return e
}

// finish changes the answer of the mode and delivers it. A miss, a failure of the deck's own and a
// switch of protocols are no answers that rules look at.
func (m *Ruled) finish(req *http.Request, r *ruledRequest, res *http.Response,
) (*http.Response, error) {
	if problem.Made(res) || res.StatusCode == http.StatusSwitchingProtocols {
		m.explain(r, res)
		return res, nil // it stays what it is, and says what it is
	}
	r.streams = streams(res.Header)
	if r.Holds() {
		m.change(req, r, res)
	}
	return m.deliver(req, r, res)
}

// explain tells in an answer which rules fired.
func (m *Ruled) explain(r *ruledRequest, res *http.Response) {
	if text := r.Explanation(); text != "" && !m.quiet {
		res.Header[rules.ExplanationHeader] = []string{text}
	}
}
