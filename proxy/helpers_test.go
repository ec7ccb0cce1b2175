package proxy_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// shop is a small API with what the tests need: operations that write, and addresses.
const shop = `
profile: shop
paths: [/pay/]
common:
  responseHeaders:
    Location: exact, address
operations:
  register.do:
    methods: [GET, POST]
    path: /pay/register.do
    carrier: form
    writes: true
    request:
      back: exact, address
    response:
      formUrl: exact, address
      note: exact
`

const bank = `
profile: bank
paths: [/v9/]
operations:
  GET /cards:
    methods: [GET]
    path: /v9/cards
    carrier: query
`

func profiles(t testing.TB) *profile.Set {
	t.Helper()
	set := &profile.Set{}
	for _, source := range []string{shop, bank} {
		p, err := profile.Parse("test.yaml", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	return set
}

// upstreams parses specs that must be good.
func upstreams(t testing.TB, specs ...string) *proxy.Upstreams {
	t.Helper()
	u, err := proxy.ParseUpstreams(profiles(t), specs)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// uncleaned is a cleaner that lets everything through, so that a test sees what was captured.
type uncleaned struct{ seal redact.Seal }

func newUncleaned(t testing.TB) uncleaned {
	t.Helper()
	seal, err := redact.CheckSeal(nil, redact.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	return uncleaned{seal}
}

func (u uncleaned) Clean(x *leaf.Exchange) redact.Clean { return u.seal.Reopen(x) }
func (u uncleaned) Text(string) redact.Safe             { return redact.Safe{} }

// tape is a Tape in memory.
type tape struct {
	entered chan struct{} // if set, Append says here that it has begun,
	release chan struct{} // and waits for this
	err     error

	mu   sync.Mutex
	next int
	got  []*leaf.Exchange
}

func (t *tape) Next() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	return t.next
}

func (t *tape) Append(x redact.Clean) error {
	if t.entered != nil {
		t.entered <- struct{}{}
		<-t.release
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	t.got = append(t.got, x.Exchange())
	return nil
}

func (t *tape) exchanges() []*leaf.Exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*leaf.Exchange(nil), t.got...)
}

// only returns the one exchange on a tape.
func (t *tape) only(tb testing.TB) *leaf.Exchange {
	tb.Helper()
	got := t.exchanges()
	if len(got) != 1 {
		tb.Fatalf("%d exchanges on tape, want 1", len(got))
	}
	return got[0]
}

// fake is a sandbox without a socket.
type fake func(*http.Request) (*http.Response, error)

func (s fake) RoundTrip(req *http.Request) (*http.Response, error) { return s(req) }

// reply makes an answer as http.Transport would.
func reply(code int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Header: header,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// always answers every request alike, after reading it.
func always(code int, header http.Header, body string) fake {
	return func(req *http.Request) (*http.Response, error) {
		if req.Body != nil {
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return nil, err
			}
		}
		return reply(code, header.Clone(), body), nil
	}
}

// events collects what an observer is told.
type events struct {
	mu   sync.Mutex
	list []proxy.Event
}

func (e *events) add(ev proxy.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, ev)
}

func (e *events) all() []proxy.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]proxy.Event(nil), e.list...)
}

// recorder makes a Record over a sandbox.
func recorder(t testing.TB, s http.RoundTripper, tp *tape, change ...func(*proxy.RecordOptions),
) *proxy.Record {
	t.Helper()
	o := proxy.RecordOptions{
		Route: proxy.Route{Upstreams: upstreams(t, "https://sandbox.test"), Transport: s},
		Tape:  tp, Cleaner: newUncleaned(t),
	}
	for _, c := range change {
		c(&o)
	}
	m, err := proxy.NewRecord(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// request makes a request as a door hands it to a mode.
func request(t testing.TB, method, target, body string) *http.Request {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = io.NopCloser(strings.NewReader(body))
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://deck.test"+target, r)
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.ContentLength = int64(len(body))
	}
	return req
}

// send sends a request through a mode and reads the answer to its end.
func send(t testing.TB, mode http.RoundTripper, req *http.Request) (*http.Response, string) {
	t.Helper()
	res, err := mode.RoundTrip(req)
	if err != nil {
		t.Fatalf("a mode returned an error: %v", err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("reading the answer: %v", err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatalf("closing the answer: %v", err)
	}
	return res, string(body)
}

// recordingDoor is a door with sockets on both sides.
type recordingDoor struct {
	url  string // of the deck
	addr string
	tape *tape
	mode *proxy.Record
	stop func() // closes the deck; the end of the test does so too
}

// newDeck records what upstream does.
func newDeck(t testing.TB, upstream http.Handler) recordingDoor {
	t.Helper()
	up := httptest.NewUnstartedServer(upstream)
	up.Config.DisableGeneralOptionsHandler = true
	up.Start()
	t.Cleanup(up.Close)
	return deckTo(t, up.URL)
}

func deckTo(t testing.TB, upstream string) recordingDoor {
	t.Helper()
	tp := &tape{}
	transport := proxy.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	m := recorder(t, transport, tp, func(o *proxy.RecordOptions) {
		o.Upstreams = upstreams(t, upstream)
	})
	addr, stop := serving(t, proxy.NewDoor(m, nil))
	return recordingDoor{"http://" + addr, addr, tp, m, stop}
}

// raw sends bytes and returns all that comes back until the connection is closed. An answer
// to a reset connection is what came before the reset.
func raw(t testing.TB, addr, bytes string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, bytes); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, net.ErrClosed) && len(got) == 0 {
		t.Fatal(err)
	}
	return string(got)
}

// sameText compares cleaned texts by what they say.
func sameText(a, b redact.Safe) bool { return a.String() == b.String() }

// accept serves each connection of a listener until that is closed.
func accept(ln net.Listener, serve func(net.Conn)) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		go serve(conn)
	}
}
