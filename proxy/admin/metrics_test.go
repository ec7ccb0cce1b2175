package admin_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
)

// samples returns the lines of metrics that begin with one of names.
func samples(text string, names ...string) []string {
	var got []string
	for line := range strings.Lines(text) {
		for _, name := range names {
			if strings.HasPrefix(line, "paytape_"+name) {
				got = append(got, strings.TrimSuffix(strings.TrimPrefix(line, "paytape_"), "\n"))
			}
		}
	}
	return got
}

func TestEventsAreCounted(t *testing.T) {
	t.Parallel()
	gateway := proxy.Event{Profile: "gateway", Operation: "register.do", Took: time.Millisecond}
	with := func(change func(*proxy.Event)) proxy.Event {
		e := gateway
		change(&e)
		return e
	}
	served := with(func(e *proxy.Event) { e.Kind, e.Code = proxy.Served, 200 })
	for _, test := range []struct {
		name string
		give []proxy.Event
		want []string // lines that begin with what they count
	}{
		{"hits", []proxy.Event{served, served}, []string{
			`requests_total{code="2xx",mode="replay",operation="register.do",outcome="served",` +
				`profile="gateway"} 2`}},
		{"marked hits", []proxy.Event{
			with(func(e *proxy.Event) { e.Kind, e.Mark = proxy.Served, "assumed=card" }),
			with(func(e *proxy.Event) { e.Kind, e.Mark = proxy.Served, "a value" }),
		}, []string{
			`marked_total{mark="ambiguous",mode="replay"} 0`,
			`marked_total{mark="assumed=card",mode="replay"} 1`,
			`marked_total{mark="unknown",mode="replay"} 1`,
		}},
		{"a miss", []proxy.Event{with(func(e *proxy.Event) {
			e.Kind, e.Reason, e.Code = proxy.Missed, match.BadState, 501
		})}, []string{
			`misses_total{mode="replay",reason="field"} 0`,
			`misses_total{mode="replay",reason="state"} 1`,
			`requests_total{code="5xx",mode="replay",operation="register.do",outcome="missed",` +
				`profile="gateway"} 1`}},
		{"an upstream without an answer", []proxy.Event{with(func(e *proxy.Event) {
			e.Kind, e.Problem, e.Cause = proxy.Failed, proxy.ProblemUpstream, proxy.CauseDNS
		})}, []string{
			`upstream_errors_total{kind="cut",mode="replay"} 0`,
			`upstream_errors_total{kind="dns",mode="replay"} 1`,
			`requests_total{code="none",mode="replay",operation="register.do",outcome="failed",` +
				`profile="gateway"} 1`}},
		{"a problem of the client's", []proxy.Event{with(func(e *proxy.Event) {
			e.Kind, e.Problem = proxy.Failed, "session"
		})}, []string{`upstream_errors_total{kind="other",mode="replay"} 0`}},
		{"a client that is refused", []proxy.Event{
			{Kind: proxy.Refused, Problem: "framing"}, {Kind: proxy.Refused, Problem: "a value"},
		}, []string{
			`refusals_total{mode="replay",reason="expect"} 0`,
			`refusals_total{mode="replay",reason="framing"} 1`,
			`refusals_total{mode="replay",reason="unknown"} 1`,
		}},
		{"a body that is not on tape", []proxy.Event{
			with(func(e *proxy.Event) { e.Kind, e.Withheld = proxy.Recorded, "budget" }),
		}, []string{
			`withheld_bodies_total{mode="replay",reason="budget"} 1`,
			`withheld_bodies_total{mode="replay",reason="limit"} 0`,
		}},
		{"a full disk", []proxy.Event{
			with(func(e *proxy.Event) { e.Kind, e.Note = proxy.Failed, proxy.NoteTapeFailed }),
			with(func(e *proxy.Event) { e.Kind = proxy.Lost }),
			{Kind: proxy.Failed, Note: proxy.NoteUnsynced},
			{Kind: proxy.Warning, Note: proxy.NoteTapeBack},
		}, []string{`journal_errors_total{mode="replay"} 3`, `warnings_total{mode="replay"} 1`,
			`request_duration_seconds_count{mode="replay",operation="register.do",profile="gateway"} 2`}},
		{"callbacks", []proxy.Event{
			{Kind: proxy.Callback, Profile: "gateway", Outcome: proxy.OutcomeAccepted, Code: 200},
			{Kind: proxy.Callback, Profile: "a value", Outcome: "a value"},
		}, []string{
			`callbacks_total{code="2xx",mode="replay",outcome="accepted",profile="gateway"} 1`,
			`callbacks_total{code="none",mode="replay",outcome="unknown",profile="unknown"} 1`,
		}},
		{"an API that nobody knows", []proxy.Event{{Kind: proxy.Passed, Code: 404}}, []string{
			`requests_total{code="4xx",mode="replay",operation="unknown",outcome="passed",` +
				`profile="unknown"} 1`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newAdmin(t)
			for _, e := range test.give {
				a.Observe(e)
			}
			got := metrics(t, a)
			for _, want := range test.want {
				if !strings.Contains(got, "\npaytape_"+want+"\n") {
					t.Errorf("there is no line %s among\n%s", want,
						strings.Join(samples(got, want[:strings.IndexByte(want, '{')]), "\n"))
				}
			}
		})
	}
}

