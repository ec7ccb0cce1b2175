package proxy_test

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// sites are the hosts of a deck: a sandbox with a base path, one without TLS for cards, the
// page of an issuer, and a host that clients have hard-coded.
func sites(t testing.TB) *proxy.Upstreams {
	t.Helper()
	u := upstreams(t, "https://sandbox.test/base", "bank=http://cards.test:8080")
	err := u.AddHosts([]string{"acs=https://acs.test", "pay.hard.test=https://sandbox.test/base"})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// gate is a deck with both doors.
type gate struct {
	url   *url.URL
	roots *x509.CertPool
	told  *events
}

// newGate puts both doors before a mode.
func newGate(t testing.TB, mode http.RoundTripper, hosts *proxy.Upstreams) gate {
	t.Helper()
	ca, err := proxy.CreateAuthority(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g := gate{roots: x509.NewCertPool(), told: &events{}}
	g.roots.AppendCertsFromPEM(ca.PEM())
	f, err := proxy.NewForward(proxy.ForwardOptions{
		Door:  proxy.NewHosts(proxy.NewDoor(mode, nil), hosts, nil),
		Hosts: hosts, Authority: ca, Cleaner: newUncleaned(t), Observe: g.told.add,
	})
	if err != nil {
		t.Fatal(err)
	}
	g.url = &url.URL{Scheme: "http", Host: serve(t, f)}
	return g
}

// client comes in by a door. Protocols of the reverse door are always HTTP/1.1.
func (g gate) client(t testing.TB, d entrance) *http.Client {
	t.Helper()
	tr := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: g.roots}, ForceAttemptHTTP2: d.two,
		DisableCompression: true,
	}
	if d.forward {
		tr.Proxy = http.ProxyURL(g.url)
		tr.ProxyConnectHeader = http.Header{"Proxy-Authorization": {"Basic c2VjcmV0"}}
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// entrance is one way to ask a deck for the sandbox.
type entrance struct {
	name    string
	base    string // URL that the client knows the sandbox by; DECK is the deck's own
	sees    string // where the client finds the addresses of the sandbox
	path    string // a redirect of the sandbox to its path /base/r
	back    string // the address that it sends, where that is not base
	forward bool
	two     bool // HTTP/2
}

var entrances = []entrance{
	{name: "reverse door", base: "DECK", sees: "DECK", path: "/r"},
	{
		name: "reverse door in absolute form", forward: true,
		base: "DECK", sees: "DECK", path: "/r",
	},
	{
		name: "tunnel", forward: true,
		base: "https://sandbox.test/base", sees: "https://sandbox.test/base", path: "/base/r",
	},
	{
		name: "tunnel with HTTP/2", forward: true, two: true,
		base: "https://sandbox.test/base", sees: "https://sandbox.test/base", path: "/base/r",
	},
	{
		name: "tunnel to a host by its name", forward: true, two: true,
		base: "https://pay.hard.test", sees: "https://pay.hard.test", path: "/r",
	},
	{
		name: "absolute form of a host by its name", forward: true,
		base: "http://pay.hard.test", sees: "http://pay.hard.test", path: "/r",
	},
	{
		name: "reverse door by the name of a host",
		base: "DECK/_host/pay.hard.test", sees: "DECK", path: "/_host/pay.hard.test/r",
	},
	{
		name: "session at the reverse door by the name of a host",
		base: "DECK/~one/_host/pay.hard.test", sees: "DECK/~one",
		path: "/~one/_host/pay.hard.test/r",
	},
	{
		name: "session in a tunnel to a host by its name", forward: true, two: true,
		base: "https://pay.hard.test/~one", sees: "https://pay.hard.test/~one", path: "/~one/r",
	},
	{
		name: "session in a tunnel", forward: true,
		base: "https://sandbox.test/base/~one", sees: "https://sandbox.test/base", path: "/base/r",
		back: "https://sandbox.test/base",
	},
}

// opening is what every client sends; the answer holds addresses of the sandbox.
const opening = "/pay/register.do?n=%7e"

const answered = `{"formUrl":"https://sandbox.test/base/f?a=1","note":"n"}`

var answerHeader = http.Header{
	"Content-Type": {"application/json"}, "Location": {"/base/r"}, "Set-Cookie": {"a=1", "b=2"},
}

// visit registers by an entrance and compares the answer with what that client must see.
func (g gate) visit(t *testing.T, d entrance) {
	t.Helper()
	at := func(s string) string { return strings.Replace(s, "DECK", g.url.String(), 1) }
	req, err := http.NewRequestWithContext(t.Context(), "POST", at(d.base)+opening,
		strings.NewReader("orderNumber=1&back="+url.QueryEscape(at(cmp.Or(d.back, d.base))+"/pay/done")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Content-Type":        {"application/x-www-form-urlencoded"},
		"Proxy-Authorization": {"Basic c2VjcmV0"}, "Proxy-Connection": {"keep-alive"},
		"X-Own": {"1", "2"}, "User-Agent": {"test"},
	}
	res, err := g.client(t, d).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(answered, "https://sandbox.test/base", at(d.sees), 1)
	if string(body) != want || res.StatusCode != 200 {
		t.Errorf("%d %s, want %s", res.StatusCode, body, want)
	}
	if got := res.Header.Get("Location"); got != d.path {
		t.Errorf("sent to %q, want %q", got, d.path)
	}
	if diff := gocmp.Diff(answerHeader["Set-Cookie"], res.Header["Set-Cookie"]); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
	if d.two != (res.ProtoMajor == 2) {
		t.Errorf("spoke %s", res.Proto)
	}
}

// sandboxSees checks what came to the sandbox, which must not tell by which door.
func sandboxSees(t *testing.T, req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	want := "orderNumber=1&back=https%3A%2F%2Fsandbox.test%2Fbase%2Fpay%2Fdone"
	if string(body) != want {
		t.Errorf("the sandbox was sent %s, want %s", body, want)
	}
	if to := req.URL.Scheme + "://" + req.URL.Host + req.URL.Opaque; to !=
		"https://sandbox.test/base"+opening || req.Host != "" {
		t.Errorf("sent to %s with host %q", to, req.Host)
	}
	wantHeader := http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"}, "X-Own": {"1", "2"},
		"User-Agent": {"test"}, "Content-Length": req.Header["Content-Length"],
	}
	delete(req.Header, "Accept-Encoding")
	if diff := gocmp.Diff(wantHeader, req.Header); diff != "" {
		t.Errorf("header at the sandbox (-want +got):\n%s", diff)
	}
	return reply(200, answerHeader.Clone(), answered), nil
}

// recordBy records one visit by an entrance.
func recordBy(t *testing.T, d entrance) []*leaf.Exchange {
	t.Helper()
	tp := &tape{}
	hosts := sites(t)
	s := fake(func(req *http.Request) (*http.Response, error) { return sandboxSees(t, req) })
	m := recorder(t, s, tp, func(o *proxy.RecordOptions) { o.Upstreams = hosts })
	newGate(t, m, hosts).visit(t, d)
	x := tp.only(t)
	for _, name := range []string{"Proxy-Authorization", "Proxy-Connection"} {
		if x.Request.Headers.Get(name) != "" {
			t.Errorf("%s is on tape", name)
		}
	}
	if x.URL != "https://sandbox.test/base"+opening || x.Response.Body != answered {
		t.Errorf("on tape: %s %s", x.URL, x.Response.Body)
	}
	return tp.exchanges()
}

func TestPassIsAlikeAtAllDoors(t *testing.T) {
	for _, d := range entrances {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			hosts := sites(t)
			m, err := proxy.NewPass(proxy.PassOptions{
				Route: proxy.Route{Upstreams: hosts, Transport: fake(
					func(req *http.Request) (*http.Response, error) { return sandboxSees(t, req) },
				)},
				Cleaner: newUncleaned(t),
			})
			if err != nil {
				t.Fatal(err)
			}
			newGate(t, m, hosts).visit(t, d)
		})
	}
}

