package guard_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/proxy/internal/guard"
)

const token = "0123456789abcdef-OF_THE_TEST"

// seen is what a handler behind the guard has got.
type seen struct{ request atomic.Pointer[http.Request] }

func (s *seen) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s.request.Store(req)
	_, _ = io.WriteString(w, "inside "+req.URL.Path)
}

// newGuard returns a guard with a page at /, assets, and an API, and what a handler got last.
func newGuard(t testing.TB) (http.Handler, *seen) {
	t.Helper()
	inside := &seen{}
	open, closed := http.NewServeMux(), http.NewServeMux()
	open.Handle("GET /{$}", inside)
	open.Handle("GET /assets/", inside)
	closed.Handle("GET /api/", inside)
	closed.Handle("POST /api/", inside)
	g, err := guard.New(guard.Options{
		Token: token, Hosts: []string{"Deck.Example"}, HostFlag: "--flag",
	}, open, closed)
	if err != nil {
		t.Fatal(err)
	}
	return g, inside
}

// send sends a request without a socket. Headers are NAME:VALUE; "Host" is one of them.
func send(t testing.TB, h http.Handler, call string, headers ...string) *http.Response {
	t.Helper()
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
	h.ServeHTTP(w, req)
	return w.Result()
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	const bearer = "Authorization:Bearer " + token
	for _, test := range []struct {
		name, call string
		headers    []string
		want       int
	}{
		{"the page needs no token", "GET /", nil, 200},
		{"nor do its scripts", "GET /assets/app.js", nil, 200},
		{"the printed address is the page", "GET /" + token + "/", nil, 200},
		{"even if a chat leads there", "GET /" + token + "/",
			[]string{"Sec-Fetch-Site:cross-site", "Sec-Fetch-Mode:navigate"}, 200},
		{"the API needs the token", "GET /api/status", nil, 401},
		{"in a header", "GET /api/status", []string{bearer}, 200},
		{"or in the path", "GET /" + token + "/api/status", nil, 200},
		{"and not in a query", "GET /api/status?token=" + token, nil, 401},
		{"nor behind the API", "GET /api/" + token + "/status", nil, 401},
		{"a token with more", "GET /" + token + "0/api/status", nil, 401},
		{"a token with less", "GET /" + token[1:] + "/api/status", nil, 401},
		{"a token in another case", "GET /" + strings.ToLower(token) + "/api/status", nil, 401},
		{"a token with its signs escaped", "GET /%30" + token[1:] + "/api/status", nil, 200},

		{"rebinding", "GET /api/status", []string{"Host:evil.example", bearer}, 403},
		{"rebinding of the page", "GET /", []string{"Host:evil.example:4711"}, 403},
		{"a target with another host", "GET http://evil.example/api/status", []string{
			"Host:evil.example", bearer}, 403},
		{"a name that ends like ours", "GET /", []string{"Host:evil.localhost"}, 403},
		{"a name that begins like ours", "GET /", []string{"Host:127.0.0.1.evil.example"}, 403},
		{"no host", "GET /", []string{"Host:"}, 403},
		{"a configured name", "GET /", []string{"Host:deck.EXAMPLE.:80"}, 200},

		{"a fetch of another site", "GET /api/status",
			[]string{bearer, "Sec-Fetch-Site:cross-site"}, 403},
		{"a fetch of another port", "GET /" + token + "/api/status",
			[]string{"Sec-Fetch-Site:same-site"}, 403},
		{"a fetch of our page", "GET /api/status", []string{bearer, "Sec-Fetch-Site:same-origin"}, 200},
		{"the address bar", "GET /" + token + "/api/status", []string{"Sec-Fetch-Site:none"}, 200},
		{"a word that nobody knows", "GET /api/status", []string{bearer, "Sec-Fetch-Site:x"}, 403},
		{"a form of another site", "POST /" + token + "/api/reset",
			[]string{"Sec-Fetch-Site:cross-site", "Content-Type:application/x-www-form-urlencoded"}, 403},
		{"a form of an old browser", "POST /" + token + "/api/reset",
			[]string{"Origin:http://evil.example"}, 403},
		{"a form of a sandboxed frame", "POST /" + token + "/api/reset", []string{"Origin:null"}, 403},
		{"a form of our page", "POST /" + token + "/api/reset",
			[]string{"Origin:http://127.0.0.1:4711"}, 200},
		{"curl", "POST /" + token + "/api/reset", nil, 200},
		{"a question before a fetch", "OPTIONS /api/status",
			[]string{"Origin:http://evil.example", "Access-Control-Request-Method:GET"}, 401},
		{"the same with the token", "OPTIONS /api/status", []string{bearer}, 405},

		{"HEAD without the token", "HEAD /api/status", nil, 401},
		{"HEAD with it", "HEAD /api/status", []string{bearer}, 200},
		{"a method that nobody needs", "TRACE /api/status", []string{bearer}, 405},
		{"a method on the page", "POST /", nil, 401},
		{"a method on the page with the token", "DELETE /" + token + "/", nil, 404},

		{"out of the assets", "GET /assets/../api/status", nil, 401},
		{"out of the assets, escaped", "GET /assets/%2e%2e/api/status", nil, 401},
		{"an empty part", "GET //api/status", nil, 401},
		{"an empty part with the token", "GET //api/status", []string{bearer}, 404},
		{"a token behind an empty part", "GET //" + token + "/api/status", nil, 401},
		{"an empty part behind the token", "GET /" + token + "//api/status", nil, 404},
		{"dots behind the token", "GET /" + token + "/api/../api/status", nil, 404},
		{"a query of a megabyte", "GET /api/status?q=" + strings.Repeat("x", 1<<20),
			[]string{bearer}, 414},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g, _ := newGuard(t)
			got := send(t, g, test.call, test.headers...)
			if got.StatusCode != test.want {
				t.Errorf("got %d, want %d", got.StatusCode, test.want)
			}
			body, err := io.ReadAll(got.Body)
			if err != nil || strings.Contains(string(body), token) {
				t.Errorf("the answer holds the token, or cannot be read: %v", err)
			}
			checkHeaders(t, got.Header)
		})
	}
}

