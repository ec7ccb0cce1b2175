package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/verify"
	"github.com/paytape/paytape/redact"
)

// register and status are calls of the gateway.
const (
	register = "/payment/rest/register.do"
	status   = "/payment/rest/getOrderStatusExtended.do"
	order    = "0190a1b2-0000-7000-8000-0000c0ffee00"
	password = "correct-horse-battery"
)

// exchange is a recorded call with a form.
func exchange(number int, path, form, answer string) *leaf.Exchange {
	x := &leaf.Exchange{}
	x.Request.Method, x.Request.URL = "POST", "https://sandbox.example"+path
	x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	x.Request.Body, x.Response.Body = form, answer
	x.Response.Code, x.Response.Headers = 200, http.Header{"Content-Type": {"application/json"}}
	x.Meta.Number, x.Meta.At = number, time.Date(2026, 3, 14, 10, 0, number, 0, time.UTC)
	return x
}

// checkout is an order that was registered, and asked for twice.
func checkout() tape.Cassette {
	const login = "userName=shop&password=REDACTED-token-1&"
	shown := `{"errorCode":"0","orderNumber":"A-1","orderStatus":0,"amount":12500}`
	return tape.Cassette{Name: "checkout", Exchanges: []*leaf.Exchange{
		exchange(1, register, login+"orderNumber=A-1&amount=12500&currency=978&returnUrl=https%3A%2F%2Fshop.example%2F",
			`{"orderId":"`+order+`","formUrl":"https://sandbox.example/pay?mdOrder=`+order+`"}`),
		exchange(2, status, login+"orderId="+order, shown),
		exchange(3, status, login+"orderId="+order, shown),
	}}
}

// gateway is a sandbox of two calls.
type gateway struct {
	mu      sync.Mutex // guards the rest
	numbers map[string]string
	asked   []string // paths
	forms   []url.Values
	// before is asked first; it returns true if it has answered.
	before func(w http.ResponseWriter, r *http.Request, n int) bool
	echo   bool // what the client sent stands in the answer
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = r.ParseForm()
	g.asked, g.forms = append(g.asked, r.URL.Path), append(g.forms, r.PostForm)
	if g.before != nil && g.before(w, r, len(g.asked)) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.PostForm.Get("password") != password:
		fmt.Fprint(w, `{"errorCode":"5","errorMessage":"Access denied"}`)
	case r.URL.Path == register:
		id := fmt.Sprintf("01951d3e-77aa-7111-9222-%08dffee", len(g.numbers))
		g.numbers[id] = r.PostForm.Get("orderNumber")
		fmt.Fprintf(w, `{"orderId":%q,"formUrl":"http://%s/pay?mdOrder=%s"}`, id, r.Host, id)
	default:
		extra := ""
		if g.echo {
			extra = fmt.Sprintf(`,"debug":%q`, "password was "+r.PostForm.Get("password"))
		}
		fmt.Fprintf(w, `{"errorCode":"0","orderNumber":%q,"orderStatus":0,"amount":12500%s}`,
			g.numbers[r.PostForm.Get("orderId")], extra)
	}
}

