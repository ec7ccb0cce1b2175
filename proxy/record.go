package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/redact"
)

// DefaultLimit is how many bytes of one body are kept for the tape.
const DefaultLimit = 16 << 20

// Tape takes cleaned exchanges. Append returns when the exchange would survive the end of
// the process.
type Tape interface {
	Next() int
	Append(x redact.Clean) error
}

// Cleaner makes what a tape and an event may hold.
type Cleaner interface {
	Clean(x *leaf.Exchange) redact.Clean
	Text(s string) redact.Safe
}

// RecordOptions are what a Record is made of.
type RecordOptions struct {
	Route
	Tape    Tape
	Cleaner Cleaner
	// Editions say on tape with which profiles it is recorded. Nil: the tape does not tell.
	Editions *profile.Editions
	// Watch is told of what is recorded, apart from callbacks. Nil: nobody is.
	Watch Watch
	// Limit is how many bytes of one body are kept; 0 means DefaultLimit. A larger body is
	// passed on, and its exchange is marked as withheld.
	Limit int64
	// Budget is how many bytes are kept of all bodies under way; 0 means DefaultBudget. A body
	// for which it has no room is passed on like one that is too large. It is never less than
	// one exchange may need.
	Budget int64
}

// Record forwards requests and puts what happens on tape. Clients and sandbox see each
// other's bytes; what is cleaned is a copy.
type Record struct {
	route         Route
	tape          Tape
	cleaner       Cleaner
	watch         Watch
	editions      *profile.Editions
	limit         int64
	budget        *budget
	recordCounter recordCounter
}

// NewRecord returns a mode that records. It refuses to be made without a cleaner or a tape.
func NewRecord(o RecordOptions) (*Record, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	switch {
	case o.Tape == nil:
		return nil, errors.New("recording needs a tape")
	case o.Cleaner == nil:
		return nil, errors.New("recording needs a cleaner")
	case o.Limit < 0:
		return nil, errors.New("the limit of recorded bodies is negative")
	case o.Limit == 0:
		o.Limit = DefaultLimit
	}
	return &Record{
		route: o.Route, tape: o.Tape, cleaner: o.Cleaner, watch: o.Watch, limit: o.Limit,
		budget: newBudget(enough(o.Budget, o.Limit)), editions: o.Editions,
	}, nil
}

// RoundTrip forwards a request and returns the sandbox's answer, which is on tape when its
// reader has the whole of it. Its only error is ErrAbort.
func (m *Record) RoundTrip(req *http.Request) (*http.Response, error) {
	at, err := enter(req, req.URL, m.route.Upstreams.set)
	if err != nil {
		return m.refuse(req, at, err)
	}
	return m.forward(req, at, nil)
}

// forward is RoundTrip for a request that has been taken apart. It shows the exchange, as it was on
// the wire, before its reader has the whole of it. Nil: nobody wants to see it. An exchange without
// an answer, or one of which a part is missing, is not shown.
func (m *Record) forward(req *http.Request, at inbound, show func(*leaf.Exchange),
) (*http.Response, error) {
	v, err := m.route.find(req, at)
	if err != nil {
		return m.refuse(req, at, err)
	}
	c := &capture{
		wireCopy: wireCopy{
			route: &m.route, outbound: v, began: at.began, header: v.out.Header, got: m.spool(),
		},
		mode: m, number: m.tape.Next(), show: show,
	}
	if err := m.route.prepare(v, m.spool()); err != nil {
		return c.fail(req, err)
	}
	c.header = v.header()
	if m.watch != nil {
		m.watch.Began(c.number, v.call, v.sent)
	}
	res, err := m.route.send(v)
	if err != nil {
		return c.fail(req, err)
	}
	c.watchAnswer(res)
	m.route.rewriteAnswer(v, res)
	return res, nil
}

// refuse answers a request that is forwarded to nobody.
func (m *Record) refuse(req *http.Request, at inbound, why error) (*http.Response, error) {
	res, err := failureResponse(req, why)
	e := Event{Kind: Failed, Took: time.Since(at.began)}
	e.answered(res)
	e.in(m.cleaner, at.session)
	e.identify(at.call)
	e.of(req.Context())
	e.line(m.cleaner, req.Method, pathOf(at.target))
	tell(m.route.Observe, e)
	return res, err
}

