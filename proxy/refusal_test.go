package proxy_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/paytape/paytape/proxy"
)

// telling serves a handler and collects what is told of requests that it does not get.
func telling(t *testing.T, ln net.Listener, h http.Handler, told *events) (addr string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- proxy.Serve(ctx, ln, proxy.NewServer(h), told.add) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
	return ln.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// Whatever a client sends gets to the handler, or is told of as refused in one of the words
// that there are; nothing of what was sent is told.
func TestEveryRefusalIsToldOf(t *testing.T) {
	t.Parallel()
	const start, host = "POST /secret HTTP/1.1\r\n", "Host: x\r\n"
	tests := []struct{ name, head, want string }{
		{"a good one", start + host, ""},
		{"a good expectation", start + host + "Expect: 100-Continue\r\n", ""},
		{"an empty expectation", start + host + "Expect:\r\n", ""},
		{"a good tunnel", "CONNECT a.test:443 HTTP/1.1\r\n" + host, ""},
		{"an odd host", start + "Host: a_b!$&'()*+,;=%7e~[::1]:80\r\n", ""},
		{"a trailer", start + host + "Transfer-Encoding: chunked\r\nTrailer: X-A\r\n", ""},
		{"no HTTP", "\x16\x03\x01secret\r\n", "request-line"},
		{"no path", "GET secret HTTP/1.1\r\n" + host, "request-target"},
		{"a tunnel to nowhere", "CONNECT a:secret HTTP/1.1\r\n" + host, "request-target"},
		{"a tunnel to a folder", "CONNECT a:b:c HTTP/1.1\r\n" + host, "request-target"},
		{"HTTP/2 in clear", "PRI * HTTP/2.0\r\n", "version"},
		{"two hosts", start + host + host, "framing"},
		{"a host with a space", start + "Host: a secret\r\n", "framing"},
		{"a host with a path", start + "Host: a/secret\r\n", "framing"},
		{"a host that is no ASCII", start + "Host: \xc3\xa4\r\n", "framing"},
		{"two framings", start + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "framing"},
		{"an unknown coding", start + host + "Transfer-Encoding: gzip\r\n", "framing"},
		{"a framing at the end", start + host + "Transfer-Encoding: chunked\r\n" +
			"Trailer: X-A, content-length\r\n", "framing"},
		{"a large head", start + host + strings.Repeat("X-A: secret\r\n", 30<<10), "head-too-large"},
		{"another expectation", start + host + "Expect: secret\r\n", "expect"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			came, told := false, &events{}
			addr := telling(t, listen(t), http.HandlerFunc(
				func(w http.ResponseWriter, _ *http.Request) {
					came = true
					w.Header().Set("Connection", "close")
				}), told)
			body := "\r\n"
			if strings.Contains(tt.head, "chunked") {
				body = "\r\n0\r\n\r\n"
			}
			got := raw(t, addr, tt.head+body)
			if came != (tt.want == "") || strings.Contains(got, "secret") {
				t.Fatalf("came to the handler: %v, answered %q", came, got)
			}
			onlyRefusal(t, told, tt.want)
		})
	}
}

// onlyRefusal wants that nothing was told but a refusal; "" is that there was none.
func onlyRefusal(t *testing.T, told *events, want string) {
	t.Helper()
	all := told.all()
	switch {
	case want == "" && len(all) == 0:
	case len(all) != 1 || all[0].Kind != proxy.Refused || all[0].Problem != want,
		!slices.Contains(proxy.Refusals(), want):
		t.Errorf("told %+v, want one refusal, %q", all, want)
	}
}

