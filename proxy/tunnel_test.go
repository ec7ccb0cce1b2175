package proxy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
)

func TestTunnelsSpeakTheirOwnNameAlone(t *testing.T) {
	g, _ := guarded(t)
	refused, err := g.secured(t, "sandbox.test:443", "acs.test")
	if err == nil {
		t.Error("a tunnel to one host shows the certificate of another")
	}
	_, _ = io.Copy(io.Discard, refused.NetConn()) // it is told before the connection is closed
	if told := g.told.all(); len(told) != 1 || told[0].Note != proxy.NoteHandshake {
		t.Errorf("told %+v", told)
	}
	conn, err := g.secured(t, "SANDBOX.test:443", "sandbox.test")
	if err != nil {
		t.Fatal(err)
	}
	if chain := conn.ConnectionState().VerifiedChains[0]; len(chain) != 2 {
		t.Errorf("a chain of %d", len(chain))
	}
}

// A host that has no name is one all the same.
func TestTunnelToAnAddress(t *testing.T) {
	hosts := sites(t)
	err := hosts.AddHosts([]string{"four=https://192.0.2.1", "six=https://[2001:db8::1]:8443"})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(t, recorder(t, always(200, nil, "ok"), &tape{}), hosts)
	for target, name := range map[string]string{
		"192.0.2.1:443": "192.0.2.1", "[2001:db8::1]:8443": "2001:db8::1", "six:443": "six",
	} {
		if _, err := g.secured(t, target, name); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// A WebSocket passes through a tunnel in both directions.
func TestWebSocketThroughATunnel(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"+
			"Upgrade: websocket\r\n\r\n")
		line, _ := rw.ReadString('\n')
		fmt.Fprint(conn, "echo "+line)
	}))
	defer up.Close()
	hosts := upstreams(t, up.URL)
	if err := hosts.AddHosts([]string{"sandbox.test=" + up.URL}); err != nil {
		t.Fatal(err)
	}
	transport := proxy.NewTransport()
	defer transport.CloseIdleConnections()
	m := recorder(t, transport, &tape{}, func(o *proxy.RecordOptions) { o.Upstreams = hosts })
	g := newGate(t, m, hosts)
	conn, err := g.secured(t, "sandbox.test:443", "sandbox.test")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "GET /ws HTTP/1.1\r\nHost: sandbox.test\r\nConnection: Upgrade\r\n"+
		"Upgrade: websocket\r\n\r\n")
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %v, %v", res, err)
	}
	fmt.Fprint(conn, "hello\n")
	if line, err := r.ReadString('\n'); err != nil || line != "echo hello\n" {
		t.Errorf("got %q, %v", line, err)
	}
}

// A tunnel to a host without TLS is no TLS, and what came behind the CONNECT is not lost.
func TestTunnelWithoutTLS(t *testing.T) {
	g, came := guarded(t)
	conn := g.tunnelTo(t, "cards.test:8080",
		"GET /v9/cards HTTP/1.1\r\nHost: cards.test:8080\r\nConnection: close\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != 200 || came.Load() != 1 {
		t.Errorf("got %v, %v", res, err)
	}
}

// A client that opens a tunnel and says nothing is not waited for.
func TestASilentTunnelIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, stop := simulated(t, always(200, nil, ""))
		if _, err := conn.Read(make([]byte, 64)); err != nil {
			t.Fatal(err)
		}
		since := time.Now()
		_, err := io.ReadAll(conn)
		if took := time.Since(since); err != nil || took != 10*time.Second {
			t.Errorf("closed after %v, %v", took, err)
		}
		stop()
	})
}

// simulated opens a tunnel to sandbox.test without sockets.
func simulated(t *testing.T, s http.RoundTripper) (conn net.Conn, stop func()) {
	t.Helper()
	hosts := sites(t)
	ca, err := proxy.CreateAuthority(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := recorder(t, s, &tape{}, func(o *proxy.RecordOptions) { o.Upstreams = hosts })
	f, err := proxy.NewForward(proxy.ForwardOptions{
		Door: proxy.NewDoor(m, nil), Hosts: hosts, Authority: ca, Cleaner: newUncleaned(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	ln := newPipes()
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() { stopped <- proxy.Serve(ctx, ln, proxy.NewServer(f), nil) }()
	conn = ln.dial()
	go fmt.Fprint(conn, "CONNECT sandbox.test:443 HTTP/1.1\r\nHost: sandbox.test:443\r\n\r\n")
	return conn, func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("stopping: %v", err)
		}
		conn.Close()
	}
}

// A deck that stops lets exchanges in tunnels end, too, and does not wait for idle ones.
func TestStoppingLetsTunnelsEnd(t *testing.T) {
	tests := []struct {
		name, path string
		took       time.Duration
	}{{"under way", "/base/slow", 9 * time.Second}, {"idle", "/base/quick", 0}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, stop := simulated(t, fake(func(req *http.Request) (*http.Response, error) {
					if req.URL.Opaque == "/base/slow" {
						// Simulated: within what a stopping deck grants.
						<-time.After(9 * time.Second)
					}
					return reply(200, nil, "done"), nil
				}))
				if _, err := io.ReadFull(conn, make([]byte, 39)); err != nil {
					t.Fatal(err)
				}
				client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
				fmt.Fprintf(client, "GET %s HTTP/1.1\r\nHost: sandbox.test\r\n\r\n", tt.path)
				answered := make(chan string)
				go func() {
					got, _ := io.ReadAll(client)
					answered <- string(got)
				}()
				synctest.Wait()
				since := time.Now()
				go stop()
				got := <-answered
				if took := time.Since(since); took/time.Second != tt.took/time.Second {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
				if !strings.HasSuffix(got, "\r\n\r\ndone") {
					t.Errorf("got %q", got)
				}
				<-time.After(time.Second) // simulated: the deck notices
			})
		})
	}
}

// Streams pass through a tunnel as they come.
func TestATunnelDoesNotHoldEventsBack(t *testing.T) {
	release := make(chan struct{})
	hosts := sites(t)
	m := recorder(t, fake(func(*http.Request) (*http.Response, error) {
		r, w := io.Pipe()
		go func() {
			fmt.Fprint(w, "data: 1\n\n")
			<-release
			w.Close()
		}()
		res := reply(200, http.Header{"Content-Type": {"text/event-stream"}}, "")
		res.Body, res.ContentLength = r, -1
		return res, nil
	}), &tape{}, func(o *proxy.RecordOptions) { o.Upstreams = hosts })
	for _, two := range []bool{false, true} {
		g := newGate(t, m, hosts)
		res, err := g.client(t, entrance{forward: true, two: two}).Get("https://sandbox.test/base/x")
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, len("data: 1\n\n"))
		if _, err := io.ReadFull(res.Body, first); err != nil {
			t.Error(err)
		}
		release <- struct{}{}
		if rest, err := io.ReadAll(res.Body); err != nil || len(rest) > 0 {
			t.Errorf("the end: %q, %v", rest, err)
		}
		res.Body.Close()
	}
}