// options are those of a run against an address.
func options(t *testing.T, address string) verify.Options {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	ups, err := proxy.ParseUpstreams(set, []string{address})
	if err != nil {
		t.Fatal(err)
	}
	transport := proxy.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	secrets, err := verify.ParseSecrets([]byte("password=" + password + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return verify.Options{
		Profiles: set, Cleaner: redact.New(redact.Options{Profiles: set}), Secrets: secrets,
		Route: proxy.Route{Upstreams: ups, Transport: transport},
	}
}

// played plays the checkout against a gateway.
func played(t *testing.T, g *gateway, change func(*verify.Options)) (*verify.Report, error) {
	t.Helper()
	g.numbers = map[string]string{}
	s := httptest.NewServer(g)
	defer s.Close()
	o := options(t, s.URL)
	if change != nil {
		change(&o)
	}
	plan, err := verify.NewPlan(o, checkout())
	if err != nil {
		t.Fatal(err)
	}
	return plan.Play(t.Context())
}

func text(t *testing.T, r *verify.Report) string {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var junit bytes.Buffer
	if err := r.WriteJUnit(&junit); err != nil {
		t.Fatal(err)
	}
	return string(data) + junit.String()
}

// TestFresh has the client's values fresh, and what the sandbox made sent back.
func TestFresh(t *testing.T) {
	t.Parallel()
	g := &gateway{}
	r, err := played(t, g, nil)
	if err != nil || r.Played != 3 || r.Drifted != 0 {
		t.Fatalf("%v: %s", err, text(t, r))
	}
	number := g.forms[0].Get("orderNumber")
	if number == "A-1" || len(number) < 10 {
		t.Errorf("the order number %q is not fresh", number)
	}
	if id := g.forms[1].Get("orderId"); id == order || g.numbers[id] != number {
		t.Errorf("the order %q is asked for", id)
	}
	if got := g.forms[0].Get("returnUrl"); got != "https://shop.example/" {
		t.Errorf("returnUrl is %q", got)
	}
}

// TestNothingLeaks has a sandbox that repeats the password.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	r, err := played(t, &gateway{echo: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, r); strings.Contains(got, password) || !strings.Contains(got, `"debug"`) {
		t.Errorf("the report is %s", got)
	}
}

// TestTooMany has a sandbox that refuses the second request twice.
func TestTooMany(t *testing.T) {
	t.Parallel()
	g := &gateway{before: func(w http.ResponseWriter, _ *http.Request, n int) bool {
		if n != 2 && n != 3 {
			return false
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}}
	r, err := played(t, g, nil)
	if err != nil || r.Played != 3 || r.Drifted != 0 || len(g.asked) != 5 {
		t.Errorf("%v: asked %v: %s", err, g.asked, text(t, r))
	}
}

// TestFailureStopsTheFlow has a sandbox that fails: what comes after that is not asked.
func TestFailureStopsTheFlow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before func(w http.ResponseWriter, r *http.Request, n int) bool
		want   string
		asked  int
	}{
		{"an error code", func(w http.ResponseWriter, _ *http.Request, n int) bool {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"errorCode":"7","errorMessage":"System error"}`)
			return n == 1
		}, `"grade":"new code","side":"answer","path":"errorCode"`, 1},
		{"a status", func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n == 2 {
				w.WriteHeader(http.StatusBadGateway)
			}
			return n == 2
		}, `"path":"HTTP status","was":"200","is":"502"`, 2},
		{"a cut answer", func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n != 2 {
				return false
			}
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"errorCode":`)
			return true
		}, `cut after 13 bytes`, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := &gateway{before: tt.before}
			r, err := played(t, g, nil)
			if err != nil || len(g.asked) != tt.asked || r.NotPlayed != 3-tt.asked || r.Drifted != 1 ||
				!strings.Contains(text(t, r), tt.want) {
				t.Errorf("%v: asked %v: %s", err, g.asked, text(t, r))
			}
		})
	}
}

// TestTimeout has a sandbox that thinks for too long.
func TestTimeout(t *testing.T) {
	t.Parallel()
	g := &gateway{before: func(_ http.ResponseWriter, r *http.Request, n int) bool {
		if n == 2 {
			<-r.Context().Done()
		}
		return false
	}}
	r, err := played(t, g, func(o *verify.Options) {
		o.Timeout = 2 * time.Second // the other requests have their answers in that time too
	})
	if err != nil || r.Played != 2 || r.Drifted != 1 ||
		!strings.Contains(text(t, r), "answer body: removed (the sandbox gave no answer in time)") {
		t.Errorf("%v: %s", err, text(t, r))
	}
}