// A head that does not end is told of; a client that is silent, or leaves, is not.
func TestUnfinishedHeadsAreToldOf(t *testing.T) {
	const whole = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, tt := range []struct {
		name, sent, want string
		leaves           bool
	}{
		{"half a head", "GET / HT", "head-timeout", false},
		{"half a second head", whole + "GET / HT", "head-timeout", false},
		{"nothing", "", "", false},
		{"nothing after a request", whole, "", false},
		{"a client that leaves", "GET / HT", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ln, told := newPipes(), &events{}
				telling(t, ln, http.NotFoundHandler(), told)
				conn := ln.dial()
				go func() {
					_, _ = io.WriteString(conn, tt.sent)
					if tt.leaves {
						_ = conn.Close()
					}
				}()
				_, _ = io.Copy(io.Discard, conn)
				synctest.Wait()
				onlyRefusal(t, told, tt.want)
			})
		})
	}
}

// A client that waits for an answer with the next head half sent has done nothing wrong.
func TestHalfAHeadDuringAnAnswerIsNoRefusal(t *testing.T) {
	t.Parallel()
	told, goOn := &events{}, make(chan struct{})
	addr := telling(t, listen(t), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		<-goOn
	}), told)
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT")
	close(goOn)
	_, _ = io.WriteString(conn, "TP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if got, err := io.ReadAll(conn); err != nil || strings.Count(string(got), "200 OK") != 2 {
		t.Errorf("got %q, %v", got, err)
	}
	onlyRefusal(t, told, "")
}

// At a listener with a certificate clients can go wrong before they send a head.
func TestRefusalsOfTLSAreToldOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		speak      func(net.Conn)
	}{
		{"HTTP", "tls", func(c net.Conn) { _, _ = io.WriteString(c, "GET /secret HTTP/1.1\r\n\r\n") }},
		{"noise", "handshake", func(c net.Conn) { _, _ = io.WriteString(c, "\x00\x00\x00\x00\x00") }},
		{"a client that leaves", "", func(c net.Conn) { _ = c.(*net.TCPConn).CloseWrite() }},
		{"a client that does not trust", "handshake", func(c net.Conn) {
			_ = tls.Client(c, &tls.Config{ServerName: "x"}).Handshake()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			told := &events{}
			certificate, _ := certified(t, "deck")
			addr := telling(t, proxy.Secure(listen(t), certificate, told.add),
				http.NotFoundHandler(), told)
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			tt.speak(conn)
			_, _ = io.Copy(io.Discard, conn)
			onlyRefusal(t, told, tt.want)
		})
	}
}

// What the deck itself refused counts as unserved, and what became of others does not.
func TestUnserved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		e    proxy.Event
		want bool
	}{
		{"a body above the limit", proxy.Event{Kind: proxy.Failed, Code: 413, Problem: "too-large"}, true},
		{"a path without a session", proxy.Event{Kind: proxy.Failed, Code: 400, Problem: "session"}, true},
		{"no HTTP", proxy.Event{Kind: proxy.Refused, Code: 400, Problem: "request-line"}, true},
		{"a host that is not there", proxy.Event{Kind: proxy.Refused, Code: 404, Problem: "host"}, true},
		{"a defect", proxy.Event{Kind: proxy.Failed, Note: proxy.NoteDefect}, true},
		{"a host of the proxy", proxy.Event{Kind: proxy.Refused, Code: 403, Problem: "forward-host"}, false},
		{"a client that left", proxy.Event{Kind: proxy.Failed}, false},
		{"a client that left in its body", proxy.Event{Kind: proxy.Failed, Code: 400, Problem: "request"}, false},
		{"a client that never spoke", proxy.Event{Kind: proxy.Refused, Problem: "head-timeout"}, false},
		{"a sandbox without an answer", proxy.Event{Kind: proxy.Failed, Code: 502, Problem: "upstream"}, false},
		{"a tape that cannot be written", proxy.Event{Kind: proxy.Failed, Code: 200, Note: proxy.NoteTapeFailed}, false},
		{"a miss", proxy.Event{Kind: proxy.Missed, Code: 501}, false},
		{"an answer of a rule", proxy.Event{Kind: proxy.ByRule, Code: 503}, false},
	}
	for _, tt := range tests {
		if got := tt.e.Unserved(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
