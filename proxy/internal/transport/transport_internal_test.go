package transport

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// This file is of the package itself: a Transport with pipes for sockets lets time be
// simulated.

func TestRequestsUseNoConnectionThatWasIdle(t *testing.T) {
	tests := []struct {
		name  string
		req   func(context.Context) *http.Request
		pause time.Duration
		want  int32 // connections for two requests
	}{
		{"a write at once", body("POST"), 900 * time.Millisecond, 1},
		{"a write later", body("POST"), 1100 * time.Millisecond, 2},
		{"a write without a body", bare("POST"), 1100 * time.Millisecond, 2},
		{"a GET that writes", body("GET"), 1100 * time.Millisecond, 2},
		{"a read at once", bare("GET"), 900 * time.Millisecond, 1},
		{"a read later", bare("GET"), 1100 * time.Millisecond, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var dialled atomic.Int32
				transport := newWith(func(context.Context, string, string) (net.Conn, error) {
					dialled.Add(1)
					near, far := net.Pipe()
					go answerAll(far)
					return near, nil
				})
				defer transport.CloseIdleConnections()
				for range 2 {
					res, err := transport.RoundTrip(tt.req(t.Context()))
					if err != nil {
						t.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
					<-time.After(tt.pause) // simulated
				}
				if got := dialled.Load(); got != tt.want {
					t.Errorf("%d connections, want %d", got, tt.want)
				}
			})
		})
	}
}

// answerAll is an upstream on one connection.
func answerAll(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	}
}

func bare(method string) func(context.Context) *http.Request {
	return func(ctx context.Context) *http.Request {
		req, err := http.NewRequestWithContext(ctx, method, "http://upstream.test/", nil)
		if err != nil {
			panic(err) // constants make a good request
		}
		return req
	}
}

func body(method string) func(context.Context) *http.Request {
	return func(ctx context.Context) *http.Request {
		req := bare(method)(ctx)
		req.Body = io.NopCloser(strings.NewReader(""))
		return req
	}
}
