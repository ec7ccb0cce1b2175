package proxy_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paytape/paytape/proxy"
)

func passer(t testing.TB, s http.RoundTripper, ev *events) *proxy.Pass {
	t.Helper()
	m, err := proxy.NewPass(proxy.PassOptions{
		Route: proxy.Route{
			Upstreams: upstreams(t, "https://sandbox.test"), Transport: s, Observe: ev.add,
		},
		Cleaner: newUncleaned(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPassTellsWhatWentThrough(t *testing.T) {
	refused := errors.New("refused")
	tests := []struct {
		name string
		s    fake
		want proxy.Event
	}{
		{"an answer", always(201, nil, "x"), proxy.Event{Kind: proxy.Passed, Code: 201}},
		{"no body", always(204, nil, ""), proxy.Event{Kind: proxy.Passed, Code: 204}},
		{
			"no answer",
			func(*http.Request) (*http.Response, error) { return nil, refused },
			proxy.Event{Kind: proxy.Failed, Code: 502, Problem: proxy.ProblemUpstream,
				Cause: proxy.CauseOther},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev := &events{}
			send(t, passer(t, tt.s, ev), request(t, "POST", "/pay/register.do", "a=b"))
			got := ev.all()
			if len(got) != 1 {
				t.Fatalf("told %d times, want once", len(got))
			}
			if got[0].Took <= 0 {
				t.Error("it took no time")
			}
			got[0].Took, got[0].Exchange = 0, nil
			tt.want.Profile, tt.want.Operation = "shop", "register.do"
			if diff := cmp.Diff(tt.want, got[0], cmp.Comparer(sameText),
				cmpopts.IgnoreUnexported(proxy.Event{})); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPassTurnsAddresses(t *testing.T) {
	m := passer(t, always(200, nil, `{"formUrl":"https://sandbox.test/f"}`), &events{})
	_, body := send(t, m, request(t, "POST", "/pay/register.do", "a=b"))
	if want := `{"formUrl":"http://deck.test/f"}`; body != want {
		t.Errorf("got %s, want %s", body, want)
	}
}

func TestNewPassRefusesMissingSafety(t *testing.T) {
	route := proxy.Route{Upstreams: upstreams(t, "http://a.test"), Transport: always(200, nil, "")}
	if _, err := proxy.NewPass(proxy.PassOptions{Route: route}); err == nil ||
		err.Error() != "passing needs a cleaner" {
		t.Errorf("got %v", err)
	}
	if _, err := proxy.NewPass(proxy.PassOptions{Cleaner: newUncleaned(t)}); err == nil {
		t.Error("a mode without a route was made")
	}
}
