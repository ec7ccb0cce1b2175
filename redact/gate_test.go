package redact_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/redact"
)

func TestGateWithholds(t *testing.T) {
	tests := []struct {
		name, body    string
		want, reports string
	}{
		{"a key", `{"` + visa + `":"x"}`, `{"4111110000121111":"x"}`, ""},
		{"an escaped key", `{ "\u0034` + visa[1:] + `": {"a":1.00}}`,
			`{ "4111110000121111": {"a":1.00}}`, ""},
		{"a key and its value", `{"` + grouped(" ") + `":{"pan":"` + visa + `","n":1}}`,
			`{"4111 1100 0012 1111":{"pan":"4111110000121111","n":1}}`, ""},
		{"a fraction is none", `{"a":0.` + visa + `}`, `{"a":0.` + visa + `}`, ""},
		{"a surrogate is none", `{"4111110000121111":1}`, `{"4111110000121111":1}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var reports []string
			r := redactor(t, func(o *redact.Options) {
				o.Report = func(s redact.Safe) { reports = append(reports, s.String()) }
			})
			x := exchange("POST", "https://h/payment/rest/register.do", nil, "")
			x.Response.Headers.Set("Content-Length", "1")
			x.Response.Body = tt.body
			got := r.Clean(x).Exchange()
			if diff := cmp.Diff(tt.want, got.Response.Body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if strings.Join(reports, "\n") != tt.reports {
				t.Errorf("reports %q", reports)
			}
			if got.Replayable() != (tt.reports == "") {
				t.Errorf("withheld %q", got.Meta.Withheld)
			}
		})
	}
}

func TestGateHeadersAndTarget(t *testing.T) {
	x := exchange("GET", "https://h/a/b?"+visa+"=1&c=2", http.Header{
		"X-" + visa: {"v"}, "X-Latin": {"\xe9"}, "X-Ok": {"v"},
	}, "")
	got := redactor(t).Clean(x).Exchange()
	if got.URL != "https://h/a/b?4111110000121111=1&c=2" {
		t.Errorf("target %q", got.URL)
	}
	wantHeader := http.Header{"X-Latin": {"REDACTED"}, "X-Ok": {"v"}}
	if diff := cmp.Diff(wantHeader, got.Request.Headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	want := "request header REDACTED: a secret was left after cleaning"
	if got.Meta.Withheld != want {
		t.Errorf("withheld %q", got.Meta.Withheld)
	}
}

// TestGateHeaderThatIsNoText has a server that writes names of files in Latin-1.
func TestGateHeaderThatIsNoText(t *testing.T) {
	var reports []string
	r := redactor(t, func(o *redact.Options) {
		o.Report = func(s redact.Safe) { reports = append(reports, s.String()) }
	})
	x := exchange("GET", "https://h/payment/rest/register.do", nil, "")
	x.Response.Headers["Content-Disposition"] = []string{"attachment; filename=caf\xe9.pdf", "a"}
	got := r.Clean(x).Exchange()
	if diff := cmp.Diff([]string{"REDACTED", "a"},
		got.Response.Headers["Content-Disposition"]); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if !got.Replayable() {
		t.Errorf("withheld %q", got.Meta.Withheld)
	}
	const note = "response header Content-Disposition: not text"
	if diff := cmp.Diff([]string{note}, got.Meta.Redactions); diff != "" {
		t.Errorf("redactions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gate: register.do: " + note}, reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
}

// TestLessonsOfOthersWithholdNothing cleans a page that shows a password, while a client sends the password: at
// each moment of the cleaning, as far as the rounds find it. The page is never withheld.
func TestLessonsOfOthersWithholdNothing(t *testing.T) {
	t.Parallel()
	page := "<html><p>The word for today is " + password + "</p>" + strings.Repeat("<p>a &amp; b</p>", 500) + "</html>"
	delay, step := time.Millisecond, 200*time.Microsecond
	for range 200 {
		r := redactor(t)
		x := exchange("GET", "https://h/unknown", http.Header{}, "")
		x.Response.Body = page
		cleaned := make(chan redact.Clean)
		go func() { cleaned <- r.Clean(x) }()
		for begun := time.Now(); time.Since(begun) < delay; {
			runtime.Gosched()
		}
		r.Clean(exchange("POST", "https://h/unknown", http.Header{"X-Auth-Token": {password}}, ""))
		got := (<-cleaned).Exchange()
		if !got.Replayable() {
			t.Fatalf("withheld: %s", got.Meta.Withheld)
		}
		if step = max(step*98/100, 5*time.Microsecond); strings.Contains(got.Response.Body, password) {
			delay = max(delay-step, 0) // the lesson came too late
		} else {
			delay += step
		}
	}
}
