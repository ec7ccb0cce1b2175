package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/drift"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// ErrUnreachable is returned by Play where no sandbox has given any answer.
var ErrUnreachable = errors.New("the sandbox gave no answer")

// Bounds of what a run waits for.
const (
	longestPause = 10 * time.Second // that a client had waited on tape until something changed
	longestRetry = time.Minute      // that a sandbox may ask for before it takes a request
	maxRetries   = 3                // of a request that was refused because there were too many
)

// received is the tape of a run: what came back, cleaned, in memory.
type received struct {
	all  []redact.Clean
	next int
}

// Next numbers an exchange.
func (r *received) Next() int {
	r.next++
	return r.next
}

// Append keeps an exchange.
func (r *received) Append(x redact.Clean) error {
	r.all = append(r.all, x)
	return nil
}

// player plays the steps of a plan.
type player struct {
	*composer
	mode *proxy.Record
	got  *received
	last time.Time // when the last request began

	results map[*step]*result
	stopped map[int]string // the flows that are not played on, and why
}

// result is what became of a step.
type result struct {
	number int    // of the live exchange; 0 for none
	why    string // it was not played; empty if it was
	late   bool   // the answer did not come in time
}

// Play plays the plan, one exchange after the other, and compares what comes back with the tape. It
// ends early when ctx ends; the report then tells what was not played. It must be called once. An
// error comes with the report of what was played.
func (p *Plan) Play(ctx context.Context) (*Report, error) {
	p.options.Secrets.values(func(secret string) bool {
		p.options.Cleaner.Know(secret)
		return true
	})
	got := &received{}
	mode, err := proxy.NewRecord(proxy.RecordOptions{
		Route: p.options.Route, Tape: got, Cleaner: p.options.Cleaner,
	})
	if err != nil {
		return nil, err
	}
	play := &player{
		composer: p.composer(), mode: mode, got: got, results: map[*step]*result{},
		stopped: map[int]string{},
	}
	for _, s := range p.steps {
		r := &result{why: p.skipped(play, s, ctx)}
		play.results[s] = r
		if r.why != "" {
			continue
		}
		if err := play.step(ctx, s, r); err != nil {
			return play.report(), err
		}
	}
	return play.report(), context.Cause(ctx)
}

// skipped says why a step is not played; empty if it is.
func (p *Plan) skipped(play *player, s *step, ctx context.Context) string {
	switch {
	case s.skip != "":
		return s.skip
	case ctx.Err() != nil:
		return "the run was interrupted"
	}
	return play.stopped[s.flow]
}

func (p *Plan) composer() *composer {
	return &composer{
		Plan: p, live: newLive(), maker: fresh.New(p.options.Seed), fixed: map[nounText]string{},
	}
}

// step plays one exchange.
func (p *player) step(ctx context.Context, s *step, r *result) error {
	if err := p.wait(ctx, s); err != nil {
		r.why = "the run was interrupted"
		return nil
	}
	p.now = p.options.Now()
	m, err := p.compose(s)
	if err != nil {
		r.why = err.Error()
		p.stop(s, r.why)
		return nil
	}
	answer, err := p.send(ctx, m)
	if err != nil {
		r.why, r.late = err.Error(), errors.Is(err, errLate)
		p.halt(s, r.why)
		return nil
	}
	x := p.got.all[len(p.got.all)-1].Exchange()
	r.number = x.Meta.Number
	if p.options.Tell != nil {
		p.options.Tell(s.Number, s.Operation, answer.code)
	}
	switch {
	case x.Meta.Fault == leaf.FaultNoAnswer && p.answered() == 0:
		r.number, r.why = 0, x.Meta.Failure
		return fmt.Errorf("%w: %s", ErrUnreachable, x.Meta.Failure)
	case ctx.Err() != nil:
		r.number, r.why = 0, "the run was interrupted"
	case x.Meta.Failure != "":
		p.halt(s, x.Meta.Failure)
	default:
		p.learnFrom(s, answer)
	}
	return nil
}

// answered counts the exchanges to which some sandbox gave an answer.
func (p *player) answered() int {
	n := 0
	for _, x := range p.got.all {
		if x.Exchange() != nil && x.Exchange().Meta.Fault == "" {
			n++
		}
	}
	return n
}

// stop has the rest of a flow not played, if the step would have moved something.
func (p *player) stop(s *step, why string) {
	if !s.Recording.Reads {
		p.halt(s, why)
	}
}

// halt has the rest of a flow not played.
func (p *player) halt(s *step, why string) {
	if p.stopped[s.flow] == "" {
		p.stopped[s.flow] = fmt.Sprintf("#%d %s: %s", s.Number, s.Operation, why)
	}
}

