package proxy_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// looked returns the exchange of the only event that has an exchange, as whoever looks sees it.
func looked(t *testing.T, told *events) *leaf.Exchange {
	t.Helper()
	var x *proxy.Exchange
	for _, e := range told.all() {
		if x != nil && e.Exchange != nil {
			t.Fatal("two events have an exchange")
		}
		if e.Exchange != nil {
			x = e.Exchange
		}
	}
	if x == nil {
		t.Fatal("no event has an exchange")
	}
	if x.Size() <= 0 {
		t.Error("the exchange has no size")
	}
	return x.Clean(redact.New(redact.Options{Profiles: profiles(t)})).Exchange()
}

func TestReplayedExchangesCanBeLookedAt(t *testing.T) {
	t.Parallel()
	answer := match.Answer{
		Code: 200, Status: "200 Fine", Body: `{"formUrl":"x"}`, Trailer: http.Header{"Sum": {"1"}},
		Header: http.Header{"Content-Type": {"application/json"}, "Date": {"then"}},
	}
	cut := answer
	cut.Fault = leaf.FaultCut
	for _, test := range []struct {
		name, method string
		player       player
		body         string // of the answer that somebody sees
		code         int
	}{
		{"an answer", "POST", player{answer: &answer}, answer.Body, 200},
		{"an answer without its body", "HEAD", player{answer: &answer}, "", 200},
		{"an answer that was cut", "POST", player{answer: &cut}, answer.Body, 200},
		{"a miss", "POST", player{miss: &match.Miss{Reason: "field", Sentence: "no"}}, `{"reason":"field"`, 501},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			told := &events{}
			m := replayer(t, &test.player, func(o *proxy.ReplayOptions) { o.Observe = told.add })
			req := request(t, test.method, "/pay/register.do?a=b", "note=mine")
			req.Header.Set("X-Of-The-Client", "1")
			res, err := m.RoundTrip(req)
			if err != nil || res.StatusCode != test.code {
				t.Fatal("the answer is another one")
			}
			_ = res.Body.Close()                        // what is sent does not matter
			req.Header.Set("X-Of-The-Client", "behind") // which a caller of RoundTrip may do
			x := looked(t, told)
			if x.Method != test.method || x.URL != "http://deck.test/pay/register.do?a=b" ||
				x.Request.Body != "note=mine" || x.Request.Headers.Get("X-Of-The-Client") != "1" {
				t.Errorf("the request is %s %s %q %v", x.Method, x.URL, x.Request.Body, x.Request.Headers)
			}
			if x.Code != test.code || !strings.HasPrefix(x.Response.Body, test.body) ||
				test.body == "" && x.Response.Body != "" {
				t.Errorf("the answer is %d %q", x.Code, x.Response.Body)
			}
			if x.Response.Headers.Get("Date") != "" || x.Meta.At.IsZero() || x.Response.Duration <= 0 {
				t.Errorf("header %v, at %v, took %v", x.Response.Headers, x.Meta.At, x.Response.Duration)
			}
		})
	}
}

// A body in a content coding is seen without it, as on a tape.
func TestCodedRequestsCanBeLookedAt(t *testing.T) {
	t.Parallel()
	var coded bytes.Buffer
	w := gzip.NewWriter(&coded)
	if _, err := w.Write([]byte("note=mine")); err != nil || w.Close() != nil {
		t.Fatal("a buffer takes everything")
	}
	told := &events{}
	p := &player{answer: &match.Answer{Code: 204}}
	m := replayer(t, p, func(o *proxy.ReplayOptions) { o.Observe = told.add })
	req := request(t, "POST", "/pay/register.do", coded.String())
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	send(t, m, req)
	x := looked(t, told)
	if x.Request.Body != "note=mine" || x.Meta.RequestCoding != "gzip" {
		t.Errorf("the request is %q in %q", x.Request.Body, x.Meta.RequestCoding)
	}
}

func TestPassedExchangesCanBeLookedAt(t *testing.T) {
	t.Parallel()
	const answer = `{"formUrl":"https://sandbox.test/f"}`
	for _, test := range []struct {
		name    string
		sandbox fake
		code    int
		body    string
		failure bool
	}{
		{"an answer", always(200, nil, answer), 200, answer, false},
		{"no body", always(204, nil, ""), 204, "", false},
		{"no answer", func(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed },
			502, `{"error":"upstream"`, true},
		{"a body that is too long to keep", always(200, nil, strings.Repeat("a ", 1<<20)), 200,
			"[paytape: body of 2097152 bytes withheld", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			told := &events{}
			send(t, passer(t, test.sandbox, told), request(t, "POST", "/pay/register.do", "note=mine"))
			x := looked(t, told)
			if x.URL != "https://sandbox.test/pay/register.do" || x.Meta.Operation != "register.do" {
				t.Errorf("the request is %s, %q", x.URL, x.Meta.Operation)
			}
			if x.Code != test.code || !strings.HasPrefix(x.Response.Body, test.body) ||
				(x.Meta.Failure != "") != test.failure {
				t.Errorf("the answer is %d %q, failure %q", x.Code, x.Response.Body, x.Meta.Failure)
			}
		})
	}
}

// What is on tape is what somebody sees, and it is the same value.
func TestRecordedExchangesCanBeLookedAt(t *testing.T) {
	t.Parallel()
	tp, told := &tape{}, &events{}
	m := recorder(t, always(200, nil, "x"), tp, func(o *proxy.RecordOptions) { o.Observe = told.add })
	send(t, m, request(t, "POST", "/pay/register.do", "note=mine"))
	if x := looked(t, told); x != tp.only(t) {
		t.Error("it is another exchange than that on tape")
	}
}

func TestAnExchangePrintsNothing(t *testing.T) {
	t.Parallel()
	told := &events{}
	p := &player{answer: &match.Answer{Code: 200, Body: "of the answer"}}
	m := replayer(t, p, func(o *proxy.ReplayOptions) { o.Observe = told.add })
	send(t, m, request(t, "POST", "/pay/register.do", "note=of-the-request"))
	x := told.all()[0].Exchange
	got := fmt.Sprintf("%v %+v %#v %s", x, x, x, x)
	if diff := cmp.Diff("[secret] [secret] [secret] [secret]", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if x.Cleaned() {
		t.Error("it was cleaned before anybody looked")
	}
}
