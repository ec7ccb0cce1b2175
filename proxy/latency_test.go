package proxy_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// An answer takes the time that it took, if that is asked for; a recorded time-out takes its own in
// any case, unless it is to come at once.
func TestLatency(t *testing.T) {
	const took = 3 * time.Second
	tests := []struct {
		name            string
		fault           string
		latency, atOnce bool
		want            time.Duration
	}{
		{"an answer", "", false, false, 0},
		{"an answer with its time", "", true, false, took},
		{"with its time, and time-outs at once", "", true, true, took},
		{"a time-out", leaf.FaultTimeout, false, false, took},
		{"a time-out at once", leaf.FaultTimeout, false, true, 0},
		{"a time-out at once, and answers with their time", leaf.FaultTimeout, true, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &spied{player: player{answer: &match.Answer{
					Code: 200, Body: "x", Took: took, Fault: tt.fault,
				}}}
				m := replayer(t, p, func(o *proxy.ReplayOptions) {
					o.Latency, o.AtOnce = tt.latency, tt.atOnce
				})
				spying, err := proxy.NewSpy(proxy.SpyOptions{
					Player: p, Replay: m, Record: recorder(t, unreached(t), &tape{}),
				})
				if err != nil {
					t.Fatal(err)
				}
				for name, mode := range map[string]http.RoundTripper{"replay": m, "spy": spying} {
					began := time.Now()
					send(t, mode, request(t, "GET", "/x", ""))
					if got := time.Since(began); got != tt.want {
						t.Errorf("%s took %v, want %v", name, got, tt.want)
					}
				}
			})
		})
	}
}

// A client that does not wait so long has left: it gets nothing, and what it asked for is told.
func TestLatencyEndsWhenTheClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ev := &events{}
		m := replayer(t, &player{answer: &match.Answer{Code: 200, Took: time.Hour}},
			func(o *proxy.ReplayOptions) { o.Latency, o.Observe = true, ev.add })
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		began := time.Now()
		_, err := m.RoundTrip(request(t, "GET", "/x", "").WithContext(ctx))
		if !errors.Is(err, proxy.ErrAbort) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if got := ev.all(); len(got) != 1 || got[0].Kind != proxy.Failed || got[0].Code != 0 {
			t.Errorf("told %+v", got)
		}
	})
}
