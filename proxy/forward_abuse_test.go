package proxy_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/proxy"
)

// guarded is a gate before a sandbox that counts what comes to it.
func guarded(t testing.TB) (gate, *atomic.Int32) {
	t.Helper()
	came := &atomic.Int32{}
	hosts := sites(t)
	m := recorder(t, fake(func(*http.Request) (*http.Response, error) {
		came.Add(1)
		return reply(200, nil, "ok"), nil
	}), &tape{}, func(o *proxy.RecordOptions) { o.Upstreams = hosts })
	return newGate(t, m, hosts), came
}

// Whatever is not configured is refused with an answer, told to the operator, and asked of
// nobody.
func TestForwardRefuses(t *testing.T) {
	tests := []struct{ name, line, kind string }{
		{"a tunnel to another host", "CONNECT evil.test:443", "forward-host"},
		{"another port", "CONNECT sandbox.test:8443", "forward-host"},
		{"TLS at the port for none", "CONNECT sandbox.test:80", "forward-host"},
		{"no port", "CONNECT sandbox.test", "forward-host"},
		{"port 0", "CONNECT sandbox.test:0", "forward-host"},
		{"a port with a zero in front", "CONNECT sandbox.test:0443", "forward-host"},
		{"a user", "CONNECT sandbox.test@evil.test:443", "forward-host"},
		{"our host as a user", "CONNECT sandbox.test:443@evil.test:443", "forward-host"},
		{"an address of this machine", "CONNECT 127.0.0.1:22", "forward-host"},
		{"a long address of this machine", "CONNECT [::1]:443", "forward-host"},
		{"the address of metadata", "CONNECT 169.254.169.254:80", "forward-host"},
		{"a longer name", "CONNECT sandbox.test.evil.test:443", "forward-host"},
		{"a dot at the end", "CONNECT sandbox.test.:443", "forward-host"},
		{"another host in absolute form", "GET http://evil.test/?card=secret", "forward-host"},
		{"a user in absolute form", "GET http://u:secret@cards.test:8080/v9/cards", "forward-host"},
		{"another port in absolute form", "GET http://cards.test:81/v9/cards", "forward-host"},
		{"another scheme", "GET ftp://cards.test:8080/v9/cards", "forward-host"},
		{"no host", "GET http:///v9/cards", "forward-host"},
		{"a path beside the base", "GET https://sandbox.test/basement", "forward-host"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, came := guarded(t)
			got := raw(t, g.url.Host, tt.line+" HTTP/1.1\r\nHost: sandbox.test\r\n"+
				"Connection: close\r\n\r\n")
			if came.Load() != 0 {
				t.Fatal("it reached the sandbox")
			}
			if strings.HasPrefix(got, "HTTP/1.1 400") {
				return // net/http found it malformed before a door saw it
			}
			if !strings.HasPrefix(got, "HTTP/1.1 403 ") ||
				!strings.Contains(got, "Paytape-Error: "+tt.kind) ||
				!strings.Contains(got, `"hint":`) || strings.Contains(got, "secret") {
				t.Errorf("got %q", got)
			}
			if told := g.told.all(); len(told) != 1 || told[0].Note != proxy.NoteForward {
				t.Errorf("told %+v", told)
			}
		})
	}
}

// OPTIONS for an address without a path asks about the server itself (RFC 9112, section 3.2.4).
func TestForwardAsksAboutTheServer(t *testing.T) {
	for address, want := range map[string]string{
		"http://cards.test:8080":  "*",
		"http://cards.test:8080/": "/",
	} {
		hosts, saw := sites(t), ""
		m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
			saw = req.URL.Opaque
			return reply(200, nil, "ok"), nil
		}), &tape{}, func(o *proxy.RecordOptions) { o.Upstreams = hosts })
		raw(t, newGate(t, m, hosts).url.Host, "OPTIONS "+address+" HTTP/1.1\r\n"+
			"Host: cards.test:8080\r\nConnection: close\r\n\r\n")
		if saw != want {
			t.Errorf("OPTIONS %s is sent as %q, want %q", address, saw, want)
		}
	}
}

// tunnelTo opens a tunnel and sends more behind the request, as a hasty client does.
func (g gate) tunnelTo(t testing.TB, target, behind string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", g.url.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: other.test\r\n\r\n%s", target, behind)
	head := make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n"))
	_, err = io.ReadFull(conn, head)
	if err != nil || !bytes.HasPrefix(head, []byte("HTTP/1.1 200 ")) {
		t.Fatalf("the tunnel was answered with %q, %v", head, err)
	}
	return conn
}