// What was recorded at one door replays at every other: a tape holds the sandbox's addresses.
func TestRecordAndReplayAreAlikeAtAllDoors(t *testing.T) {
	for _, from := range entrances {
		t.Run("from "+from.name, func(t *testing.T) {
			t.Parallel()
			recorded := match.Compile(match.Options{Profiles: profiles(t)},
				match.Cassette{Name: "tape", Exchanges: recordBy(t, from)})
			for _, to := range entrances {
				t.Run("to "+to.name, func(t *testing.T) {
					m := replayer(t, match.NewPlayer(recorded))
					newGate(t, m, sites(t)).visit(t, to)
				})
			}
		})
	}
}

// Addresses of other hosts lead where the client can go: to the deck, or to themselves.
func TestOtherHostsAreFound(t *testing.T) {
	const page = `{"formUrl":"https://acs.test/c"}`
	tests := []struct{ name, url, formURL, asked string }{
		{"at the reverse door", "DECK/pay/register.do", "DECK/_host/acs/c",
			"https://sandbox.test/base"},
		{"in a tunnel", "https://sandbox.test/base/pay/register.do", "https://acs.test/c",
			"https://sandbox.test/base"},
		{"under its name", "DECK/_host/ACS/pay/register.do", "DECK/_host/acs/c", "https://acs.test"},
		{"in its own tunnel", "https://acs.test/pay/register.do", "https://acs.test/c",
			"https://acs.test"},
		{"in a tunnel by its name", "https://acs/pay/register.do", "https://acs/c",
			"https://acs.test"},
		{"the host decides, not the path", "http://cards.test:8080/pay/register.do",
			"https://acs.test/c", "http://cards.test:8080"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hosts, asked := sites(t), ""
			m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
				asked = req.URL.Scheme + "://" + req.URL.Host + req.URL.Opaque
				return reply(200, http.Header{"Content-Type": {"application/json"}}, page), nil
			}), &tape{}, func(o *proxy.RecordOptions) { o.Upstreams = hosts })
			g := newGate(t, m, hosts)
			at := func(s string) string { return strings.Replace(s, "DECK", g.url.String(), 1) }
			res, err := g.client(t, entrance{forward: !strings.HasPrefix(tt.url, "DECK")}).
				Post(at(tt.url), "text/plain", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if want := `{"formUrl":"` + at(tt.formURL) + `"}`; err != nil || string(body) != want {
				t.Errorf("got %s %v, want %s", body, err, want)
			}
			if asked != tt.asked+"/pay/register.do" {
				t.Errorf("asked %s, want %s", asked, tt.asked)
			}
		})
	}
}

func TestAnUnknownHostNameIsRefused(t *testing.T) {
	m := recorder(t, always(200, nil, ""), &tape{})
	srv := httptest.NewServer(proxy.NewHosts(proxy.NewDoor(m, nil), sites(t), nil))
	defer srv.Close()
	res, err := http.Get(srv.URL + "/_host/other/x")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 404 || res.Header.Get("Paytape-Error") != "host" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
}
