package proxy_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

func TestASessionIsTakenOffThePath(t *testing.T) {
	long := strings.Repeat("x", 64)
	tests := []struct{ name, target, session, want, deck string }{
		{"none", "/pay/x?a=/~b/", "", "/pay/x?a=/~b/", ""},
		{"with a path", "/~one/pay/x", "one", "/pay/x", "/~one"},
		{"with a query", "/~one/pay/x?a=%7E", "one", "/pay/x?a=%7E", "/~one"},
		{"alone", "/~one", "one", "/", "/~one"},
		{"with a slash", "/~one/", "one", "/", "/~one"},
		{"with a query alone", "/~one?a=1", "one", "/?a=1", "/~one"},
		{"an escaped tilde", "/%7eone/pay/x", "one", "/pay/x", "/%7eone"},
		{"all that a name may have", "/~A-z_0.9/x", "A-z_0.9", "/x", "/~A-z_0.9"},
		{"a long name", "/~" + long + "/x", long, "/x", "/~" + long},
		{"two: the second is the API's", "/~one/~two/x", "one", "/~two/x", "/~one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &player{answer: &match.Answer{Code: 200, Cassette: "c", Number: 1, State: "a, b"}}
			res, _ := send(t, replayer(t, p), request(t, "GET", tt.target, ""))
			got := p.asked[0]
			if got.Session != tt.session || got.Target != "http://deck.test"+tt.want ||
				got.Deck != "http://deck.test"+tt.deck {
				t.Errorf("session %q, target %q at %q", got.Session, got.Target, got.Deck)
			}
			want := "c#1; state=a, b"
			if tt.session != "" {
				want += "; session=" + tt.session
			}
			if served := res.Header.Get("Paytape-Served"); served != want {
				t.Errorf("served %q, want %q", served, want)
			}
		})
	}
}

func TestABadSessionIsRefused(t *testing.T) {
	refused := func(t *testing.T, mode http.RoundTripper, target string) {
		t.Helper()
		res, body := send(t, mode, request(t, "GET", target, ""))
		if res.StatusCode != 400 || res.Header.Get("Paytape-Error") != "session" ||
			!strings.Contains(body, "up to 64 letters") {
			t.Errorf("%s: got %d: %s", target, res.StatusCode, body)
		}
	}
	ev, tp := &events{}, &tape{}
	p := &player{answer: &match.Answer{Code: 200}}
	for _, target := range []string{
		"/~", "/~/x", "/~?x", "/~./x", "/~../x", "/~a%2Fb/x", "/~a+b/x", "/~ü/x",
		"/~" + strings.Repeat("x", 65) + "/y",
	} {
		refused(t, replayer(t, p, func(o *proxy.ReplayOptions) { o.Observe = ev.add }), target)
		refused(t, recorder(t, always(200, nil, ""), tp), target)
	}
	if len(p.asked) > 0 || len(tp.exchanges()) > 0 {
		t.Error("a request without a good session went on")
	}
	if got := ev.all(); len(got) != 9 || got[0].Kind != proxy.Failed || got[0].Code != 400 {
		t.Errorf("told %+v", got)
	}
}

// A client records with the base URL with which it replays; the sandbox does not see it.
func TestRecordingInASession(t *testing.T) {
	const page = `{"formUrl":"https://sandbox.test/up/pay/f","note":"/up/pay/g"}`
	var seen *http.Request
	sandbox := fake(func(req *http.Request) (*http.Response, error) {
		seen = req
		return always(302, http.Header{
			"Content-Type": {"application/json"}, "Location": {"/up/pay/next"},
		}, page)(req)
	})
	tp := &tape{}
	m := recorder(t, sandbox, tp, func(o *proxy.RecordOptions) {
		o.Upstreams = upstreams(t, "https://sandbox.test/up")
	})
	req := request(t, "POST", "/~one/pay/register.do", "returnUrl=http://deck.test/~one/pay/back"+
		"&other=http://deck.test/pay/other")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, body := send(t, m, req)
	if got := seen.URL.Opaque; got != "/up/pay/register.do" {
		t.Errorf("the sandbox was asked for %q", got)
	}
	if got := res.Header.Get("Location"); got != "/~one/pay/next" {
		t.Errorf("redirected to %q", got)
	}
	if want := `{"formUrl":"http://deck.test/~one/pay/f","note":"/up/pay/g"}`; body != want {
		t.Errorf("got %s, want %s", body, want)
	}
	x := tp.only(t)
	form, err := url.ParseQuery(x.Request.Body)
	if err != nil || x.URL != "https://sandbox.test/up/pay/register.do" || x.Response.Body != page ||
		form.Get("returnUrl") != "https://sandbox.test/up/pay/back" ||
		form.Get("other") != "https://sandbox.test/up/pay/other" {
		t.Errorf("on tape: %s %s, %v", x.URL, x.Request.Body, err)
	}
}

