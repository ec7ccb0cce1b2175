package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
)

// Of the gateway: a poll, and the true answer to it.
const (
	pollPath = "/payment/rest/getOrderStatusExtended.do"
	polled   = `{"errorCode":"0","orderStatus":2,"amount":12500}`
)

// backing is a sandbox without a socket, which notes what it got.
type backing struct {
	answer func(*http.Request) *http.Response // nil: that to a poll
	err    error                              // if it cannot be reached

	mu  sync.Mutex
	got []received
}

// received is a request as a sandbox got it.
type received struct {
	target, body string
	header       http.Header
}

func (b *backing) RoundTrip(req *http.Request) (*http.Response, error) {
	r := received{target: req.URL.RequestURI(), header: req.Header.Clone()}
	if req.Body != nil {
		text, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		r.body = string(text)
	}
	b.mu.Lock()
	b.got = append(b.got, r)
	b.mu.Unlock()
	switch {
	case b.err != nil:
		return nil, b.err
	case b.answer != nil:
		return b.answer(req), nil
	}
	return reply(200, http.Header{"Content-Type": {"application/json"}}, polled), nil
}

func (b *backing) received() []received {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]received(nil), b.got...)
}

// branches is a Player, for a Spy too, that answers all alike and notes what was asked.
type branches struct {
	answer *match.Answer // nil: the sandbox is asked

	mu    sync.Mutex
	asked []*match.Request
}

func (p *branches) Serve(r *match.Request) (*match.Answer, *match.Miss) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r)
	if p.answer == nil {
		return nil, nil
	}
	a := *p.answer
	return &a, nil
}

func (p *branches) Spy(r *match.Request) (*match.Answer, *match.Miss) { return p.Serve(r) }

// ruledMode is a mode under rules, and all that is around it.
type ruledMode struct {
	http.RoundTripper
	engine  *rules.Engine
	sandbox *backing
	tape    *tape
	told    *events
	came    chan struct{} // holds something for each event
	player  *branches
	hosts   *proxy.Upstreams
	settled func(*match.Answer) // told of answers from tape that bring callbacks; nil: nobody is
}

// ruledModes are the modes of which rules may be put around.
var ruledModes = []string{"replay", "record", "pass", "spy", "spy upstream"}

// newRuled puts a mode under rules.
func newRuled(t testing.TB, mode string, change ...func(*proxy.RuledOptions)) *ruledMode {
	t.Helper()
	set := builtin(t)
	hosts, err := proxy.ParseUpstreams(set, []string{"https://sandbox.test"})
	if err != nil {
		t.Fatal(err)
	}
	m := &ruledMode{
		engine:  rules.New(rules.Options{Profiles: set, Seed: 1}),
		sandbox: &backing{}, tape: &tape{}, told: &events{}, came: make(chan struct{}, 10_000), hosts: hosts,
		player: &branches{answer: &match.Answer{
			Code: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: polled,
			Cassette: "t", Number: 1,
		}},
	}
	observe := func(e proxy.Event) {
		m.told.add(e)
		m.came <- struct{}{}
	}
	route := proxy.Route{Upstreams: hosts, Transport: m.sandbox, Observe: observe}
	replay := replayer(t, m.player, func(o *proxy.ReplayOptions) {
		o.Profiles, o.Observe, o.Hosts = set, observe, hosts
		o.Callbacks = func(a *match.Answer) {
			if m.settled != nil {
				m.settled(a)
			}
		}
	})
	record := recorder(t, m.sandbox, m.tape, func(o *proxy.RecordOptions) { o.Route = route })
	o := proxy.RuledOptions{
		Mode: replay, Rules: m.engine, Profiles: set, Cleaner: newUncleaned(t), Observe: observe,
	}
	switch mode {
	case "record":
		o.Mode = record
	case "pass":
		if o.Mode, err = proxy.NewPass(proxy.PassOptions{Route: route, Cleaner: newUncleaned(t)}); err != nil {
			t.Fatal(err)
		}
	case "spy upstream":
		m.player.answer = nil
		fallthrough
	case "spy":
		o.Mode, err = proxy.NewSpy(proxy.SpyOptions{
			Player: adopting{m.player}, Replay: replay, Record: record,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range change {
		c(&o)
	}
	if m.RoundTripper, err = proxy.NewRuled(o); err != nil {
		t.Fatal(err)
	}
	return m
}

// adopting is a SpyPlayer that learns nothing.
type adopting struct{ *branches }

func (adopting) Adopt(*match.Request, int, leaf.Message) {}

// rule puts one rule in force, "x", and forgets what was before.
func (m *ruledMode) rule(t testing.TB, text string) {
	t.Helper()
	m.rules(t, "rules: [{name: x, "+text+"}]")
}

// rules puts the rules of a file in force, and forgets what was before.
func (m *ruledMode) rules(t testing.TB, file string) {
	t.Helper()
	f, err := rules.Parse("run.yaml", []byte(file), rules.Source{Profiles: builtin(t)})
	if err == nil {
		err = m.engine.Set(rules.FromFile) // counts begin anew
	}
	if err == nil {
		err = m.engine.Set(rules.FromFile, f)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.engine.Reset()
	m.sandbox.got, m.tape.got, m.told.list, m.player.asked = nil, nil, nil, nil
}

// poll is a request for the status of order 1, as a door hands it to a mode.
func poll(t testing.TB) *http.Request {
	t.Helper()
	req := request(t, "POST", pollPath, "orderId=1&amount=12500")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return req
}

// answers sets what the sandbox answers.
func (m *ruledMode) answers(code int, header http.Header, body string) {
	m.sandbox.answer = func(*http.Request) *http.Response { return reply(code, header.Clone(), body) }
}

// pieces is the body of a stream: nothing comes behind its text until it is closed.
type pieces struct {
	text   *strings.Reader
	closed chan struct{}
	once   sync.Once
}

func newPieces(text string) *pieces {
	return &pieces{text: strings.NewReader(text), closed: make(chan struct{})}
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text.Len() > 0 {
		return p.text.Read(b)
	}
	<-p.closed
	return 0, io.ErrClosedPipe
}

func (p *pieces) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// wait waits until so many requests were told of.
func (m *ruledMode) wait(n int) {
	for len(m.told.all()) < n {
		<-m.came
	}
}
