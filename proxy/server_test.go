package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
)

// serve serves h until the test ends and returns the address.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	addr, _ := serving(t, h)
	return addr
}

// serving is serve for a test that ends it before its own end.
func serving(t testing.TB, h http.Handler) (addr string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- proxy.Serve(ctx, ln, proxy.NewServer(h), nil) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
	t.Cleanup(stop)
	return ln.Addr().String(), stop
}

// pipes is a listener without sockets, so that time can be simulated.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes {
	return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

func TestServeLetsExchangesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		begun := make(chan struct{})
		srv := proxy.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(begun)
			<-time.After(9 * time.Second) // simulated: within what a stopping deck grants
			_, _ = io.WriteString(w, "done")
		}))
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan error)
		go func() { stopped <- proxy.Serve(ctx, ln, srv, nil) }()
		conn := ln.dial()
		defer conn.Close()
		go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }()
		<-begun
		stop()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(res.Body); err != nil || string(body) != "done" {
			t.Errorf("got %q, %v", body, err)
		}
		if err := <-stopped; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// An exchange that never ends, such as an event stream, is ended; Serve returns after its
// handler, so that a tape can be closed then.
func TestServeEndsWhatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		begun := make(chan struct{})
		handled := false
		srv := proxy.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			close(begun)
			<-req.Context().Done()
			<-time.After(time.Second) // simulated: the work of ending
			handled = true
		}))
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan error)
		go func() { stopped <- proxy.Serve(ctx, ln, srv, nil) }()
		conn := ln.dial()
		defer conn.Close()
		go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }()
		<-begun
		stop()
		since := time.Now()
		if err := <-stopped; err != nil || !handled {
			t.Errorf("Serve returned %v; the handler has ended: %t", err, handled)
		}
		if took := time.Since(since); took < 10*time.Second || took > 15*time.Second {
			t.Errorf("stopping took %v", took)
		}
	})
}

func TestServerClosesAnUnfinishedHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan error)
		go func() { stopped <- proxy.Serve(ctx, ln, proxy.NewServer(http.NotFoundHandler()), nil) }()
		conn := ln.dial()
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Never: ")
		since := time.Now()
		_, err := io.ReadAll(conn)
		if took := time.Since(since); err != nil || took != 10*time.Second {
			t.Errorf("closed after %v, %v", took, err)
		}
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

func TestServeTellsWhyItCannot(t *testing.T) {
	ln := newPipes()
	_ = ln.Close()
	err := proxy.Serve(t.Context(), ln, proxy.NewServer(http.NotFoundHandler()), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "serving: ") {
		t.Errorf("got %v", err)
	}
}

func TestServerRefusesAHugeHeader(t *testing.T) {
	addr := serve(t, http.NotFoundHandler())
	got := raw(t, addr, "GET / HTTP/1.1\r\nHost: x\r\nX-A: "+strings.Repeat("x", 300<<10)+"\r\n\r\n")
	if got != "" && !strings.HasPrefix(got, "HTTP/1.1 431") {
		t.Errorf("got %.40q", got)
	}
}