// secured is tunnelTo with TLS inside.
func (g gate) secured(t testing.TB, target, name string) (*tls.Conn, error) {
	t.Helper()
	conn := tls.Client(g.tunnelTo(t, target, ""), &tls.Config{RootCAs: g.roots, ServerName: name})
	return conn, conn.Handshake()
}

// Each row is what a client sends inside a tunnel to sandbox.test, and the beginning of what
// it gets.
func TestInsideATunnel(t *testing.T) {
	const get = "GET /base/x HTTP/1.1\r\n"
	tests := []struct {
		name, request, want string
		came                int32
	}{
		{"its own host", get + "Host: sandbox.test\r\n", "HTTP/1.1 200", 1},
		{"its own host and port", get + "Host: SANDBOX.test:443\r\n", "HTTP/1.1 200", 1},
		{
			"its own address in full",
			"GET https://sandbox.test/base/x HTTP/1.1\r\nHost: sandbox.test\r\n", "HTTP/1.1 200", 1,
		},
		{"a client of HTTP/1.0", "GET /base/x HTTP/1.0\r\n", "HTTP/1.0 200", 1},
		{"another host", get + "Host: acs.test\r\n", "HTTP/1.1 421", 0},
		{"another port", get + "Host: sandbox.test:80\r\n", "HTTP/1.1 200", 1}, // as Node does
		{"the beginning of its host", get + "Host: sandbox\r\n", "HTTP/1.1 421", 0},
		{"a user", get + "Host: u@sandbox.test\r\n", "HTTP/1.1 400", 0},
		{
			"another address in full", "GET http://evil.test/base/x HTTP/1.1\r\nHost: sandbox.test\r\n",
			"HTTP/1.1 421", 0,
		},
		{"a tunnel in a tunnel", "CONNECT sandbox.test:443 HTTP/1.1\r\nHost: sandbox.test\r\n",
			"HTTP/1.1 403", 0},
		{"a path beside the base", "GET /other HTTP/1.1\r\nHost: sandbox.test\r\n", "HTTP/1.1 403", 0},
		{"dots that lead out of the base", "GET /base/../x HTTP/1.1\r\nHost: sandbox.test\r\n",
			"HTTP/1.1 200", 1}, // the sandbox decides: the path goes out as it came
		{"a path of the reverse door", "GET /_host/acs/x HTTP/1.1\r\nHost: sandbox.test\r\n",
			"HTTP/1.1 403", 0},
		{
			"two lengths", "POST /base/x HTTP/1.1\r\nHost: sandbox.test\r\nContent-Length: 1\r\n" +
				"Content-Length: 2\r\n", "HTTP/1.1 400", 0,
		},
		{
			"both framings", "POST /base/x HTTP/1.1\r\nHost: sandbox.test\r\nContent-Length: 60\r\n" +
				"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /base/smuggled HTTP/1.1\r\n" +
				"Host: evil.test\r\n", "HTTP/1.1 400", 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, came := guarded(t)
			conn, err := g.secured(t, "sandbox.test:443", "sandbox.test")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(conn, tt.request+"Connection: close\r\n\r\n")
			got, err := io.ReadAll(conn)
			if err != nil || !bytes.HasPrefix(got, []byte(tt.want)) {
				t.Errorf("got %.200q, %v; want %s", got, err, tt.want)
			}
			if n := came.Load(); n != tt.came {
				t.Errorf("%d requests came to the sandbox, want %d", n, tt.came)
			}
		})
	}
}

func TestNewForwardRefusesMissingSafety(t *testing.T) {
	ca, err := proxy.CreateAuthority(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := proxy.ForwardOptions{
		Door: http.NotFoundHandler(), Hosts: sites(t), Authority: ca, Cleaner: newUncleaned(t),
	}
	tests := []struct {
		name string
		take func(*proxy.ForwardOptions)
	}{
		{"no door", func(o *proxy.ForwardOptions) { o.Door = nil }},
		{"no hosts", func(o *proxy.ForwardOptions) { o.Hosts = nil }},
		{"no authority", func(o *proxy.ForwardOptions) { o.Authority = nil }},
		{"no cleaner", func(o *proxy.ForwardOptions) { o.Cleaner = nil }},
	}
	for _, tt := range tests {
		o := whole
		tt.take(&o)
		if f, err := proxy.NewForward(o); err == nil || f != nil {
			t.Errorf("%s: it was made", tt.name)
		}
	}
}