func TestPathsOfAPageLeadIntoTheSession(t *testing.T) {
	for target, want := range map[string]string{
		"/~one/pay/register.do": `{"formUrl":"/~one/pay/f"}`,
		"/pay/register.do":      `{"formUrl":"/pay/f"}`,
	} {
		m := recorder(t, always(200, http.Header{"Content-Type": {"application/json"}},
			`{"formUrl":"/pay/f"}`), &tape{})
		if _, body := send(t, m, request(t, "GET", target, "")); body != want {
			t.Errorf("%s: got %s, want %s", target, body, want)
		}
	}
}

func TestReplayCounts(t *testing.T) {
	tape := []match.Recorded{{Cassette: "a", Number: 1}, {Cassette: "a", Number: 2},
		{Cassette: "b", Number: 1, Operation: "register.do"}, {Cassette: "b", Number: 2},
		{Cassette: "b", Number: 3}}
	p := &player{}
	m := replayer(t, p, func(o *proxy.ReplayOptions) {
		o.Tape = func(yield func(match.Recorded, uint64) bool) {
			for i, class := range []uint64{11, 12, 13, 12, 14} {
				if !yield(tape[i], class) {
					return
				}
			}
		}
	})
	ask := func() { send(t, m, request(t, "GET", "/x", "")) }
	if got := m.Unused(); !cmp.Equal(got, tape) {
		t.Errorf("at first %v are unused", got)
	}
	p.answer = &match.Answer{Code: 200, Class: 11, Mark: "ambiguous"}
	ask()
	p.answer = &match.Answer{Code: 200, Class: 11, Lent: []uint64{14}, Mark: "composed"}
	ask()
	ask()
	p.answer = &match.Answer{Code: 200, Class: 12} // another recording of this class serves alike
	ask()
	for _, reason := range []match.Reason{match.BadState, match.BadField, match.BadState} {
		p.miss = &match.Miss{Reason: reason}
		ask()
	}
	if got := m.Stats(); got != (proxy.Stats{Hits: 4, Misses: 3, Marked: 3}) {
		t.Errorf("counted %+v", got)
	}
	marks := []proxy.MarkCount{{"composed", 2}, {"ambiguous", 1}}
	if diff := cmp.Diff(marks, m.MarkCounts()); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	want := []proxy.MissCount{{match.BadField, 1}, {match.BadState, 2}}
	if diff := cmp.Diff(want, m.MissCounts()); diff != "" {
		t.Errorf("misses (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(tape[2:3], m.Unused()); diff != "" {
		t.Errorf("unused (-want +got):\n%s", diff)
	}
}

// FuzzSession looks for targets that lose or gain anything when a session is taken off.
func FuzzSession(f *testing.F) {
	f.Add("/~one/pay/x?a=1")
	f.Add("/~one")
	f.Add("/%7Eone?x")
	f.Add("/~a/../~b/")
	f.Fuzz(func(t *testing.T, target string) {
		if !strings.HasPrefix(target, "/") || strings.ContainsAny(target, " \r\n\x00") {
			return // no door lets such a target in
		}
		req := request(t, "GET", "/", "")
		req.URL.Opaque, req.URL.Path = target, ""
		p := &player{answer: &match.Answer{Code: 200}}
		res, _ := send(t, replayer(t, p), req)
		if len(p.asked) == 0 {
			if res.StatusCode != 400 {
				t.Fatalf("refused with %d", res.StatusCode)
			}
			return
		}
		got := p.asked[0]
		path := strings.TrimPrefix(got.Target, "http://deck.test")
		base := strings.TrimPrefix(got.Deck, "http://deck.test")
		if whole := base + path; whole != target && strings.TrimSuffix(whole, "/") != target &&
			strings.Replace(whole, "/?", "?", 1) != target {
			t.Errorf("%q became %q and %q", target, base, path)
		}
		if (got.Session == "") != (base == "") || !strings.HasPrefix(path, "/") {
			t.Errorf("%q: session %q, path %q", target, got.Session, path)
		}
	})
}