// learnFrom takes the live values out of an answer, and stops the flow if it has failed where the tape
// has not.
func (p *player) learnFrom(s *step, a *answer) {
	m := leaf.Read(leaf.Message{Header: a.header, Body: a.body})
	if s.Code < http.StatusInternalServerError && a.code >= http.StatusInternalServerError {
		p.halt(s, fmt.Sprintf("it was answered with %d", a.code))
		return
	}
	if !s.Failed && tape.Fails(&request.Request{Call: s.Recording.Call()}, a.code, m) {
		p.stop(s, "it failed")
		return
	}
	p.live.learn(s.Recording, p.onTape[s.Number], m)
}

// wait waits until the next request may begin: as long as the client on tape waited for a change, and as
// the rate says.
func (p *player) wait(ctx context.Context, s *step) error {
	d := min(max(s.Pause, 0), longestPause)
	if !p.last.IsZero() {
		d = max(d, p.options.Every-p.options.Now().Sub(p.last))
	}
	if err := sleep(ctx, d); err != nil {
		return err
	}
	p.last = p.options.Now()
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer is a live answer as it came, without its codings.
type answer struct {
	leaf.Unprinted
	code   int
	header http.Header
	body   string
}

// send sends a request, and once more if the sandbox says that there were too many (RFC 6585, section
// 4): it has not looked at it then. What came is in p.got.
func (p *player) send(ctx context.Context, m *message) (*answer, error) {
	for n := 0; ; n++ {
		a, err := p.once(ctx, m)
		if err != nil || a.code != http.StatusTooManyRequests || n == maxRetries {
			return a, err
		}
		if sleep(ctx, retryAfter(a.header.Get("Retry-After"), p.options.Now(), n)) != nil {
			return a, nil
		}
		p.got.all = p.got.all[:len(p.got.all)-1] // the answer is none to the request
	}
}

// retryAfter returns how long to wait after a 429: as long as its header says, which has seconds or a
// date, else longer each time.
func retryAfter(header string, now time.Time, n int) time.Duration {
	d := time.Second << n
	if seconds, err := strconv.Atoi(strings.TrimSpace(header)); err == nil && seconds >= 0 {
		d = time.Duration(min(seconds, int(longestRetry/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), longestRetry)
}

// once sends a request once.
func (p *player) once(ctx context.Context, m *message) (*answer, error) {
	timeout := p.options.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, m.method, "/", strings.NewReader(m.body))
	if err != nil {
		return nil, errors.New("its method is none that can be sent")
	}
	req.URL = &url.URL{Opaque: m.target} // no host: no address in the answer is turned
	req.Header = m.header
	if m.body == "" {
		req.Body = http.NoBody
	}
	if m.header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "")
	}
	if m.host != "" {
		var ok bool
		if req, ok = p.options.Route.Upstreams.ToHost(req, m.host); !ok {
			return nil, errors.New("no upstream is given for its host")
		}
	}
	before := len(p.got.all)
	res, err := p.mode.RoundTrip(req)
	if err != nil {
		return nil, p.unanswered(ctx, before)
	}
	body, _ := io.ReadAll(res.Body) // where it ends early, the exchange says so
	if err := res.Body.Close(); err != nil || len(p.got.all) == before || ctx.Err() != nil {
		return nil, p.unanswered(ctx, before)
	}
	a := &answer{code: res.StatusCode, header: res.Header, body: string(body)}
	coding := leaf.CodingOf(res.Header.Get("Content-Encoding"), a.body)
	if plain, err := leaf.Decode(coding, body, proxy.DefaultLimit); err == nil {
		a.body = string(plain)
	}
	if text, _, err := leaf.DecodeText(res.Header.Get("Content-Type"), a.body); err == nil {
		a.body = text
	}
	return a, nil
}

// errLate says that an answer did not come in time.
var errLate = errors.New("the sandbox gave no answer in time")

// unanswered says why a request has no answer that this side has given up. What there is of the exchange
// tells of this side alone, and is forgotten.
func (p *player) unanswered(ctx context.Context, before int) error {
	p.got.all = p.got.all[:before]
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errLate
	}
	return errors.New("the run was interrupted")
}

// report compares what came with the tape.
func (p *player) report() *Report {
	c := tape.Cassette{Name: p.tape.Name}
	for _, x := range p.got.all {
		if x.Exchange() != nil && p.options.Cleaner.Outdated(x) {
			x = p.options.Cleaner.Reclean(x.Exchange())
		}
		if x.Exchange() != nil {
			c.Exchanges = append(c.Exchanges, x.Exchange())
		}
	}
	now := drift.Read(drift.Options{Profiles: p.options.Profiles}, c)
	compare := drift.NewComparison(p.tape, now)
	compare.Growing = true
	return p.reportOf(compare, now)
}
