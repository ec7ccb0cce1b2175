package transport

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// countingConn counts what is written by calls.
type countingConn struct {
	net.Conn
	writes *atomic.Int32
}

func (c countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// TestAWholeBodyIsWrittenWithItsHead counts the writes of requests whose body is in memory, and of
// requests whose body net/http may have to wait for.
func TestAWholeBodyIsWrittenWithItsHead(t *testing.T) {
	for _, test := range []struct {
		name string
		body func() io.ReadCloser
		want int32 // writes for two requests
	}{
		{"whole", func() io.ReadCloser { return NewWhole([]byte("a=b")) }, 2},
		{"as it comes", func() io.ReadCloser {
			return struct{ io.ReadCloser }{io.NopCloser(strings.NewReader("a=b"))}
		}, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var writes atomic.Int32
				transport := newWith(func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					go answerAll(far)
					return countingConn{near, &writes}, nil
				})
				defer transport.CloseIdleConnections()
				for range 2 {
					req, err := http.NewRequestWithContext(t.Context(), "POST", "http://sandbox.test/x", nil)
					if err != nil {
						t.Fatal(err)
					}
					req.Body, req.ContentLength = test.body(), 3
					res, err := transport.RoundTrip(req)
					if err != nil {
						t.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
				if got := writes.Load(); got != test.want {
					t.Errorf("%d writes, want %d", got, test.want)
				}
			})
		})
	}
}
