package admin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/admin"
)

const token = "0123456789abcdef-OF_THE_TEST"

func options(t testing.TB) admin.Options {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return admin.Options{
		Mode: "replay", Profiles: set, Token: token, Hosts: []string{"Deck.Example"}, Version: "v1",
	}
}

func newAdmin(t testing.TB) *admin.Admin {
	t.Helper()
	a, err := admin.New(options(t))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ask sends a request without a socket. Headers are NAME:VALUE; "Host" is one of them.
func ask(a http.Handler, call string, headers ...string) *httptest.ResponseRecorder {
	method, target, _ := strings.Cut(call, " ")
	req := httptest.NewRequest(method, target, nil)
	req.Host = "127.0.0.1:4711"
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, req)
	return w
}

func TestWhoIsLetIn(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	a.Tend(admin.Deck{Reset: func() {}})
	const bearer = "Authorization:Bearer " + token
	for _, test := range []struct {
		name, call string
		headers    []string
		want       int
	}{
		{"health needs no token", "GET /healthz", nil, 200},
		{"readiness needs none", "GET /readyz", nil, 200},
		{"metrics do", "GET /metrics", nil, 401},
		{"a reset does", "POST /reset", nil, 401},
		{"what is not there does", "GET /nothing", nil, 401},
		{"the token in the path", "GET /" + token + "/metrics", nil, 200},
		{"the address as it is printed", "GET /" + token, nil, 200},
		{"health by the same address", "GET /" + token + "/healthz", nil, 200},
		{"the token in a header", "GET /metrics", []string{bearer}, 200},
		{"a scheme in another case", "GET /metrics", []string{"Authorization:bearer " + token}, 200},
		{"another scheme", "GET /metrics", []string{"Authorization:Basic " + token}, 401},
		{"a part of the token", "GET /" + token[:20] + "/metrics", nil, 401},
		{"more than the token", "GET /" + token + "x/metrics", nil, 401},
		{"no token at all", "GET //metrics", nil, 401},
		{"a token in a query", "GET /metrics?token=" + token, nil, 401},
		{"a reset", "POST /" + token + "/reset", nil, 204},
		{"a reset by GET", "GET /" + token + "/reset", nil, 405},
		{"what is not there", "GET /" + token + "/nothing", nil, 404},
		{"a page of another site", "POST /" + token + "/reset",
			[]string{"Sec-Fetch-Site:cross-site"}, 403},
		{"a page of another origin", "POST /" + token + "/reset",
			[]string{"Origin:http://evil.example"}, 403},
		{"a name that leads here", "GET /healthz", []string{"Host:evil.example:4711"}, 403},
		{"the same with the token", "GET /metrics", []string{"Host:evil.example", bearer}, 403},
		{"a name that ends like a known one", "GET /healthz", []string{"Host:x.localhost"}, 403},
		{"no name", "GET /healthz", []string{"Host:"}, 403},
		{"localhost", "GET /healthz", []string{"Host:LocalHost:4711"}, 200},
		{"an IPv6 address", "GET /healthz", []string{"Host:[::1]:4711"}, 200},
		{"one without a port", "GET /healthz", []string{"Host:[::1]"}, 200},
		{"a configured name", "GET /healthz", []string{"Host:deck.example.:4711"}, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ask(a, test.call, test.headers...)
			if got.Code != test.want {
				t.Errorf("got %d, want %d: %s", got.Code, test.want, got.Body)
			}
			for name, want := range map[string]string{
				"Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
				"X-Content-Type-Options": "nosniff",
			} {
				if got := got.Header().Get(name); got != want {
					t.Errorf("%s is %q", name, got)
				}
			}
			if strings.Contains(got.Body.String(), token) {
				t.Error("the answer holds the token")
			}
		})
	}
}

func TestReadyWhileTheDeckServes(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	if got := ask(a, "GET /readyz"); got.Code != 503 || got.Body.String() != "starting\n" {
		t.Errorf("before it serves: %d %q", got.Code, got.Body)
	}
	stopping := make(chan struct{})
	a.Tend(admin.Deck{Stopping: stopping})
	if got := ask(a, "GET /readyz"); got.Code != 200 {
		t.Errorf("while it serves: %d", got.Code)
	}
	close(stopping)
	if got := ask(a, "GET /readyz"); got.Code != 503 || got.Body.String() != "stopping\n" {
		t.Errorf("when it stops: %d %q", got.Code, got.Body)
	}
	if got := ask(a, "GET /healthz"); got.Code != 200 {
		t.Errorf("health when it stops: %d", got.Code)
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	const call = "POST /" + token + "/reset"
	if got := ask(a, call); got.Code != 503 {
		t.Errorf("before it serves: %d", got.Code)
	}
	a.Tend(admin.Deck{})
	if got := ask(a, call); got.Code != 409 {
		t.Errorf("a deck that replays nothing: %d", got.Code)
	}
	done := 0
	a.Tend(admin.Deck{Reset: func() { done++ }})
	req := httptest.NewRequest("POST", "/"+token+"/reset", strings.NewReader("mdOrder=1"))
	req.Host = "localhost"
	w := httptest.NewRecorder()
	a.ServeHTTP(w, req)
	if w.Code != 400 || done != 0 {
		t.Errorf("a form: %d, %d resets", w.Code, done)
	}
	if got := ask(a, call); got.Code != 204 || done != 1 {
		t.Errorf("a reset: %d, %d resets", got.Code, done)
	}
	if got := metrics(t, a); !strings.Contains(got, `paytape_resets_total{mode="replay"} 1`) {
		t.Errorf("it is not counted:\n%s", got)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	const call = "POST /" + token + "/stop"
	if got := ask(a, call); got.Code != 503 {
		t.Errorf("before it serves: %d", got.Code)
	}
	told := 0
	a.Tend(admin.Deck{Stop: func() { told++ }})
	for _, refused := range []struct {
		call   string
		header string
		want   int
	}{
		{"POST /stop", "Host:localhost", 401}, {"GET /" + token + "/stop", "Host:localhost", 405},
		{call, "Origin:http://evil.example", 403},
	} {
		if got := ask(a, refused.call, refused.header); got.Code != refused.want || told != 0 {
			t.Errorf("%s with %s: %d, %d stops", refused.call, refused.header, got.Code, told)
		}
	}
	req := httptest.NewRequest("POST", "/"+token+"/stop", strings.NewReader("now=1"))
	req.Host = "localhost"
	w := httptest.NewRecorder()
	if a.ServeHTTP(w, req); w.Code != 400 || told != 0 {
		t.Errorf("a form: %d, %d stops", w.Code, told)
	}
	if got := ask(a, call); got.Code != 202 || told != 1 {
		t.Errorf("a stop: %d, %d stops", got.Code, told)
	}
}

func TestNewRefusesAWeakToken(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]string{
		"none": "", "a short one": "0123456789abcde", "one with a slash": "0123456789/abcdef",
		"one with a space": "0123456789 abcdef", "one that is escaped": "0123456789%abcdef",
	} {
		o := options(t)
		o.Token = token
		if _, err := admin.New(o); err == nil || token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// metrics returns what GET /metrics answers.
func metrics(t testing.TB, a http.Handler) string {
	t.Helper()
	res := ask(a, "GET /"+token+"/metrics").Result()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("metrics: status %d, %v", res.StatusCode, err)
	}
	return string(body)
}
