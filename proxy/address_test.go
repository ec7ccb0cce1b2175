package proxy_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
)

// Two sandboxes: one with a base path, for all but the shop.
func twoSandboxes(t *testing.T) func(*proxy.RecordOptions) {
	return func(o *proxy.RecordOptions) {
		o.Upstreams = upstreams(t, "https://All.test/base", "shop=https://shop.test:8443")
	}
}

func TestAddressesOfTheSandboxLeadToTheDeck(t *testing.T) {
	json := http.Header{"Content-Type": {"text/plain;charset=UTF-8"}}
	tests := []struct{ name, body, want string }{
		{
			name: "a field that the profile names", // and white space and escapes stay
			body: `{ "formUrl" : "https:\/\/shop.test:8443/form?id=1&b=%2F", "x":1.00}`,
			want: `{ "formUrl" : "http://deck.test/form?id=1&b=%2F", "x":1.00}`,
		},
		{
			"an origin without a path",
			`{"formUrl":"https://shop.test:8443"}`, `{"formUrl":"http://deck.test"}`,
		},
		{"another case", `{"formUrl":"HTTPS://SHOP.test:8443/f"}`, `{"formUrl":"http://deck.test/f"}`},
		{
			name: "the other sandbox under its base",
			body: `{"formUrl":"https://all.test:443/base/f"}`,
			want: `{"formUrl":"http://deck.test/f"}`,
		},
		{"outside its base", `{"formUrl":"https://all.test/basement"}`, ""},
		{"another host", `{"formUrl":"https://shop.test.evil.test:8443/f"}`, ""},
		{"another port", `{"formUrl":"https://shop.test/f"}`, ""},
		{"a user before the host", `{"formUrl":"https://shop.test:8443@evil.test/f"}`, ""},
		{"inside a text", `{"formUrl":"see https://shop.test:8443/f"}`, ""},
		{"a field that is no address", `{"note":"https://shop.test:8443/f"}`, ""},
		{"no JSON", `<a href="https://shop.test:8443/f">`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.body
			}
			tp := &tape{}
			answer := http.Header{
				"Content-Type": json["Content-Type"], "Content-Length": {strconv.Itoa(len(tt.body))},
			}
			m := recorder(t, always(200, answer, tt.body), tp, twoSandboxes(t))
			res, body := send(t, m, request(t, "POST", "/pay/register.do", "a=b"))
			if body != tt.want {
				t.Errorf("the client got\n%s, want\n%s", body, tt.want)
			}
			if got := res.Header.Get("Content-Length"); got != strconv.Itoa(len(body)) {
				t.Errorf("Content-Length is %s for %d bytes", got, len(body))
			}
			if got := tp.only(t).Response.Body; got != tt.body {
				t.Errorf("the tape holds %s", got)
			}
		})
	}
}

func TestAddressesInHeaders(t *testing.T) {
	tests := []struct{ name, target, location, want string }{
		{"absolute", "/pay/x", "https://shop.test:8443/a?b#c", "http://deck.test/a?b#c"},
		{"relative", "/pay/x", "../a", "../a"},
		{"elsewhere", "/pay/x", "https://acs.test/a", "https://acs.test/a"},
		{"absolute under a base", "/v9/x", "https://all.test/base/a", "http://deck.test/a"},
		{"a path under a base", "/v9/x", "/base/a", "/a"},
		{"the base itself", "/v9/x", "/base", "/"},
		{"a path beside a base", "/v9/x", "/based/a", "/based/a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tp := &tape{}
			m := recorder(t, always(302, http.Header{"Location": {tt.location}}, ""), tp, twoSandboxes(t))
			res, _ := send(t, m, request(t, "GET", tt.target, ""))
			if got := res.Header.Get("Location"); got != tt.want {
				t.Errorf("the client is sent to %q, want %q", got, tt.want)
			}
			if got := tp.only(t).Response.Headers.Get("Location"); got != tt.location {
				t.Errorf("the tape holds %q, want %q", got, tt.location)
			}
		})
	}
}

func TestAddressesInACodedBody(t *testing.T) {
	plain := `{"formUrl":"https://shop.test:8443/f","x":"` + strings.Repeat("y", 500) + `"}`
	for _, coding := range []string{"gzip", "br", "gzip, br"} {
		coded, err := leaf.Encode(coding, []byte(plain))
		if err != nil {
			t.Fatal(err)
		}
		tp := &tape{}
		m := recorder(t, always(200, http.Header{"Content-Encoding": {coding}}, string(coded)), tp,
			twoSandboxes(t))
		_, body := send(t, m, request(t, "POST", "/pay/register.do", "a=b"))
		got, err := leaf.Decode(coding, []byte(body), 1<<20)
		if err != nil || !strings.HasPrefix(string(got), `{"formUrl":"http://deck.test/f"`) {
			t.Errorf("%s: the client got %q, %v", coding, got, err)
		}
		if tp.only(t).Response.Body != string(coded) {
			t.Errorf("%s: the tape holds other bytes than the sandbox sent", coding)
		}
	}
}

