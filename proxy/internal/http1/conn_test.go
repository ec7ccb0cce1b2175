package http1_test

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// countedConn counts what is asked of a connection: on a socket each of them costs a call of the
// system or a timer.
type countedConn struct {
	net.Conn
	reads, writes, deadlines atomic.Int64
}

func (c *countedConn) Read(p []byte) (int, error) {
	c.reads.Add(1)
	return c.Conn.Read(p)
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

func (c *countedConn) SetReadDeadline(t time.Time) error {
	c.deadlines.Add(1)
	return c.Conn.SetReadDeadline(t)
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (l oneConn) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l oneConn) Addr() net.Addr { return &net.TCPAddr{} }

func (l oneConn) Close() error {
	close(l.closed)
	return nil
}

// served serves a connection until the test ends, and returns the client's end.
func served(t *testing.T, h http.HandlerFunc) (client net.Conn, server *countedConn) {
	client, below := net.Pipe()
	server = &countedConn{Conn: below}
	ln := oneConn{make(chan net.Conn, 1), make(chan struct{})}
	ln.conn <- server
	srv := &http.Server{
		Handler: http1.Handler(h, nil), ConnContext: http1.WithConn,
		ReadHeaderTimeout: http1.HeadTimeout, IdleTimeout: 2 * time.Minute,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(http1.Listen(ln, srv, nil))
	}()
	t.Cleanup(func() {
		client.Close()
		srv.Close()
		<-done
	})
	return client, server
}

// TestCallsPerRequest has requests answered at once, as those of a replay are: each costs the
// connection one read, one write and the deadline of a connection that is idle, although net/http
// reads behind each request and sets six deadlines.
func TestCallsPerRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := served(t, func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			w.Header().Set("Content-Length", "2000")
			_, _ = io.WriteString(w, strings.Repeat("a", 2000))
		})
		in := bufio.NewReader(client)
		ask := func() {
			time.Sleep(time.Second) // so that each deadline is another
			const request = "POST /payment/rest/register.do HTTP/1.1\r\nHost: deck.test\r\n" +
				"Content-Length: 8\r\n\r\namount=1"
			if _, err := io.WriteString(client, request); err != nil {
				t.Fatal(err)
			}
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, res.Body); n != 2000 || err != nil {
				t.Fatalf("an answer of %d bytes, %v", n, err)
			}
			synctest.Wait()
		}
		ask()
		reads, writes, deadlines := server.reads.Load(), server.writes.Load(), server.deadlines.Load()
		const n = 100
		for range n {
			ask()
		}
		if got := server.reads.Load() - reads; got != n {
			t.Errorf("%d requests took %d reads", n, got)
		}
		if got := server.writes.Load() - writes; got != n {
			t.Errorf("%d answers took %d writes", n, got)
		}
		if got := server.deadlines.Load() - deadlines; got != n {
			t.Errorf("%d requests took %d deadlines", n, got)
		}
	})
}

// TestClientThatLeavesCancels has a client leave while its request is handled.
func TestClientThatLeavesCancels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var canceled time.Duration
		client, _ := served(t, func(_ http.ResponseWriter, req *http.Request) {
			<-req.Context().Done()
			canceled = time.Since(began)
		})
		_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: deck.test\r\n\r\n")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		client.Close()
		synctest.Wait()
		if canceled != time.Second {
			t.Errorf("the client left after a second; its request was canceled after %v", canceled)
		}
	})
}

// TestRequestBehindASlowOne sends a request while the one before it is handled. It is read ahead, and
// answered in its turn.
func TestRequestBehindASlowOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var handled atomic.Int64
		client, _ := served(t, func(_ http.ResponseWriter, req *http.Request) {
			handled.Add(1)
			wait, stop := context.WithTimeout(req.Context(), time.Minute)
			defer stop()
			<-wait.Done()
		})
		in := bufio.NewReader(client)
		for range 2 {
			_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: deck.test\r\n\r\n")
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range 2 {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if n := handled.Load(); n < int64(i+1) {
				t.Errorf("answer %d came although %d requests were handled", i+1, n)
			}
		}
	})
}
