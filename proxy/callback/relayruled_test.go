package callback_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/redact"
)

// ruledTape is a tape in memory.
type ruledTape struct {
	mu   sync.Mutex // guards the rest
	last int
	got  []*leaf.Exchange
}

func (m *ruledTape) Next() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	return m.last
}

func (m *ruledTape) Append(x redact.Clean) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.got = append(m.got, x.Exchange())
	return nil
}

// hooked is a shop that notes what it is asked for, and says so.
type hooked struct {
	*httptest.Server
	got chan string
}

func openHooked(t *testing.T) *hooked {
	s := &hooked{got: make(chan string, 100)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what breaks off shows
		s.got <- strings.TrimSpace(r.RequestURI + " " + string(body))
		_, _ = io.WriteString(w, "taken")
	}))
	t.Cleanup(s.Close)
	return s
}

// ruledDoor is a callback door of a deck with rules.
type ruledDoor struct {
	*httptest.Server
	relay     *callback.Relay
	addresses *callback.Addresses
}

func openRuledDoor(t *testing.T, mode string, tape *ruledTape, seen *observed, o callback.RelayOptions) *ruledDoor {
	t.Helper()
	set, _ := builtin(t)
	d := &ruledDoor{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.relay.ServeHTTP(w, r)
	}))
	t.Cleanup(d.Server.Close)
	var err error
	if d.addresses, err = callback.NewAddresses(d.URL, callback.NewKey()); err != nil {
		t.Fatal(err)
	}
	route := proxy.Route{
		Upstreams: &proxy.Upstreams{}, Transport: http.DefaultTransport, Observe: seen.observe,
	}
	cleaner := redact.New(redact.Options{Profiles: set})
	if mode == "record" {
		o.Mode, err = proxy.NewRecord(proxy.RecordOptions{Route: route, Tape: tape, Cleaner: cleaner})
	} else {
		o.Mode, err = proxy.NewPass(proxy.PassOptions{Route: route, Cleaner: cleaner})
	}
	if err != nil {
		t.Fatal(err)
	}
	o.Addresses, o.Profiles, o.Observe = d.addresses, set, seen.observe
	if d.relay, err = callback.NewRelay(o); err != nil {
		t.Fatal(err)
	}
	return d
}

