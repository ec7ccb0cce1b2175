package callback

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// While a deck records, rules change what the shop gets, and the tape has what the sandbox has
// sent, and what it was answered. So the rules stand between the tape and the shop: they are a way
// to the shop.

// ruledShops is the way of one callback to its shop under rules.
type ruledShops struct {
	leaf.Unprinted
	relay  *Relay
	in     *incoming
	shop   string
	ruling *rules.CallbackRuling
}

// rule asks the rules about a callback on its way to a shop.
func (r *Relay) rule(in *incoming, shop string, cb *proxy.RelayedCallback) {
	if r.options.Rules == nil || !r.options.Rules.OnCallbacks() || !in.known {
		return
	}
	q, ok := match.NewLiveRequest(r.options.Profiles, match.Incoming{
		Call: in.call, Method: in.method, Target: in.shopTarget(), Header: in.Header, Body: in.text,
	})
	if !ok {
		return
	}
	ruling := r.options.Rules.Callback(&rules.Asked{Request: q, Body: in.text})
	if ruling == nil {
		return
	}
	cb.Rules, cb.RuleCounts = ruling.Fired(), ruling.Counts()
	cb.Shops = &ruledShops{relay: r, in: in, shop: shop, ruling: ruling}
	if ruling.Sending().When != rules.AsItComes && r.options.Observe != nil {
		r.noSending.Do(func() {
			r.options.Observe(proxy.Event{Kind: proxy.Warning, Note: proxy.NoteCallbackSend})
		})
	}
}

// shopTarget returns path and query without those of the address of the shop.
func (in *incoming) shopTarget() string {
	target := "/" + strings.TrimPrefix(in.target.extra, "/")
	if in.asked {
		target += "?" + in.query
	}
	return target
}

// problemLost is what the sandbox gets where a rule has lost its callback: it will send the
// callback again.
var problemLost = &problem.Problem{
	Code: http.StatusBadGateway, Kind: proxy.ProblemRule,
	Message: "the shop was not called: a rule has lost the callback", Fault: leaf.FaultNoAnswer,
}

// RoundTrip calls a shop as the rules have it, and returns what the shop says to the callback
// itself.
func (s *ruledShops) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readSent(req)
	switch {
	case err != nil:
		return nil, err
	case s.ruling.Lost():
		return nil, problemLost
	}
	req = req.Clone(req.Context())
	if err := s.change(req, &body); err != nil {
		return nil, problemTarget
	}
	send := func(ctx context.Context) (*http.Response, error) {
		out := req.Clone(ctx)
		out.Body, out.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		out.TransferEncoding = nil
		if body == "" {
			out.Body = http.NoBody
		}
		return s.relay.shops.RoundTrip(out)
	}
	for range s.ruling.Copies() {
		s.relay.run(func() { s.copy(send) })
	}
	res, err := send(req.Context())
	if times, every := s.ruling.Repeats(); err == nil && times > 0 &&
		s.in.call.Profile.AcceptsCallback(res.StatusCode) {
		s.relay.run(func() { s.repeat(times, every, send) })
	}
	return res, err
}

// readSent reads the body of a callback, which is known to be small, to its end.
func readSent(req *http.Request) (string, error) {
	if req.Body == nil {
		return "", nil
	}
	defer req.Body.Close()
	body, err := io.ReadAll(req.Body)
	return string(body), err
}

// change makes a callback what the rules want of it. What they leave alone keeps its bytes.
func (s *ruledShops) change(req *http.Request, body *string) error {
	text, charset := s.in.text, s.in.charset
	target := s.in.shopTarget()
	q, changed := s.ruling.Change(rules.Question{Target: target, Header: req.Header, Body: text})
	signing := s.ruling.Signing()
	if !changed && signing == rules.Signed {
		return nil
	}
	m := Message{Header: q.Header.Clone(), Body: q.Body}
	if encoded, err := leaf.EncodeText(charset, q.Body); err == nil {
		m.Body = encoded
	}
	path, query, asked := strings.Cut(q.Target, "?")
	m.Query = query
	m.Header.Del("Content-Encoding")
	m.Header.Del("Content-Length")
	s.sign(&m, signing)
	as := *s.in
	as.query, as.asked = m.Query, asked || m.Query != ""
	if before, _, _ := strings.Cut(target, "?"); path != before {
		as.target.extra = path
	}
	to, err := as.to(s.shop)
	if err != nil {
		return err
	}
	req.URL, req.Header, *body = to, m.Header, m.Body
	return nil
}

// sign signs what the rules have changed. Without the key the signature stays that of the sandbox.
func (s *ruledShops) sign(m *Message, signing rules.Signing) {
	how := s.in.signed
	if how == nil {
		return
	}
	switch signing {
	case rules.SignedWrong:
		SignWrong(how, m, time.Now())
	case rules.Unsigned:
		Strip(how, m)
	default:
		k, ok := s.relay.options.Keys.Of(s.in.call.Profile.Name)
		if ok && len(s.in.signature(how)) > 0 {
			_ = Sign(how, k, m, time.Now()) // a key that cannot sign was refused before
		}
	}
}

// copy sends a callback once more, and tells of it. On tape there is nothing: the sandbox has sent
// it once.
func (s *ruledShops) copy(send func(context.Context) (*http.Response, error)) {
	ctx, cancel := context.WithTimeout(s.relay.ctx, attemptTime)
	defer cancel()
	begun := time.Now()
	e := proxy.Event{
		Kind: proxy.Callback, Outcome: proxy.OutcomeRelayed, Rules: s.ruling.Fired(),
		RuleCounts: s.ruling.Counts(),
	}
	if p := s.in.call.Profile; p != nil {
		e.Profile = p.Name
		if _, known := p.Callbacks.Causes[s.in.event]; known {
			e.Operation = s.in.event // a word of the profile's
		}
	}
	res, err := send(ctx)
	if err != nil {
		e.Problem, e.Cause = proxy.ProblemShop, proxy.CauseOf(err)
		if p, ok := errors.AsType[*problem.Problem](err); ok {
			e.Problem, e.Cause = p.Kind, p.Cause
		}
	} else {
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // what it says is of no interest
		_ = res.Body.Close()
		e.Code = res.StatusCode
	}
	e.Took = time.Since(begun)
	if s.relay.options.Observe != nil {
		s.relay.options.Observe(e)
	}
}

// repeat sends a callback again, so many times, each after a time.
func (s *ruledShops) repeat(times int, every time.Duration,
	send func(context.Context) (*http.Response, error)) {
	for range times {
		timer := time.NewTimer(every)
		select {
		case <-timer.C:
		case <-s.relay.ctx.Done():
			timer.Stop()
			return
		}
		s.copy(send)
	}
}

// run does what a rule has done beside a callback, unless the Relay was closed.
func (r *Relay) run(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() == nil {
		r.runs.Go(f)
	}
}

// Close breaks off what rules have sent beside callbacks. To close a Relay again does nothing.
func (r *Relay) Close() {
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	r.runs.Wait()
}
