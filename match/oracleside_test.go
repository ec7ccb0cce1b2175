package match_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact"
)

// Addresses of the sandbox while recording, and of the deck.
const (
	oracleSandbox = "https://sandbox.example"
	oracleDeck    = "http://deck.example:1"
)

// oracleSide is one who answers requests.
type oracleSide interface {
	// ask returns the answer, or why there is none.
	ask(r oracleRequest, by *oracleActor) (*oracleAnswer, *match.Miss)
}

// standIn is all APIs that scenarios call, fresh: the three stand-ins and the two mocks.
type standIn struct {
	http.Handler
	base string
	seed uint64
	now  func() time.Time
	told []oracleTold
	// calling is the sandbox as one that calls a shop; nil for one that calls nobody.
	calling *calling
}

// oracleTold is what a stand-in was told, and when.
type oracleTold struct {
	at time.Time
	r  oracleRequest
}

func newStandIn(base string, seed uint64, now func() time.Time, calls string) *standIn {
	s := &standIn{base: base, seed: seed, now: now}
	mux := http.NewServeMux()
	mux.Handle(acmePath+"/", newAcme(seed, now))
	mux.Handle(ledgerPath, newLedger(seed, now))
	o := sandbox.Options{Seed: seed + 1, Now: now}
	if calls != "" {
		s.calling = newCalling(o, calls)
		mux.Handle("/", s.calling)
	} else {
		mux.Handle("/", sandbox.New(o))
	}
	s.Handler = mux
	return s
}

// twin returns a stand-in that is like this one and does not change it.
func (s *standIn) twin() *standIn {
	at := s.now()
	other := newStandIn(s.base, s.seed, func() time.Time { return at }, "")
	for _, one := range s.told {
		at = one.at
		other.serve(one.r)
	}
	at = s.now()
	return other
}

func (s *standIn) ask(r oracleRequest, _ *oracleActor) (*oracleAnswer, *match.Miss) {
	s.told = append(s.told, oracleTold{s.now(), r})
	w := s.serve(r)
	a := &oracleAnswer{
		code: w.Code, media: w.Header().Get("Content-Type"), location: w.Header().Get("Location"),
		body: w.Body.String(),
	}
	if s.calling != nil {
		a.calls = s.calling.told()
		a.told = answersOf(a.calls)
	}
	return a, nil
}

func (s *standIn) serve(r oracleRequest) *httptest.ResponseRecorder {
	q := httptest.NewRequest(r.method, s.base+r.target, strings.NewReader(r.body))
	q.Header = r.header.Clone()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, q)
	return w
}

// standIns are a stand-in for each session.
type standIns struct {
	seed  uint64
	now   func() time.Time
	calls string // by which method they call shops; empty: they do not
	of    map[string]*standIn
}

func newStandIns(seed uint64, now func() time.Time, calls string) *standIns {
	return &standIns{seed, now, calls, map[string]*standIn{}}
}

func (s *standIns) ask(r oracleRequest, by *oracleActor) (*oracleAnswer, *match.Miss) {
	return s.in(by.session).ask(r, by)
}

// would returns what the answer to a request would be, which is not sent.
func (s *standIns) would(r oracleRequest, by *oracleActor) *oracleAnswer {
	answer, _ := s.in(by.session).twin().ask(r, by)
	return answer
}

// in returns the stand-in of a session.
func (s *standIns) in(session string) *standIn {
	if s.of[session] == nil {
		s.of[session] = newStandIn(oracleDeck, s.seed+uint64(len(s.of))*1000, s.now, s.calls)
	}
	return s.of[session]
}

// oracleRecorder is a stand-in whose answers are recorded.
type oracleRecorder struct {
	*standIn
	now func() time.Time
	xs  []*leaf.Exchange
}

