package proxy_test

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy"
)

// way is a door, and a version of HTTP.
type way struct {
	name   string
	base   string
	client *http.Client
	two    bool // HTTP/2
}

// ways puts all doors before a mode.
func (m *ruledMode) ways(t *testing.T) []way {
	t.Helper()
	g := newGate(t, m, m.hosts)
	certificate, roots := certified(t, "deck")
	secured := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableCompression: true,
	}
	t.Cleanup(secured.CloseIdleConnections)
	plain := g.client(t, entrance{})
	return []way{
		{"reverse door", g.url.String(), plain, false},
		{"reverse door, HTTP/2", "https://" + securely(t, proxy.NewDoor(m, nil), certificate),
			&http.Client{Transport: secured, CheckRedirect: plain.CheckRedirect}, true},
		{"tunnel", "https://sandbox.test", g.client(t, entrance{forward: true}), false},
		{"tunnel, HTTP/2", "https://sandbox.test", g.client(t, entrance{forward: true, two: true}), true},
	}
}

// What a client sees of an answer that fails.
var (
	isReset   = func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
	isEmpty   = func(err error) bool { return errors.Is(err, io.EOF) }
	isGarbage = func(err error) bool { return strings.Contains(err.Error(), "malformed HTTP") }
	isCut     = func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
)

// effect is a rule "x", and what becomes of a poll under it. The zero effect leaves all as it is.
type effect struct {
	name, rule string

	code      int    // that the client sees; 0: that of the mode
	body      string // the same; "-" is none
	header    string // "Name: value" that the client sees too
	sent      string // the body that the sandbox gets; "" is that of the client
	breaks    func(error) bool
	part      string // of the body that comes before it breaks
	head      bool   // the head comes before it breaks
	explained string // "-" is not at all; "" is x(1)
	alone     bool   // the mode is not asked
}

const asSent = "orderId=1&amount=12500"

var effectTable = []effect{
	{name: "no rule fires", rule: "where: {amount: 1}, then: {status: 500}", explained: "-"},
	{name: "set", rule: "then: {set: {amount: 1}}", body: `{"errorCode":"0","orderStatus":2,"amount":1}`},
	{name: "set a header", rule: "then: {set: {'header:X-A': b}}", header: "X-A: b"},
	{name: "delete", rule: "then: {delete: orderStatus}", body: `{"errorCode":"0","amount":12500}`},
	{name: "set what is not there", rule: "then: {set: {rrn: 1}}", explained: "x(1; field not found)"},
	{name: "set in the request", rule: "then: {request: {set: {amount: 7}}}", sent: "orderId=1&amount=7"},
	{name: "delete in the request", rule: "then: {request: {delete: amount}}", sent: "orderId=1"},
	{name: "status", rule: "then: {status: 418}", code: 418},
	{name: "answer",
		rule:  "then: {answer: {status: 503, headers: {Retry-After: 1}, body: 'busy ${request.orderId}'}}",
		alone: true, code: 503, body: "busy 1", header: "Retry-After: 1"},
	{name: "an answer without a body", rule: "then: {answer: {status: 503}}", alone: true, code: 503, body: "-"},
	{name: "redirect", rule: "then: {redirect: https://else.test/a}", alone: true, code: 302, body: "-",
		header: "Location: https://else.test/a"},
	{name: "delay", rule: "then: {delay: 1ms}"},
	{name: "drip", rule: "then: {drip: 20ms}"},
	{name: "stop", rule: "then: {stop: true}"},
	{name: "fail reset", rule: "then: {fail: reset}", breaks: isReset},
	{name: "fail empty", rule: "then: {fail: empty}", breaks: isEmpty},
	{name: "fail garbage", rule: "then: {fail: garbage}", breaks: isGarbage},
	{name: "fail cut", rule: "then: {fail: cut}", breaks: isCut, head: true, part: polled[:len(polled)/2]},
	{name: "fail cut at once", rule: "then: {fail: {cut: 0}}", breaks: isCut, head: true},
	{name: "fail cut at a byte", rule: "then: {fail: {cut: 5}}", breaks: isCut, head: true, part: polled[:5]},
	{name: "fail cut behind the end", rule: "then: {fail: {cut: 500}}", breaks: isCut, head: true, part: polled},
	{name: "lose the answer", rule: "then: {lose: answer}", breaks: isEmpty},
	{name: "lose the answer by a reset", rule: "then: {lose: answer, fail: reset}", breaks: isReset},
	{name: "lose the request", rule: "then: {lose: request}", alone: true, breaks: isEmpty},
	{name: "lose the request by a reset", rule: "then: {lose: request, fail: reset}", alone: true, breaks: isReset},
	{name: "an answer that is cut", rule: "then: {answer: {body: abcd}, fail: cut}", alone: true,
		breaks: isCut, head: true, part: "ab"},
	{name: "the answer decides", rule: "answer: {orderStatus: 2}, then: {set: {amount: 1}, status: 202}", code: 202,
		body: `{"errorCode":"0","orderStatus":2,"amount":1}`},
	{name: "the answer decides against it", rule: "answer: {orderStatus: 3}, then: {status: 500}", explained: "-"},
	{name: "another answer in its place",
		rule: "answer: {orderStatus: 2}, then: {answer: {status: 500, body: 'was ${answer.amount}'}}",
		code: 500, body: "was 12500"},
	{name: "a redirect in its place", rule: "answer: {orderStatus: 2}, then: {redirect: /a}", code: 302, body: "-",
		header: "Location: /a"},
	{name: "the answer decides that it is lost",
		rule: "answer: {amount: '> 1'}, then: {lose: answer}", breaks: isEmpty},
	{name: "asked for", rule: "when: asked, then: {status: 202}", code: 202},
	{name: "take", rule: "then: {take: '#1'}"},
}