// spool returns a place for a body.
func (m *Record) spool() spool { return spool{limit: m.limit, budget: m.budget} }

// Err returns the first error of the tape and how much is not on it, or nil. Clients have
// been served all the same, so whoever ends the process asks here whether the recording is
// whole.
func (m *Record) Err() error { return m.recordCounter.err() }

// Stats returns the counts so far.
func (m *Record) Stats() RecordStats { return m.recordCounter.count() }

// append cleans an exchange, puts it on tape, and tells the observer. Of exchanges that could
// not be put on tape an event tells of the first, of each that fails in another way than the
// exchange before it, and of the first that is on tape again. All others are Lost.
func (m *Record) append(c *capture, x *leaf.Exchange) {
	if c.show != nil && x.Replayable() {
		c.show(x)
	}
	if m.watch != nil && c.callback == nil {
		m.watch.Ended(x)
	}
	e := Event{
		Kind: Recorded, Number: c.number, Code: c.code, Took: x.Response.Duration,
		Problem: c.problem, Cause: c.cause, Withheld: c.unkept,
	}
	e.in(m.cleaner, c.outbound.session)
	e.identify(c.outbound.call)
	e.of(c.outbound.out.Context())
	e.line(m.cleaner, x.Request.Method, pathOf(c.outbound.target))
	ruledOf(c.outbound.out).answered(x, m.limit, c.came())
	e.ruled(ruling(c.outbound.out))
	if c.callback == nil {
		x.Meta.Profiles = m.editions.For(c.outbound.call)
	}
	clean := m.cleaner.Clean(x)
	if y := clean.Exchange(); y != nil {
		e.relayed(y, c.callback)
	}
	err := m.tape.Append(clean)
	changed := m.recordCounter.note(err)
	if m.route.Observe != nil {
		again, _ := m.cleaner.(exchangeCleaner)
		e.Exchange = cleanedExchange(clean, again)
	}
	if err != nil {
		m.editions.Lost(x.Meta.Profiles)
		e.Kind = Lost
		if changed {
			e.Kind, e.Note, e.Text = Failed, NoteTapeFailed, m.cleaner.Text(err.Error())
		}
		tell(m.route.Observe, e)
		return
	}
	if changed {
		tell(m.route.Observe, Event{Kind: Warning, Note: NoteTapeBack})
	}
	switch {
	case !x.Replayable():
		e.Text = m.cleaner.Text(x.Meta.Why())
	case c.callback != nil && clean.Exchange() != nil:
		e.Text = m.cleaner.Text(c.callback.signed(clean.Exchange()))
	}
	tell(m.route.Observe, e)
}

// RecordStats are what a Record has counted.
type RecordStats struct {
	// Recorded is how many exchanges are on tape, and Lost how many could not be put there.
	Recorded, Lost int64
}

// recordCounter counts what could be put on a tape and what could not.
type recordCounter struct {
	mu      sync.Mutex // guards the rest
	stats   RecordStats
	first   error  // nil as long as nothing was lost
	trouble string // what is wrong at the moment, by its words; empty if nothing is
}

// note counts an exchange, of which err says why it is not on tape, and reports whether the
// exchange before it fared in another way.
func (l *recordCounter) note(err error) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.trouble
	if err == nil {
		l.stats.Recorded++
		l.trouble = ""
		return before != ""
	}
	l.stats.Lost++
	if l.first == nil {
		l.first = err
	}
	l.trouble = err.Error()
	return l.trouble != before
}

func (l *recordCounter) count() RecordStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

func (l *recordCounter) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == nil {
		return nil
	}
	return fmt.Errorf("recording: %s not on tape: %w", count.Of(l.stats.Lost, "exchange"),
		l.first)
}

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

// fail ends an exchange to which no sandbox gave an answer, and returns what the client gets.
func (c *capture) fail(req *http.Request, err error) (*http.Response, error) {
	var p *problem.Problem
	if !errors.As(err, &p) {
		c.finish(c.whoLeft(req) + " before the answer")
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