// TestInterrupt ends a run in the middle. What was played is told.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	g := &gateway{numbers: map[string]string{}}
	s := httptest.NewServer(g)
	defer s.Close()
	o := options(t, s.URL)
	ctx, cancel := context.WithCancel(t.Context())
	o.Tell = func(number int, _ string, _ int) {
		if number == 2 {
			cancel()
		}
	}
	plan, err := verify.NewPlan(o, checkout())
	if err != nil {
		t.Fatal(err)
	}
	r, err := plan.Play(ctx)
	if !errors.Is(err, context.Canceled) || r.Played > 2 || r.Played < 1 || len(g.asked) != 2 ||
		!strings.Contains(text(t, r), "the run was interrupted") {
		t.Errorf("%v: asked %d: %s", err, len(g.asked), text(t, r))
	}
}

// TestNobodyThere has no sandbox, or one whose certificate nobody trusts: nothing more is tried.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for name, address := range map[string]string{"closed": "http://127.0.0.1:1", "TLS": secure.URL} {
		t.Run(name, func(t *testing.T) {
			plan, err := verify.NewPlan(options(t, address), checkout())
			if err != nil {
				t.Fatal(err)
			}
			r, err := plan.Play(t.Context())
			if !errors.Is(err, verify.ErrUnreachable) || r == nil || r.NotPlayed != 3 {
				t.Errorf("%v: %s", err, text(t, r))
			}
		})
	}
}

// TestOnlyUpstreams has a sandbox that redirects: nobody follows.
func TestOnlyUpstreams(t *testing.T) {
	t.Parallel()
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	g := &gateway{before: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		return true
	}}
	if _, err := played(t, g, nil); err != nil || asked {
		t.Errorf("%v, asked %t", err, asked)
	}
}

// TestRate bounds how fast requests are sent.
func TestRate(t *testing.T) {
	t.Parallel()
	began := time.Now()
	const every = 100 * time.Millisecond
	if _, err := played(t, &gateway{}, func(o *verify.Options) { o.Every = every }); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 2*every {
		t.Errorf("three requests took %v", took)
	}
}