func (s *oracleRecorder) ask(r oracleRequest, by *oracleActor) (*oracleAnswer, *match.Miss) {
	x := &leaf.Exchange{}
	x.Meta.At = s.now()
	w := s.serve(r)
	x.Method, x.URL = r.method, s.base+r.target
	x.Request.Body, x.Request.Headers = r.body, r.header.Clone()
	x.Code, x.Response.Body, x.Response.Headers = w.Code, w.Body.String(), w.Header().Clone()
	s.xs = append(s.xs, x)
	x.Meta.Number = len(s.xs)
	if s.calling != nil {
		defer func() { s.record(s.calling.told()) }() // behind the number of the call
	}
	return &oracleAnswer{
		code: w.Code, media: w.Header().Get("Content-Type"), location: w.Header().Get("Location"),
		body: w.Body.String(),
	}, nil
}

// breakDown records that the sandbox was out of order.
func (s *oracleRecorder) breakDown(r oracleRequest) {
	x := &leaf.Exchange{}
	x.Meta.At, x.Meta.Number = s.now(), len(s.xs)+1
	x.Method, x.URL = r.method, s.base+r.target
	x.Request.Body, x.Request.Headers = r.body, r.header.Clone()
	x.Code, x.Response.Body = http.StatusServiceUnavailable, "<html>out of order</html>"
	x.Response.Headers = http.Header{"Content-Type": {"text/html"}}
	s.xs = append(s.xs, x)
}

// oracleReplay is what is judged.
type oracleReplay struct {
	set      *profile.Set
	sessions *match.Sessions
	now      func() time.Time
}

func newOracleReplay(t testing.TB, now func() time.Time, cassettes ...match.Cassette) *oracleReplay {
	set := profiles(t)
	tape := match.Derived(match.Options{Profiles: set, Seed: 7, Now: now}, cassettes...)
	return &oracleReplay{set: set, sessions: match.NewSessions(tape), now: now}
}

func (p *oracleReplay) ask(q oracleRequest, by *oracleActor) (*oracleAnswer, *match.Miss) {
	r, ok := match.NewLiveRequest(p.set, match.Incoming{
		Call:   p.set.Find(q.method, strings.SplitN(q.target, "?", 2)[0]),
		Method: q.method, Target: q.target, Header: q.header.Clone(), Body: q.body,
	})
	if !ok {
		return nil, &match.Miss{Reason: match.BadField, Sentence: "it has too many parameters"}
	}
	r.Session, r.Deck = by.session, oracleDeck
	within := ""
	if by.session != "" {
		within = "/~" + by.session
		r.Deck += within
	}
	a, miss := p.sessions.Serve(r)
	if _, faults := explain(a, miss); len(faults) > 0 {
		panic(strings.Join(faults, "; "))
	}
	if miss != nil {
		return nil, miss
	}
	a.Delivered(!q.lost)
	answer := &oracleAnswer{
		code: a.Code, media: a.Header.Get("Content-Type"), location: a.Header.Get("Location"),
		body: a.Body, from: fromOf(a), mark: markOf(a),
		told: toldBy(a.Callbacks),
	}
	if within != "" {
		answer.deck = r.Deck
		if rest, ok := strings.CutPrefix(answer.location, within+"/"); ok {
			answer.location = "/" + rest
		}
	}
	return answer, nil
}

// markOf returns the mark of an answer, "" for one that is served as certain.
func markOf(a *match.Answer) string { return a.Mark }

// fromOf says in a report where an answer is from, and in which state that is.
func fromOf(a *match.Answer) string {
	from := a.Cassette + "#" + oracleNumber(a.Number)
	if a.State != "" {
		from += " after " + a.State
	}
	return from
}

// cleanOracle is a recording as it stands on disk.
func cleanOracle(t testing.TB, xs []*leaf.Exchange) []*leaf.Exchange {
	t.Helper()
	r := redact.New(redact.Options{Profiles: profiles(t)})
	var clean []*leaf.Exchange
	for _, x := range xs {
		clean = append(clean, r.Clean(x).Exchange())
	}
	return clean
}
