package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// TestCallbacksFollowTheirAnswer has answers go out, and get lost, in every way: what they bring is
// handed over once, when the client has all of the answer that it will get.
func TestCallbacksFollowTheirAnswer(t *testing.T) {
	t.Parallel()
	plain := match.Answer{Code: 200, Body: polled}
	large := match.Answer{Code: 200, Body: strings.Repeat("x", 1<<20)}
	for _, test := range []struct {
		name, method, rule string
		answer             match.Answer
		lost               bool // the client gets no whole answer
	}{
		{name: "an answer", answer: plain},
		{name: "a large one", answer: large},
		{name: "to HEAD", method: "HEAD", answer: plain},
		{name: "an empty one", answer: match.Answer{Code: 200}},
		{name: "a redirect", answer: match.Answer{Code: 302, Header: http.Header{"Location": {"/x"}}}},
		{name: "one that has no body", answer: match.Answer{Code: 204}},
		{name: "one that breaks off", answer: match.Answer{Code: 200, Body: "ab", Fault: leaf.FaultCut},
			lost: true},
		{name: "under a rule that does not fire", answer: plain, rule: "where: {amount: 1}, then: {status: 500}"},
		{name: "under a rule of another call", answer: plain, rule: "op: refund.do, then: {status: 500}"},
		{name: "under a rule that changes it", answer: plain, rule: "then: {status: 202, set: {amount: 1}}"},
		{name: "late", answer: plain, rule: "then: {delay: 1ms}"},
		{name: "in pieces", answer: plain, rule: "then: {drip: 20ms}"},
		{name: "lost", answer: plain, rule: "then: {lose: answer}", lost: true},
		{name: "reset", answer: plain, rule: "then: {lose: answer, fail: reset}", lost: true},
		{name: "cut", answer: plain, rule: "then: {fail: cut}", lost: true},
		{name: "another in its place", answer: plain,
			rule: "answer: {orderStatus: 2}, then: {answer: {status: 500, body: sorry}}"},
	} {
		for _, mode := range []string{"replay", "spy"} {
			t.Run(mode+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				m := newRuled(t, mode)
				if test.rule != "" {
					m.rule(t, test.rule)
				}
				a := test.answer
				if a.Header == nil {
					a.Header = http.Header{"Content-Type": {"application/json"}}
				}
				a.Callbacks = []match.Callback{{Operation: "deposited"}}
				m.player.answer = &a
				m.settlesOnce(t, test.method, test.lost)
			})
		}
	}
}

// settlesOnce asks a mode through a door. Whoever is told of the answer does not return before the
// client has it.
func (m *ruledMode) settlesOnce(t *testing.T, method string, lost bool) {
	t.Helper()
	var settled atomic.Int32
	got, told := make(chan struct{}), make(chan struct{})
	m.settled = func(a *match.Answer) {
		if settled.Add(1); !lost {
			select {
			case <-got:
			case <-time.After(10 * time.Second):
				t.Error("the shop is called before the client has its answer")
			}
		}
		close(told)
	}
	server := httptest.NewServer(proxy.NewDoor(m, m.told.add))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req := poll(t)
	if method != "" {
		req.Method = method
	}
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	if res, err := http.ReadResponse(bufio.NewReader(conn), req); err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		if err != nil && !lost {
			t.Error(err)
		}
	} else if !lost {
		t.Error(err)
	}
	close(got)
	<-told
	server.Close() // waits for the handler
	if n := settled.Load(); n != 1 {
		t.Errorf("handed over %d times", n)
	}
}

// TestCallbacksOfAClientThatLeft has clients leave while a tape takes its time, and while a rule
// has them wait for ever.
func TestCallbacksOfAClientThatLeft(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]string{
		"while the tape takes its time": "", "while a rule delays": "then: {delay: 1h}",
		"while a rule says nothing": "then: {fail: timeout}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newRuled(t, "replay")
			if rule != "" {
				m.rule(t, rule)
			} else {
				m.player.answer.Fault, m.player.answer.Took = leaf.FaultTimeout, time.Hour
			}
			m.player.answer.Due = time.Now().Add(time.Hour) // something comes by itself
			told := make(chan struct{})
			m.settled = func(*match.Answer) { close(told) }
			server := httptest.NewServer(proxy.NewDoor(m, m.told.add))
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if err := poll(t).Write(conn); err != nil {
				t.Fatal(err)
			}
			if name != "while a rule says nothing" { // that one is called while the client waits
				_ = conn.Close()
			}
			<-told
			_ = conn.Close()
		})
	}
}

// TestNoCallbacks wants nobody told of answers that bring none.
func TestNoCallbacks(t *testing.T) {
	t.Parallel()
	m := newRuled(t, "replay")
	m.settled = func(*match.Answer) { t.Error("something was handed over") }
	if res, body := send(t, m, poll(t)); res.StatusCode != 200 || body != polled {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}
