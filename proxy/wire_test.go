package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
)

// A head that has begun gets ten seconds, whether it is the first of its connection or not.
func TestServerClosesALaterUnfinishedHead(t *testing.T) {
	const whole = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	tests := []struct {
		name  string
		parts []string // a second passes before each but the first
		want  time.Duration
	}{
		{"none at all", []string{whole}, 2 * time.Minute},
		{"half a head", []string{whole, "GET / HT"}, 11 * time.Second},
		{"half a head that comes bit by bit", []string{whole, "G", "E", "T", " ", "/"}, 11 * time.Second},
		{"one that came with the request before", []string{whole + "GET / HT"}, 10 * time.Second},
		{"one behind an empty line", []string{whole, "\r\n", "G"}, 12 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ln := newPipes()
				ctx, stop := context.WithCancel(t.Context())
				stopped := make(chan error)
				go func() {
					stopped <- proxy.Serve(ctx, ln, proxy.NewServer(http.NotFoundHandler()), nil)
				}()
				conn := ln.dial()
				since := time.Now()
				go func() {
					for i, part := range tt.parts {
						if i > 0 {
							<-time.After(time.Second) // simulated
						}
						_, _ = io.WriteString(conn, part)
					}
				}()
				_, _ = io.Copy(io.Discard, conn)
				if took := time.Since(since); took != tt.want {
					t.Errorf("closed after %v, want %v", took, tt.want)
				}
				stop()
				if err := <-stopped; err != nil {
					t.Errorf("Serve: %v", err)
				}
			})
		})
	}
}

// A refusal can be read: it says what is wrong, and nothing of what came.
func TestServerSaysWhyItRefuses(t *testing.T) {
	tests := []struct{ name, request, line, kind string }{
		{
			"both framings", "POST /?card=secret HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n" +
				"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 400 Bad Request", "framing",
		},
		{"TLS", "\x16\x03\x01\x02\x00\x01", "HTTP/1.1 400 Bad Request", "request-line"},
		{
			"a bare line feed", "GET /secret HTTP/1.1\nHost: x\n\n", "HTTP/1.1 400 Bad Request", "framing",
		},
		{
			"HTTP/2 in clear", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
			"HTTP/1.1 505 HTTP Version Not Supported", "version",
		},
		{
			"a huge head", "GET / HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("secret", 50<<10) +
				"\r\n\r\n", "HTTP/1.1 431 Request Header Fields Too Large", "head-too-large",
		},
		{
			"a huge head without an end", "GET / HTTP/1.1\r\n" + strings.Repeat("X-A: secret\r\n", 30<<10),
			"HTTP/1.1 431 Request Header Fields Too Large", "head-too-large",
		},
		{
			"an unknown coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x\r\n\r\n",
			"HTTP/1.1 501 Not Implemented", "framing",
		},
	}
	d := newDeck(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("it reached the sandbox")
	}))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := raw(t, d.addr, tt.request)
			if !strings.HasPrefix(got, tt.line+"\r\n") || strings.Contains(got, "secret") ||
				!strings.Contains(got, "\r\nPaytape-Error: "+tt.kind+"\r\n") ||
				!strings.Contains(got, "\r\nConnection: close\r\n") {
				t.Errorf("got %q", got)
			}
		})
	}
}

// What follows a good request on its connection does not undo it.
func TestServerAnswersWhatCameBeforeARefusal(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		_, _ = w.Write(body)
	}))
	got := raw(t, d.addr, "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"+
		"3\r\nabc\r\n0\r\n\r\nGET /b HTTP/1.1\r\nHost : x\r\n\r\nGET /c HTTP/1.1\r\nHost: x\r\n\r\n")
	first, second, found := strings.Cut(got, "HTTP/1.1 400")
	if !strings.HasSuffix(first, "\r\n\r\nabc") || !found || strings.Contains(second, "HTTP/1.1") {
		t.Errorf("got %q", got)
	}
	if len(d.tape.exchanges()) != 1 {
		t.Errorf("%d exchanges on tape, want the first alone", len(d.tape.exchanges()))
	}
}

// Behind a tunnel that was refused nothing is read as a request.
func TestServerReadsNothingBehindARefusedTunnel(t *testing.T) {
	refuse := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodConnect {
			t.Errorf("%s was read as a request", req.Method)
		}
		w.WriteHeader(http.StatusForbidden) // and does not close
	})
	got := raw(t, serve(t, refuse), "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"+
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if strings.Count(got, "HTTP/1.1") != 1 {
		t.Errorf("got %q", got)
	}
}

// A connection that was taken over passes bytes as they are, those that came early too.
func TestServerLetsATakenConnectionAlone(t *testing.T) {
	take := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		_, _ = io.Copy(conn, rw.Reader)
	})
	conn, err := net.Dial("tcp", serve(t, take))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nearly\n\x00")
	r := bufio.NewReader(conn)
	if _, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect}); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, "late\n\x00")
	_ = conn.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(r); err != nil || string(got) != "early\n\x00late\n\x00" {
		t.Errorf("got %q, %v", got, err)
	}
}