// checkHeaders looks at what every answer has, be it of a page, of the API or a refusal.
func checkHeaders(t *testing.T, h http.Header) {
	t.Helper()
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	policy := h.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q has no %s", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("the policy %q lets something in", policy)
	}
	for name, values := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s lets another origin in", name)
		}
		if strings.Contains(strings.Join(values, " "), token) {
			t.Errorf("%s holds the token", name)
		}
	}
}

// What is behind the guard cannot repeat the token: it has none.
func TestHandlersDoNotSeeTheToken(t *testing.T) {
	t.Parallel()
	for _, call := range []string{
		"GET /" + token + "/api/tapes/a%2Fb?q=1", "GET /api/tapes/a%2Fb?q=1", "GET /" + token,
		"GET /%30" + token[1:] + "/api/tapes/a%2Fb?q=1",
	} {
		g, inside := newGuard(t)
		send(t, g, call, "Authorization:Bearer "+token, "Referer:http://127.0.0.1/"+token+"/")
		req := inside.request.Load()
		if req == nil {
			t.Fatalf("%s was refused", call)
		}
		var all strings.Builder
		if err := req.Write(&all); err != nil {
			t.Fatal(err)
		}
		all.WriteString(req.RequestURI + req.URL.RawPath + req.URL.String())
		if strings.Contains(all.String(), token) || strings.Contains(all.String(), token[1:]) {
			t.Errorf("%s: the handler sees the token:\n%s", call, &all)
		}
		want := "/api/tapes/a%2Fb?q=1"
		if strings.HasSuffix(call, token) {
			want = "/"
		}
		if got := req.RequestURI; got != want && !strings.Contains(call, "%30") {
			t.Errorf("%s: the handler sees %q, want %q", call, got, want)
		}
	}
}

func TestATokenThatCanBeGuessedIsRefused(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]string{
		"none": "", "a short one": "0123456789abcde", "one with a slash": "0123456789/abcdef",
	} {
		mux := http.NewServeMux()
		_, err := guard.New(guard.Options{Token: token}, mux, mux)
		if err == nil || token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// FuzzGuard sends any path: what is not open needs the token, and no answer repeats it.
func FuzzGuard(f *testing.F) {
	for _, p := range []string{"/", "/assets/x", "/api/status", "/" + token + "/../api", "//x",
		"/assets/..%2f..%2fapi/status", "/;/api/status", "/" + token + "%2fapi"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, target string) {
		req, err := http.NewRequest("GET", "http://127.0.0.1"+target, nil)
		if err != nil || req.Host != "127.0.0.1" {
			return
		}
		g, inside := newGuard(t)
		w := httptest.NewRecorder()
		g.ServeHTTP(w, req)
		if strings.Contains(w.Header().Get("Location"), token) {
			t.Errorf("%q: a redirect repeats the token", target)
		}
		if w.Code != 200 || inside.request.Load() == nil {
			return
		}
		at := inside.request.Load().URL.Path
		if strings.HasPrefix(at, "/api/") && !strings.Contains(req.URL.Path, token) {
			t.Errorf("%q got to %q without the token", target, at)
		}
	})
}
