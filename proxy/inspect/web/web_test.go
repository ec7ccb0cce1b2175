package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy/inspect/web"
)

func ask(t *testing.T, base, method, path string, header http.Header) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	web.Handler(base).ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, answer *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("reading the answer: %v", err)
	}
	return string(content)
}

func TestAddresses(t *testing.T) {
	for _, test := range []struct {
		base, path string
		want       int
		reason     string
	}{
		{"/", "/", 200, "the list"},
		{"/", "/x/52", 200, "an exchange"},
		{"/", "/why/last-miss", 200, "a word in place of a number"},
		{"/", "/compare/g12/g13", 200, "two flows"},
		{"/", "/tape", 200, "no tape chosen"},
		{"/", "/rules", 200, "rules"},
		{"/", "/callbacks", 200, "callbacks"},
		{"/", "/assets/app.js", 200, "a module"},
		{"/", "/assets/screens/traffic.js", 200, "a module of a screen"},
		{"/", "/x/52/more", 404, "too many parts"},
		{"/", "/rules/more", 404, "a screen without parts"},
		{"/", "/index.html", 404, "the shell has the addresses of screens alone"},
		{"/", "/assets/index.html", 404, "the template is no asset"},
		{"/", "/assets/", 404, "no listing"},
		{"/", "/assets/../web.go", 404, "nothing outside"},
		{"/", "/0123456789abcdef/", 404, "whoever checks the token takes it out of the path"},
		{"/inspect/", "/inspect/", 200, "the list below a base"},
		{"/inspect/", "/inspect/why/52", 200, "a screen below a base"},
		{"/inspect/", "/inspect/assets/style.css", 200, "an asset below a base"},
		{"/inspect/", "/why/52", 404, "not below the base"},
	} {
		answer := ask(t, test.base, "GET", test.path, nil)
		if answer.StatusCode != test.want {
			t.Errorf("%s under %s: %d, want %d: %s", test.path, test.base, answer.StatusCode,
				test.want, test.reason)
		}
		if answer.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s under %s has no policy", test.path, test.base)
		}
	}
	if got := ask(t, "/", "POST", "/", nil).StatusCode; got != 405 {
		t.Errorf("POST: %d", got)
	}
}

// TestShell looks for what the policy of the page would refuse, and for addresses that leave the
// base.
func TestShell(t *testing.T) {
	page := body(t, ask(t, "/inspect/", "GET", "/inspect/x/52", nil))
	if !strings.Contains(page, `<meta name="paytape-base" content="/inspect/">`) {
		t.Error("the shell does not tell its base")
	}
	for _, found := range regexp.MustCompile(`(?:href|src)="([^"#]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(found[1], "/inspect/assets/") {
			t.Errorf("the shell loads %q", found[1])
			continue
		}
		if got := ask(t, "/inspect/", "GET", found[1], nil).StatusCode; got != 200 {
			t.Errorf("the shell loads %q, which answers %d", found[1], got)
		}
	}
	for _, inline := range []string{`<style`, ` style=`, `<script>`, ` on[a-z]+=`, `javascript:`} {
		if regexp.MustCompile(inline).MatchString(page) {
			t.Errorf("the shell has %s", inline)
		}
	}
}

func TestHeaders(t *testing.T) {
	answer := ask(t, "/", "GET", "/", nil)
	for name, want := range map[string]string{
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Content-Type":                 "text/html; charset=utf-8",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	policy := answer.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'",
		"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
		"require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy has no %s", part)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("policy: %s", policy)
	}
}

func TestETag(t *testing.T) {
	first := ask(t, "/", "GET", "/assets/app.js", nil)
	etag := first.Header.Get("ETag")
	again := ask(t, "/", "GET", "/assets/app.js", http.Header{"If-None-Match": {"W/" + etag}})
	if again.StatusCode != 304 || body(t, again) != "" {
		t.Errorf("a file that is known: %d", again.StatusCode)
	}
	other := ask(t, "/inspect/", "GET", "/inspect/", nil).Header.Get("ETag")
	if other == ask(t, "/", "GET", "/", nil).Header.Get("ETag") {
		t.Error("shells of two bases have the same ETag")
	}
	if head := ask(t, "/", "HEAD", "/", nil); head.StatusCode != 200 || body(t, head) != "" {
		t.Errorf("HEAD: %d", head.StatusCode)
	}
}
