package proxy_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy"
)

// paymentOf pays order 1, or asks for its status.
func paymentOf(t testing.TB, operation, field string) *http.Request {
	t.Helper()
	req := request(t, "POST", "/payment/rest/"+operation, field+"=1")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return req
}

// A declined payment reaches no sandbox, and polls agree with the decline in every mode; a payment
// that is not declined takes it back.
func TestADeclineInEveryMode(t *testing.T) {
	t.Parallel()
	const declined = `{"errorCode":"0","orderStatus":6,"amount":12500}`
	for _, mode := range ruledModes {
		m := newRuled(t, mode)
		m.rule(t, "op: paymentorder.do, when: first 1, then: {decline: 116}")
		pay := func() string {
			res, body := send(t, m, paymentOf(t, "paymentorder.do", "MDORDER"))
			return body + " " + res.Header.Get("Paytape-Rules")
		}
		status := func() string {
			_, body := send(t, m, paymentOf(t, "getOrderStatusExtended.do", "orderId"))
			return body
		}
		before, first := status(), pay()
		asked := len(m.sandbox.received())
		after, again := status(), status()
		second, last := pay(), status()
		want := `{"errorCode":0} x(1/1)`
		if !asks(mode) {
			want = polled + " x(1/1)" // the player has one answer to all
			if c := m.player.asked[1].Choice; c == nil || c.Declined != "116" {
				t.Errorf("%s: the tape is not asked for a decline", mode)
			}
		} else if asked != 1 {
			t.Errorf("%s: the sandbox was asked %d times by a poll and a declined payment", mode, asked)
		}
		if first != want || before != polled || after != declined || again != declined ||
			second != polled+" " || last != polled {
			t.Errorf("%s: %s\n%s\n%s\n%s\n%s\n%s", mode, before, first, after, again, second, last)
		}
		e := m.told.all()[1]
		if asks(mode) != (e.Kind == proxy.ByRule) || strings.Join(e.Rules, " ") != "x" {
			t.Errorf("%s: told %+v", mode, e)
		}
		for _, x := range m.tape.exchanges() {
			if x.Response.Body != polled {
				t.Errorf("%s: on tape is %s", mode, x.Response.Body)
			}
		}
	}
}

// Paytape-Rules is absent where answers are not to explain themselves.
func TestQuietRules(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"then: {status: 202}", "then: {answer: {status: 202}}"} {
		m := newRuled(t, "replay", func(o *proxy.RuledOptions) { o.Quiet = true })
		m.rule(t, rule)
		res, _ := send(t, m, poll(t))
		if res.Header["Paytape-Rules"] != nil || res.StatusCode != 202 {
			t.Errorf("%s: %v", rule, res.Header)
		}
	}
}

// Paytape-Rule goes no further than the deck, whether or not there are rules.
func TestARuleHeaderStaysAtTheDeck(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"rules: []", "rules: [{name: x, op: deposit.do, then: {status: 500}}]",
		"rules: [{name: x, when: asked, then: {status: 202}}]"} {
		for _, value := range []string{"x", "", " ,"} {
			m := newRuled(t, "record")
			m.rules(t, file)
			req := poll(t)
			req.Header.Set("Paytape-Rule", value)
			send(t, m, req)
			if m.sandbox.received()[0].header["Paytape-Rule"] != nil ||
				m.tape.only(t).Request.Headers["Paytape-Rule"] != nil {
				t.Errorf("%s, %q: it went further", file, value)
			}
			if got, there := req.Header["Paytape-Rule"]; !there || got[0] != value {
				t.Errorf("%s, %q: the header of the caller's request was changed", file, value)
			}
		}
	}
}

// A request that never arrives has no answer: rules that wait for one do not fire, and it is told
// as one without.
func TestALostRequestHasNoAnswer(t *testing.T) {
	t.Parallel()
	m := newRuled(t, "record")
	m.rules(t, `
rules:
- {name: lost, then: {lose: request}}
- {name: late, answer: {http-status: present}, then: {status: 500}}
`)
	if res, err := m.RoundTrip(poll(t)); !errors.Is(err, proxy.ErrAbort) {
		t.Fatalf("%v, %v", res, err)
	}
	e := m.told.all()
	if len(e) != 1 || e[0].Kind != proxy.ByRule || e[0].Code != 0 || strings.Join(e[0].Rules, " ") != "lost" {
		t.Errorf("told %+v", e)
	}
}