// bring brings a callback as a sandbox does, and returns the status of the answer.
func (d *ruledDoor) bring(t *testing.T, to, form string) int {
	t.Helper()
	method := http.MethodGet
	if form != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequest(method, to, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

const ruledKey = "secret-of-the-shop"

// signedBy returns a query or form with a signature that somebody makes.
func signedBy(t *testing.T, parameters, who string) string {
	t.Helper()
	_, gateway := builtin(t)
	m := callback.Message{Query: parameters, Header: http.Header{}}
	switch who {
	case "the key":
		if err := callback.Sign(gateway.Callbacks.Sign, callback.Key{Text: ruledKey}, &m, time.Now()); err != nil {
			t.Fatal(err)
		}
	case "no key":
		callback.SignWrong(gateway.Callbacks.Sign, &m, time.Now())
	}
	return m.Query
}

// TestRuledRelay has a sandbox bring a signed callback to a deck that records, and to one that
// passes, under rules: the shop gets what the rules want, and the tape what the sandbox has sent.
func TestRuledRelay(t *testing.T) {
	t.Parallel()
	const sent, refused, less = "mdOrder=a&operation=deposited&status=1",
		"mdOrder=a&operation=deposited&status=0", "mdOrder=a&status=1"
	for _, test := range []struct {
		name, rule string
		keyless    bool
		calls      int    // of the shop
		gets       string // what it gets, signed by somebody
		by         string
		code       int // that the sandbox gets
		silent     bool
	}{
		{name: "of another order", rule: "where: {mdOrder: b}, then: {lose: callback}",
			calls: 1, gets: sent, by: "the key", code: 200, silent: true},
		{name: "lost", rule: "then: {lose: callback}", code: 502},
		{name: "another status", rule: "then: {set: {status: 0}}", calls: 1, gets: refused, by: "the key", code: 200},
		{name: "without a field", rule: "then: {delete: operation}", calls: 1, gets: less, by: "the key", code: 200},
		{name: "another status, and no key", rule: "then: {set: {status: 0}}", keyless: true,
			calls: 1, gets: refused, by: "the sandbox", code: 200},
		{name: "signed wrong", rule: "then: {sign: wrong}", calls: 1, gets: sent, by: "no key", code: 200},
		{name: "not signed", rule: "then: {sign: none}", calls: 1, gets: sent, by: "nobody", code: 200},
		{name: "two at once", rule: "then: {parallel: 2}", calls: 2, gets: sent, by: "the key", code: 200},
		{name: "thrice", rule: "then: {repeat: 2 every 1ms}", calls: 3, gets: sent, by: "the key", code: 200},
		{name: "before the answer", rule: "then: {send: before-answer}", calls: 1, gets: sent, by: "the key", code: 200},
	} {
		for _, mode := range []string{"record", "pass"} {
			for _, method := range []string{"GET", "POST"} {
				t.Run(test.name+" "+mode+" "+method, func(t *testing.T) {
					t.Parallel()
					shop, tape, seen := openHooked(t), &ruledTape{}, &observed{}
					o := callback.RelayOptions{Rules: ruling(t, "{name: x, op: callback, "+test.rule+"}")}
					if !test.keyless {
						o.Keys = callback.Keys{{Text: ruledKey}}
					}
					door := openRuledDoor(t, mode, tape, seen, o)
					// A sandbox signs the query of the shop's address along, or the form alone.
					address, own, shape := shop.URL+"/hook?shop=1", "shop=1&", "/hook?%s"
					if method == "POST" {
						address, own, shape = shop.URL+"/hook", "", "/hook %s"
					}
					to, ok := door.addresses.Relay("gateway", address)
					if !ok {
						t.Fatal("no address")
					}
					brought := signedBy(t, own+sent, "the key")
					want := fmt.Sprintf(shape, signedBy(t, own+test.gets, test.by))
					if test.by == "the sandbox" {
						want = fmt.Sprintf(shape, strings.Replace(brought, "status=1", "status=0", 1))
					}
					to, _, _ = strings.Cut(to, "?")
					code := 0
					if method == "GET" {
						code = door.bring(t, to+"?"+brought, "")
					} else {
						code = door.bring(t, to, brought)
					}
					if code != test.code {
						t.Errorf("the sandbox gets %d, want %d", code, test.code)
					}
					for range test.calls {
						if got := <-shop.got; got != want {
							t.Errorf("the shop gets\n%s\nwant\n%s", got, want)
						}
					}
					door.relay.Close()
					door.Close()
					if len(shop.got) > 0 {
						t.Errorf("the shop was called %d times more", len(shop.got))
					}
					seen.fires(t, !test.silent, max(1, test.calls), strings.Contains(test.rule, "send"))
					if mode == "record" {
						tape.holds(t, "status", "1", !test.silent)
					}
				})
			}
		}
	}
}

// fires wants events of callbacks with the rule x, or without one, and the note that it is not the
// rule which decides when they come.
func (o *observed) fires(t *testing.T, by bool, n int, note bool) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	noted := false
	for _, e := range o.events {
		if noted = noted || e.Note == proxy.NoteCallbackSend; e.Kind == proxy.Warning {
			continue
		}
		if n--; slices.Contains(e.Rules, "x") != by {
			t.Errorf("the event has the rules %v", e.Rules)
		}
	}
	if n != 0 || noted != note {
		t.Errorf("%d events too few; noted: %v", n, noted)
	}
}

// holds wants one callback on tape, as the sandbox has sent it, with the name of the rule.
func (m *ruledTape) holds(t *testing.T, field, value string, ruled bool) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.got) != 1 {
		t.Fatalf("%d exchanges on tape", len(m.got))
	}
	x := m.got[0]
	found := false
	for _, l := range x.RequestMessage().Leaves {
		found = found || l.Key == field && l.Value == value
	}
	if !found || slices.Equal(x.Meta.Rules, []string{"x"}) != ruled || x.Meta.Callback.Operation != "deposited" {
		t.Errorf("on tape is %s %s with the rules %v", x.URL, x.Request.Body, x.Meta.Rules)
	}
}