func TestRequestsUnderWay(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	during := ""
	door := a.Count(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		during = metrics(t, a)
		panic(http.ErrAbortHandler)
	}))
	func() {
		defer func() { _ = recover() }() // the server's part
		door.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	want := []string{`requests_in_flight{mode="replay"} 1`}
	if diff := cmp.Diff(want, samples(during, "requests_in_flight")); diff != "" {
		t.Errorf("during a request (-want +got):\n%s", diff)
	}
	want[0] = `requests_in_flight{mode="replay"} 0`
	if diff := cmp.Diff(want, samples(metrics(t, a), "requests_in_flight")); diff != "" {
		t.Errorf("after it (-want +got):\n%s", diff)
	}
}

func TestWhatADeckHasIsTold(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	if got := samples(metrics(t, a), "live", "taint"); len(got) > 0 {
		t.Errorf("before it serves: %v", got)
	}
	a.Withheld()
	a.Tend(admin.Deck{
		Live: func() (int, int) { return 2, 30 }, Learned: func() int { return 7 },
	})
	want := []string{
		`live_entities{mode="replay"} 30`, `live_sessions{mode="replay"} 2`,
		`taint_values{mode="replay"} 7`, `withheld_total{mode="replay"} 1`,
	}
	if diff := cmp.Diff(want, samples(metrics(t, a), "live", "taint", "withheld_total")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Names, units and help texts follow the conventions.
func TestMetricsAreWellNamed(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	a.Tend(admin.Deck{Live: func() (int, int) { return 0, 0 }, Learned: func() int { return 0 }})
	a.Observe(proxy.Event{Kind: proxy.Served, Took: 1})
	found, err := promlint.New(strings.NewReader(metrics(t, a))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range found {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

var label = regexp.MustCompile(`="([^"]*)"`)

// No text of an event becomes a label, whatever the event says.
func FuzzLabelsAreWords(f *testing.F) {
	f.Add("gateway", "4111-1111", "served", "state")
	f.Add("nobody", "register.do", "recorded", "sandbox-"+"password")
	f.Add("cardv1", "registerCustomer", "\"}\n", "\xff")
	a, empty := newAdmin(f), newAdmin(f)
	known := map[string]bool{"unknown": true, "none": true, "2xx": true}
	for _, m := range label.FindAllStringSubmatch(metrics(f, empty), -1) {
		known[m[1]] = true
	}
	for _, p := range options(f).Profiles.Profiles() {
		known[p.Name] = true
		for _, o := range p.Operations {
			known[o.Name] = true
		}
	}
	for _, kind := range []string{"recorded", "served", "missed", "passed", "failed", "lost"} {
		known[kind] = true
	}
	for _, bound := range strings.Fields("0.0001 0.00025 0.001 0.005 0.025 0.1 0.25 1.0 2.5 10.0 " +
		"60.0 1 10 60 +Inf") {
		known[bound] = true
	}
	f.Fuzz(func(t *testing.T, profile, operation, kind, reason string) {
		a.Observe(proxy.Event{
			Kind: proxy.Kind(kind), Profile: profile, Operation: operation, Code: 200, Took: 1,
			Reason: match.Reason(reason), Problem: reason, Note: proxy.Note(reason),
			Cassette: operation, Session: operation, Nearest: operation, Where: operation,
		})
		for _, line := range samples(metrics(t, a), "") {
			for _, m := range label.FindAllStringSubmatch(line, -1) {
				if !known[m[1]] {
					t.Fatalf("a label of %d characters is no word of ours: %s", len(m[1]), line[:30])
				}
			}
		}
	})
}
