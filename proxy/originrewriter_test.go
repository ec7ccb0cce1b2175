package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// issuer is a deck before a gateway and an issuer with a base path.
func issuer(t testing.TB) *proxy.Upstreams {
	t.Helper()
	u := upstreams(t, "https://gate.test")
	if err := u.AddHosts([]string{"acs=https://acs.bank.test/base"}); err != nil {
		t.Fatal(err)
	}
	return u
}

// browse records an answer of the issuer to a browser at the deck, and replays it.
func browse(t *testing.T, header http.Header, body string) (recorded, replayed *http.Response,
	bodies [2]string) {
	t.Helper()
	hosts, tp := issuer(t), &tape{}
	m := recorder(t, always(200, header, body), tp, func(o *proxy.RecordOptions) { o.Upstreams = hosts })
	get := func(mode http.RoundTripper, hosts *proxy.Upstreams) (*http.Response, string) {
		g := newGate(t, mode, hosts)
		g.url.Host = strings.Replace(g.url.Host, "127.0.0.1", "localhost", 1)
		res, err := g.client(t, entrance{}).Get(g.url.String() + "/~one/_host/acs/x")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range res.Header {
			for i := range values {
				values[i] = strings.ReplaceAll(values[i], g.url.String(), "DECK")
			}
		}
		return res, strings.ReplaceAll(string(text), g.url.String(), "DECK")
	}
	recorded, bodies[0] = get(m, hosts)
	x := tp.only(t)
	if x.Response.Body != body || x.Meta.Host != "acs" {
		t.Errorf("on tape: %q of %q", x.Response.Body, x.Meta.Host)
	}
	gateway := &leaf.Exchange{}
	gateway.Method, gateway.URL, gateway.Code = "GET", "https://gate.test/y", 200
	gateway.Meta.Number = 2
	c := match.Cassette{Name: "tape", Exchanges: []*leaf.Exchange{x, gateway}}
	known := proxy.Addresses([]string{"https://acs.bank.test/base", "https://gate.test"})
	compiled := match.Compile(match.Options{Profiles: profiles(t)}, c)
	known.AddRecorded(compiled.Hosts())
	replay := replayer(t, match.NewPlayer(compiled), func(o *proxy.ReplayOptions) { o.Hosts = known })
	replayed, bodies[1] = get(replay, known)
	return recorded, replayed, bodies
}

func TestBrowsersHeadersHoldAtTheDeck(t *testing.T) {
	const csp = "Content-Security-Policy"
	tests := []struct{ name, header, value, want string }{
		{"a cookie of the host", "Set-Cookie", "a=b; Path=/base/c; HttpOnly",
			"a=b; Path=/~one/_host/acs/c; HttpOnly"},
		{"of all of it", "Set-Cookie", "a=b; path=/", "a=b; Path=/~one/_host/acs"},
		{"of another path", "Set-Cookie", "a=b; Path=/other", "a=b; Path=/other"},
		{"of a domain", "Set-Cookie", "a=b; Domain=.bank.test; Max-Age=1", "a=b; Max-Age=1"},
		{"of the deck's own domain", "Set-Cookie", "a=b; Domain=localhost", "a=b; Domain=localhost"},
		{"for TLS", "Set-Cookie", "a=b; Secure; SameSite=None; Partitioned", "a=b"},
		{"that browsers lose at the sandbox too", "Set-Cookie", "a=b; SameSite=None; Partitioned",
			"a=b; SameSite=None; Partitioned"},
		{"of no domain", "Set-Cookie", "a=b; Domain=; Path=/x", "a=b; Domain=; Path=/x"},
		{"for TLS by its name", "Set-Cookie", "__Secure-a=b; Secure; Path=/base/c; Domain=bank.test",
			"__Secure-a=b; Secure; Path=/~one/_host/acs/c"},
		{"for the host by its name", "Set-Cookie", "__Host-a=b; Secure; Path=/",
			"__Host-a=b; Secure; Path=/"},
		{"of the same site", "Set-Cookie", "a=b; SameSite=Lax", "a=b; SameSite=Lax"},
		{"a policy", csp, "default-src 'none'; form-action 'self' https://gate.test/x http://shop.test",
			"default-src 'none'; form-action 'self' DECK http://shop.test"},
		{"without a scheme", csp, "frame-src acs.bank.test;upgrade-insecure-requests",
			"frame-src DECK"},
		{"of many hosts", csp, "frame-src *.bank.test *.other.test https:",
			"frame-src *.bank.test DECK *.other.test https: DECK"},
		{"another origin", "Access-Control-Allow-Origin", "https://gate.test", "DECK"},
		{"the shop's origin", "Access-Control-Allow-Origin", "http://shop.test", "http://shop.test"},
		{"what holds without TLS too", "Strict-Transport-Security", "max-age=1", "max-age=1"},
		{"a redirect to a path", "Location", "/base/l?x", "/~one/_host/acs/l?x"},
		{"without a scheme", "Location", "//gate.test/l", "DECK/~one/l"},
		{"a refresh", "Refresh", "3; url=/base/r", "3; url=/~one/_host/acs/r"},
		{"links", "Link", `<https://gate.test/l?page=2>; rel="next"; title="</base/>", </base/l>; rel=first, <http://shop.test/x>`,
			`<DECK/~one/l?page=2>; rel="next"; title="</base/>", </~one/_host/acs/l>; rel=first, <http://shop.test/x>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			live, taped, _ := browse(t, http.Header{tt.header: {tt.value}}, "x")
			if got := live.Header.Get(tt.header); got != tt.want {
				t.Errorf("recorded:\n%s, want\n%s", got, tt.want)
			}
			if got := taped.Header.Get(tt.header); got != tt.want {
				t.Errorf("replayed:\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestPagesStayAtTheDeck(t *testing.T) {
	const page = `<!doctype html><base href="/base/"><form action="https://gate.test/p?a=1&amp;b">` +
		`<a href=//acs.bank.test/base/q>x</a><a href="http://shop.test/">y</a>` +
		`<input name="u" value="https://gate.test/v">` +
		`<script>location = "https:\/\/gate.test\/s"; x = "/base/no"</script>`
	const want = `<!doctype html><base href="/~one/_host/acs/"><form action="DECK/~one/p?a=1&amp;b">` +
		`<a href=DECK/~one/_host/acs/q>x</a><a href="http://shop.test/">y</a>` +
		`<input name="u" value="https://gate.test/v">` +
		`<script>location = "DECK/~one\/s"; x = "/base/no"</script>`
	_, _, bodies := browse(t, http.Header{"Content-Type": {"text/html"}}, page)
	for i, mode := range []string{"recorded", "replayed"} {
		if diff := cmp.Diff(want, bodies[i]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mode, diff)
		}
	}
	_, _, bodies = browse(t, http.Header{"Content-Type": {"text/plain"}}, page)
	if bodies[0] != page || bodies[1] != page {
		t.Errorf("what is no page was changed: %s", cmp.Diff(page, bodies[1]))
	}
}
