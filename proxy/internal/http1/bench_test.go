package http1_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// eagerClient is a connection whose client sends the next request at once, and so often as it is told.
// It is no socket: what a request costs with it is what net/http and this package cost.
type eagerClient struct {
	net.Conn // nil
	request  []byte
	rest     []byte
	left     int
	written  int
}

func (c *eagerClient) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		if c.left == 0 {
			return 0, io.EOF
		}
		c.left--
		c.rest = c.request
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *eagerClient) Write(p []byte) (int, error) {
	c.written += bytes.Count(p, []byte("HTTP/1.1 200 OK\r\n"))
	return len(p), nil
}

func (c *eagerClient) Close() error                     { return nil }
func (c *eagerClient) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *eagerClient) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *eagerClient) SetReadDeadline(time.Time) error  { return nil }
func (c *eagerClient) SetWriteDeadline(time.Time) error { return nil }

// payment is a request as clients of an API send it.
const payment = "POST /payment/rest/register.do HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n" +
	"User-Agent: Go-http-client/1.1\r\nContent-Length: 23\r\n" +
	"Content-Type: application/x-www-form-urlencoded\r\n\r\namount=100&currency=978"

// paid answers it.
func paid(w http.ResponseWriter, req *http.Request) {
	_, _ = io.Copy(io.Discard, req.Body)
	h := w.Header()
	h["Content-Type"], h["Content-Length"] = []string{"application/json"}, []string{"15"}
	h["Date"], h["Paytape-Served"] = []string{"Mon, 23 Nov 2026 12:00:00 GMT"}, []string{"tape#1"}
	_, _ = io.WriteString(w, `{"orderId":"1"}`)
}

// BenchmarkServe is what a request costs in net/http and in this package together.
func BenchmarkServe(b *testing.B) {
	b.ReportAllocs()
	client := &eagerClient{request: []byte(payment), left: b.N}
	ln := oneConn{make(chan net.Conn, 1), make(chan struct{})}
	ln.conn <- client
	ended := make(chan struct{})
	srv := &http.Server{
		Handler: http1.Handler(http.HandlerFunc(paid), nil), ConnContext: http1.WithConn,
		ReadHeaderTimeout: http1.HeadTimeout, IdleTimeout: 2 * time.Minute,
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateClosed {
				close(ended)
			}
		},
	}
	b.ResetTimer()
	go func() { _ = srv.Serve(http1.Listen(ln, srv, nil)) }()
	<-ended
	b.StopTimer()
	_ = srv.Close()
	if client.written != b.N {
		b.Fatalf("%d requests were answered, want %d", client.written, b.N)
	}
}
