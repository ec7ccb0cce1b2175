package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// A client that leaves while a rule lets it wait ends that at once. What the sandbox has answered
// is on tape all the same, and whole.
func TestAClientLeavesWhileARuleLetsItWait(t *testing.T) {
	t.Parallel()
	for _, mode := range ruledModes {
		for _, then := range []string{"delay: 1h", "drip: 1h", "fail: timeout", "delay: 1h, fail: reset",
			"delay: 1h, set: {amount: 1}"} {
			synctest.Test(t, func(t *testing.T) {
				m := newRuled(t, mode)
				m.rule(t, "then: {"+then+"}")
				ctx, leave := context.WithCancel(t.Context())
				begun := time.Now()
				time.AfterFunc(time.Minute, leave)
				res, err := m.RoundTrip(poll(t).WithContext(ctx))
				if err == nil {
					_, err = io.ReadAll(res.Body)
					_ = res.Body.Close()
				}
				if !errors.Is(err, proxy.ErrAbort) || time.Since(begun) != time.Minute {
					t.Errorf("%s, %s: %v after %v", mode, then, err, time.Since(begun))
				}
				if mode != "record" && mode != "spy upstream" {
					return
				}
				if x := m.tape.only(t); x.Response.Body != polled || !x.Replayable() {
					t.Errorf("%s, %s: on tape is %q, %s", mode, then, x.Response.Body, x.Meta.Why())
				}
			})
		}
	}
}

// An answer waits as long as the rule says, and not longer.
func TestRuledDelay(t *testing.T) {
	t.Parallel()
	for _, mode := range ruledModes {
		for _, rule := range []string{
			"then: {delay: 90s}", "answer: {orderStatus: 2}, then: {delay: 90s}",
			"then: {delay: 90s, answer: {status: 200, body: '" + polled + "'}}",
		} {
			synctest.Test(t, func(t *testing.T) {
				m := newRuled(t, mode)
				m.rule(t, rule)
				begun := time.Now()
				if _, body := send(t, m, poll(t)); body != polled || time.Since(begun) != 90*time.Second {
					t.Errorf("%s, %s: %q after %v", mode, rule, body, time.Since(begun))
				}
			})
		}
	}
}

// A deck that stops ends what a rule lets wait when its time for stopping is over.
func TestADeckStopsDuringADelay(t *testing.T) {
	t.Parallel()
	for _, then := range []string{"delay: 1h", "drip: 1h", "fail: timeout"} {
		synctest.Test(t, func(t *testing.T) {
			m := newRuled(t, "record")
			m.rule(t, "then: {"+then+"}")
			ctx, stop := context.WithCancel(t.Context())
			ln := newPipes()
			done := make(chan error, 1)
			go func() { done <- proxy.Serve(ctx, ln, proxy.NewServer(proxy.NewDoor(m, nil)), nil) }()
			client := &http.Client{Transport: &http.Transport{
				DialContext:       func(context.Context, string, string) (net.Conn, error) { return ln.dial(), nil },
				DisableKeepAlives: true,
			}}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				res, err := client.Do(poll(t))
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
				}
				if err == nil {
					t.Errorf("%s: the client has got its answer", then)
				}
			}()
			m.wait(1)
			synctest.Wait()
			begun := time.Now()
			stop()
			if err := <-done; err != nil || time.Since(begun) > 15*time.Second {
				t.Errorf("%s: stopped after %v: %v", then, time.Since(begun), err)
			}
			<-ended
		})
	}
}

// A replay that loses the answer to a write has done the write. Sent again it gets the answer of the
// first time, as the tape has no second deposit, and the answer says that this is a guess.
func TestALostWriteIsSentAgain(t *testing.T) {
	t.Parallel()
	const id = "0193a1b2-0000-7000-8000-0000c0ffee00"
	for _, then := range []string{"lose: answer", "fail: cut", "fail: reset", "fail: empty", "delay: 1h", "drip: 1h",
		"set: {errorCode: 5}, fail: {cut: 3}"} {
		synctest.Test(t, func(t *testing.T) {
			set := builtin(t)
			write := func(operation, body, answer string) *leaf.Exchange {
				x := &leaf.Exchange{}
				x.Method, x.URL, x.Code = "POST", "https://sandbox.test/payment/rest/"+operation, 200
				x.Request.Body, x.Response.Body, x.Response.Headers = body, answer, jsonHeader
				return x
			}
			xs := []*leaf.Exchange{
				write("register.do", "orderNumber=A-1&amount=100", `{"orderId":"`+id+`"}`),
				write("deposit.do", "orderId="+id+"&amount=100", `{"errorCode":"0"}`),
				write("getOrderStatusExtended.do", "orderId="+id, `{"errorCode":"0","orderStatus":2}`),
			}
			for i, x := range xs {
				x.Meta.Number, x.Meta.At = i+1, time.Now().Add(time.Duration(i)*time.Minute)
			}
			o := match.Options{Profiles: set, Seed: 3}
			player := match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))
			m := newRuled(t, "replay", func(o *proxy.RuledOptions) {
				o.Mode = replayer(t, player, func(o *proxy.ReplayOptions) { o.Profiles = set })
			})
			m.rule(t, "op: deposit.do, when: first 1, then: {"+then+"}")
			ask := func(ctx context.Context, operation, body string) (string, error) {
				req := request(t, "POST", "/payment/rest/"+operation, body).WithContext(ctx)
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				res, err := m.RoundTrip(req)
				if err != nil {
					return "", err
				}
				defer res.Body.Close()
				text, err := io.ReadAll(res.Body)
				_, mark, _ := strings.Cut(res.Header.Get("Paytape-Served"), "; assumed=")
				return string(text) + mark, err
			}
			registered, err := ask(t.Context(), "register.do", "orderNumber=B-1&amount=100")
			if err != nil {
				t.Fatal(err)
			}
			order := registered[len(`{"orderId":"`) : len(registered)-2]
			ctx, leave := context.WithTimeout(t.Context(), time.Minute)
			defer leave()
			if got, err := ask(ctx, "deposit.do", "orderId="+order+"&amount=100"); err == nil {
				t.Errorf("%s: got %q", then, got)
			}
			for _, step := range []struct{ operation, body, want string }{
				{"getOrderStatusExtended.do", "orderId=" + order, `{"errorCode":"0","orderStatus":2}`},
				{"deposit.do", "orderId=" + order + "&amount=100", `{"errorCode":"0"}retry`},
				{"getOrderStatusExtended.do", "orderId=" + order, `{"errorCode":"0","orderStatus":2}retry`},
			} {
				if got, err := ask(t.Context(), step.operation, step.body); got != step.want || err != nil {
					t.Errorf("%s, %s: got %q, %v", then, step.operation, got, err)
				}
			}
		})
	}
}