func TestTheTapeHoldsTheBasePath(t *testing.T) {
	tp := &tape{}
	m := recorder(t, always(200, nil, "x"), tp, twoSandboxes(t))
	send(t, m, request(t, "GET", "/v9/cards?a", ""))
	x := tp.only(t)
	if x.URL != "https://all.test/base/v9/cards?a" || x.Target() != "/v9/cards?a" {
		t.Errorf("on tape: %s, %s", x.URL, x.Target())
	}
	if x.Meta.Operation != "GET /cards" {
		t.Errorf("the operation is %q", x.Meta.Operation)
	}
}

func TestALargeBodyPassesUnaltered(t *testing.T) {
	large := `{"formUrl":"https://shop.test:8443/f","x":"` + strings.Repeat("y", 1<<20) + `"}`
	tp, ev := &tape{}, &events{}
	m := recorder(t, always(200, nil, large), tp, twoSandboxes(t), func(o *proxy.RecordOptions) {
		o.Observe = ev.add
	})
	if _, body := send(t, m, request(t, "POST", "/pay/register.do", "a="+large)); body != large {
		t.Error("the body was changed")
	}
	notes := 0
	for _, e := range ev.all() {
		if e.Kind == proxy.Warning && e.Note == proxy.NoteAddressTooLarge {
			notes++
		}
	}
	if notes != 2 {
		t.Errorf("told %d times, want once for each body", notes)
	}
	if tp.only(t).Response.Body != large {
		t.Error("the tape does not hold the body")
	}
}

// seen is what a sandbox was sent.
type seen struct {
	URL, Body, Referer, Origin string
	Length                     int64
}

func TestAddressesOfTheDeckAreTurnedBack(t *testing.T) {
	tests := []struct {
		name, target, body string
		header             http.Header
		want               seen
	}{
		{
			name: "in a form, the rest of which stays", target: "/pay/register.do",
			body: "z=%7e&returnUrl=http%3A%2F%2FDeck.test%2Fpay%2Fdone%3Fa%3D1&b=c+d",
			want: seen{
				URL: "https://shop.test:8443/pay/register.do",
				Body: "z=%7e&returnUrl=https%3A%2F%2Fshop.test%3A8443%2Fpay%2Fdone%3Fa%3D1" +
					"&b=c+d",
			},
		},
		{
			name: "in JSON", target: "/pay/register.do",
			body: `{ "u":"http://deck.test/v9/x" , "n":1.00}`,
			want: seen{
				URL:  "https://shop.test:8443/pay/register.do",
				Body: `{ "u":"https://all.test/base/v9/x" , "n":1.00}`,
			},
		},
		{
			name: "in the query", target: "/pay/register.do?u=http://deck.test/pay/x&w=%zz",
			want: seen{URL: "https://shop.test:8443/pay/register.do?" +
				"u=https%3A%2F%2Fshop.test%3A8443/pay/x&w=%zz"},
		},
		{
			name: "in Referer and Origin", target: "/v9/cards",
			header: http.Header{"Referer": {"http://deck.test/pay/x?y"}, "Origin": {"http://deck.test"}},
			want: seen{
				URL:     "https://all.test/base/v9/cards",
				Referer: "https://shop.test:8443/pay/x?y", Origin: "https://shop.test:8443",
			},
		},
		{
			name: "in an Origin without a Referer", target: "/v9/cards",
			header: http.Header{"Origin": {"http://deck.test"}},
			want:   seen{URL: "https://all.test/base/v9/cards", Origin: "https://all.test"},
		},
		{
			name: "a longer host name is another", target: "/pay/register.do",
			body: "u=http%3a%2f%2fdeck.test.evil.test%2f",
			want: seen{
				URL:  "https://shop.test:8443/pay/register.do",
				Body: "u=http%3a%2f%2fdeck.test.evil.test%2f",
			},
		},
		{
			name: "not in the middle of a value", target: "/pay/register.do",
			body: "u=see http://deck.test/pay/x",
			want: seen{
				URL:  "https://shop.test:8443/pay/register.do",
				Body: "u=see http://deck.test/pay/x",
			},
		},
		{
			name: "not in the body of an unknown call", target: "/pay/unknown.do",
			body: `{"u":"http://deck.test/pay/x"}`,
			want: seen{
				URL:  "https://shop.test:8443/pay/unknown.do",
				Body: `{"u":"http://deck.test/pay/x"}`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got seen
			m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
				got = seen{
					URL:     req.URL.Scheme + "://" + req.URL.Host + req.URL.Opaque,
					Referer: req.Header.Get("Referer"), Origin: req.Header.Get("Origin"),
					Length: req.ContentLength,
				}
				if req.Body != nil {
					b, err := io.ReadAll(req.Body)
					got.Body = string(b)
					return reply(200, nil, "x"), err
				}
				return reply(200, nil, "x"), nil
			}), &tape{}, twoSandboxes(t))
			method := "GET"
			if tt.body != "" {
				method = "POST"
			}
			req := request(t, method, tt.target, tt.body)
			for name, values := range tt.header {
				req.Header[name] = values
			}
			send(t, m, req)
			tt.want.Length = int64(len(tt.want.Body))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the sandbox got (-want +got):\n%s", diff)
			}
		})
	}
}