// Every effect in every mode, over both doors and both versions of HTTP: what the client sees, what
// the sandbox gets, what is on tape and what is told.
func TestRuledEffects(t *testing.T) {
	t.Parallel()
	for _, mode := range ruledModes {
		t.Run(mode, func(t *testing.T) {
			m := newRuled(t, mode)
			for _, by := range m.ways(t) {
				for _, e := range effectTable {
					m.rule(t, e.rule)
					if !m.plays(t, mode, by, e) {
						t.Errorf("that was %s, %s", by.name, e.name)
					}
				}
			}
		})
	}
}

// plays sends a poll and compares all that is known of it.
func (m *ruledMode) plays(t *testing.T, mode string, by way, e effect) bool {
	t.Helper()
	ok := m.seen(t, by, e) && m.sentOn(t, mode, e)
	m.wait(1)
	return ok && m.taped(t, mode, e) && m.toldOf(t, mode, e)
}

// seen compares what a client sees.
func (m *ruledMode) seen(t *testing.T, by way, e effect) bool {
	t.Helper()
	req, err := http.NewRequest("POST", by.base+pollPath, strings.NewReader(asSent))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Paytape-Rule", "x, y")
	res, err := by.client.Do(req)
	if err != nil {
		if e.breaks == nil || e.head && !by.two || !by.two && !e.breaks(err) {
			t.Errorf("no answer: %v", err)
			return false
		}
		return true
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if e.breaks != nil {
		if !e.head || string(body) != e.part || err == nil || !by.two && !e.breaks(err) {
			t.Errorf("got %d, %q, %v; want %q", res.StatusCode, body, err, e.part)
			return false
		}
		return true
	}
	name, value, _ := strings.Cut(e.header, ": ")
	got := []any{res.StatusCode, string(body), res.Header.Get("Paytape-Rules"), res.Header.Get(name), err}
	want := []any{cmp.Or(e.code, 200), unless(cmp.Or(e.body, polled)), unless(cmp.Or(e.explained, "x(1)")),
		value, error(nil)}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the client sees (-want +got):\n%s", diff)
		return false
	}
	return true
}

// unless returns a text, and "" for "-".
func unless(text string) string { return strings.TrimPrefix(text, "-") }

// asks reports whether a mode asks the sandbox.
func asks(mode string) bool { return mode != "replay" && mode != "spy" }

// sentOn compares what the sandbox got.
func (m *ruledMode) sentOn(t *testing.T, mode string, e effect) bool {
	t.Helper()
	got := m.sandbox.received()
	if e.alone || !asks(mode) {
		if len(got) > 0 {
			t.Errorf("the sandbox was asked")
		}
		return len(got) == 0
	}
	if len(got) != 1 || got[0].body != cmp.Or(e.sent, asSent) || got[0].header["Paytape-Rule"] != nil ||
		got[0].target != pollPath {
		t.Errorf("the sandbox got %+v", got)
		return false
	}
	return true
}

// names are the rules that are told of.
func (e *effect) names() []string {
	if e.explained == "-" {
		return nil
	}
	return []string{"x"}
}

// taped compares what is on tape: the true answer, and the name of the rule.
func (m *ruledMode) taped(t *testing.T, mode string, e effect) bool {
	t.Helper()
	got := m.tape.exchanges()
	if e.alone || mode != "record" && mode != "spy upstream" {
		if len(got) > 0 {
			t.Error("there is something on tape")
		}
		return len(got) == 0
	}
	x := m.tape.only(t)
	if x.Code != 200 || x.Response.Body != polled || !x.Replayable() ||
		x.Request.Body != cmp.Or(e.sent, asSent) || x.Request.Headers["Paytape-Rule"] != nil ||
		x.Response.Headers["Paytape-Rules"] != nil || !slices.Equal(x.Meta.Rules, e.names()) {
		t.Errorf("on tape are %d %q, %q, rules %v, %s", x.Code, x.Response.Body, x.Request.Body, x.Meta.Rules,
			x.Meta.Why())
		return false
	}
	return true
}

// toldOf compares the event.
func (m *ruledMode) toldOf(t *testing.T, mode string, e effect) bool {
	t.Helper()
	kind := map[string]proxy.Kind{
		"replay": proxy.Served, "spy": proxy.Served, "pass": proxy.Passed, "record": proxy.Recorded,
		"spy upstream": proxy.Recorded,
	}[mode]
	code := 200
	if e.alone {
		kind, code = proxy.ByRule, cmp.Or(e.code, 200)
		if e.breaks != nil && !e.head {
			code = 0
		}
	}
	given := 0
	switch {
	case e.alone:
	case e.breaks != nil && !e.head:
		given = proxy.GivenNothing
	case e.code != 0 && e.code != code:
		given = e.code
	}
	got := m.told.all()
	if len(got) != 1 || got[0].Kind != kind || got[0].Code != code || got[0].Given != given || !slices.Equal(got[0].Rules, e.names()) ||
		len(got[0].RuleCounts) != len(e.names()) || len(e.names()) == 1 && got[0].RuleCounts[0] != "1" ||
		got[0].Operation != "getOrderStatusExtended.do" || got[0].Exchange == nil {
		t.Errorf("told %+v", got)
		return false
	}
	return true
}