// TestNeeds lists what is missing, and plays without what is said not to be there.
func TestNeeds(t *testing.T) {
	t.Parallel()
	o := options(t, "http://127.0.0.1:1")
	o.Secrets = nil
	plan, err := verify.NewPlan(o, checkout())
	if err != nil {
		t.Fatal(err)
	}
	missing := plan.Missing()
	if len(missing) != 1 || missing[0].Name != "password" || missing[0].Kind != "token" ||
		!slices.Contains(missing[0].Names, "REDACTED-token-1") ||
		!slices.Equal(missing[0].Where, []string{"register.do/password", "getOrderStatusExtended.do/password"}) {
		t.Errorf("missing are %+v", missing[0])
	}
	g := &gateway{}
	r, err := played(t, g, func(o *verify.Options) {
		o.Secrets, _ = verify.ParseSecrets([]byte("password=\n"))
	})
	if err != nil || len(g.asked) != 0 || !strings.Contains(text(t, r), "there is no value for the secret") {
		t.Errorf("%v: %s", err, text(t, r))
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, want string }{
		{"lines", "# a comment\n\na=b=c\r\n $PAN = 4 \n", ""},
		{"a mark at the beginning", "\ufeffa=b", ""},
		{"no name", "x=y\n=verysecret", "2: expected NAME=VALUE"},
		{"no sign", "verysecret", "1: expected NAME=VALUE"},
		{"twice", "a=verysecret\na=verysecret", "2: the name is there twice"},
		{"a control character", "a=very\x00secret", "1: the value has a control character"},
		{"a long line", "a=" + strings.Repeat("x", 2<<20), "1: the line is too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := verify.ParseSecrets([]byte(tt.file))
			switch {
			case tt.want == "" && (err != nil || s == nil):
				t.Errorf("error %v", err)
			case tt.want != "" && (err == nil || err.Error() != tt.want):
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if got := fmt.Sprintf("%v %+v %#v", s, s, s); strings.Contains(got, "b=c") {
				t.Errorf("it prints %s", got)
			}
		})
	}
	file := filepath.Join(t.TempDir(), "x.secrets")
	if err := os.WriteFile(file, []byte("a=b"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := verify.ReadSecrets(file); err == nil && runtime.GOOS != "windows" {
		t.Error("a file that a group may read is read")
	}
	if _, err := verify.ReadSecrets(t.TempDir()); err == nil {
		t.Error("a folder is read")
	}
}

// FuzzSecrets reads anything: an error never repeats it.
func FuzzSecrets(f *testing.F) {
	f.Add("a=verysecretvalue")
	f.Add("verysecretvalue")
	f.Add("a\n=\nb=c\n")
	f.Fuzz(func(t *testing.T, file string) {
		s, err := verify.ParseSecrets([]byte(file))
		if (s == nil) != (err != nil) {
			t.Fatalf("%v with %v", s, err)
		}
		for line := range strings.Lines(file) {
			if line = strings.TrimSpace(line); err != nil && len(line) > 20 && strings.Contains(err.Error(), line) {
				t.Fatalf("the error %q repeats a line", err)
			}
		}
	})
}

// TestDryRun prints words in place of values, and asks nobody.
func TestDryRun(t *testing.T) {
	t.Parallel()
	plan, err := verify.NewPlan(options(t, "http://127.0.0.1:1/base"), checkout())
	if err != nil {
		t.Fatal(err)
	}
	shown := plan.DryRun()
	if len(shown) != 3 || shown[0].URL != "http://127.0.0.1:1/base"+register ||
		!strings.Contains(shown[0].Body, "orderNumber=<fresh order-number>") ||
		!strings.Contains(shown[0].Body, "password=<secret password>") ||
		!strings.Contains(shown[1].Body, "orderId=<order>") {
		t.Errorf("%+v", shown)
	}
	if got := fmt.Sprintf("%+v", shown); strings.Contains(got, password) {
		t.Error("a secret is shown")
	}
}

// TestRefusals plays a call whose amount was refused, and none whose password was: the tape does not hold that. The
// gateway says the same to both (domain facts, Codes).
func TestRefusals(t *testing.T) {
	t.Parallel()
	for marker, skipped := range map[string]bool{"REDACTED-token-1": false, "REDACTED-token-2": true} {
		c := checkout()
		c.Exchanges = append(c.Exchanges, exchange(4, register, "userName=shop&password="+marker+
			"&orderNumber=A-2&amount=0&currency=978&returnUrl=https%3A%2F%2Fshop.example%2F",
			`{"errorCode":"5","errorMessage":"[amount] is not valid"}`))
		plan, err := verify.NewPlan(options(t, "http://127.0.0.1:1"), c)
		if err != nil {
			t.Fatal(err)
		}
		if shown := plan.DryRun(); len(shown) != 4 || (shown[3].Skip != "") != skipped {
			t.Errorf("with %s: %+v", marker, shown)
		}
	}
}

// TestHosts plays exchanges of a host beside the API, if it has an upstream.
func TestHosts(t *testing.T) {
	t.Parallel()
	c := checkout()
	page := exchange(4, "/page?order="+order, "", `{"page":1}`)
	page.Request.URL = "https://acs.example/page?order=" + order
	page.Request.Method, page.Meta.Host = "GET", "acs"
	c.Exchanges = append(c.Exchanges, page)
	for _, given := range []bool{false, true} {
		g := &gateway{numbers: map[string]string{}}
		api := httptest.NewServer(g)
		defer api.Close()
		asked := ""
		acs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.RequestURI()
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"page":1}`)
		}))
		defer acs.Close()
		o := options(t, api.URL)
		if given {
			if err := o.Route.Upstreams.AddHosts([]string{"acs=" + acs.URL + "/base"}); err != nil {
				t.Fatal(err)
			}
		}
		plan, err := verify.NewPlan(o, c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Play(t.Context())
		if err != nil || r.Drifted != 0 {
			t.Errorf("%v: %s", err, text(t, r))
		}
		switch {
		case given && (asked != "/base/page?order="+g.forms[1].Get("orderId") || r.Played != 4):
			t.Errorf("asked %q: %s", asked, text(t, r))
		case !given && (asked != "" || !strings.Contains(text(t, r), `no upstream is given for the host \"acs\"`)):
			t.Errorf("asked %q: %s", asked, text(t, r))
		}
	}
}
