package http1_test

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

	"github.com/paytape/paytape/proxy/internal/http1"
)

// server serves a connection until the test ends. It counts how often net/http got a connection.
type server struct {
	*http.Server
	plain  *http1.Listener
	client net.Conn
	handed atomic.Int64
}

func serving(t *testing.T, h http.HandlerFunc) *server {
	s := &server{}
	client, below := net.Pipe()
	s.client = client
	ln := oneConn{make(chan net.Conn, 1), make(chan struct{})}
	ln.conn <- below
	s.Server = &http.Server{
		Handler: http1.Handler(h, nil), IdleTimeout: time.Minute, ReadHeaderTimeout: http1.HeadTimeout,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			s.handed.Add(1)
			return http1.WithConn(ctx, conn)
		},
		ConnState: http1.NoteState,
	}
	s.handed.Store(-1) // the first is that of the Listener
	s.plain = http1.Listen(ln, s.Server, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(s.plain)
	}()
	t.Cleanup(func() {
		client.Close()
		s.Close()
		s.plain.Close()
		<-done
	})
	return s
}

// ask sends a request and reads its answer.
func (s *server) ask(t *testing.T, request string) *http.Response {
	t.Helper()
	go func() { _, _ = io.WriteString(s.client, request) }()
	res, err := http.ReadResponse(bufio.NewReader(s.client), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	res.Body = io.NopCloser(strings.NewReader(string(body)))
	return res
}

// whole answers with what came.
func whole(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	described(w, len(body))
	_, _ = w.Write(body)
}

// TestWhatIsPlain wants net/http to get what is no plain exchange, and nothing else.
func TestWhatIsPlain(t *testing.T) {
	t.Parallel()
	const post = "POST /a HTTP/1.1\r\nHost: deck.test\r\nContent-Length: 1\r\n"
	tests := []struct {
		name, request string
		handler       http.HandlerFunc
		plain         bool
	}{
		{"a whole request and answer", post + "\r\na", whole, true},
		{"a connection that stays", post + "Connection: keep-alive\r\n\r\na", whole, true},
		{"no body", "GET /a HTTP/1.1\r\nHost: deck.test\r\n\r\n", whole, true},
		{"a code", post + "\r\na", func(w http.ResponseWriter, _ *http.Request) {
			described(w, 0)
			w.WriteHeader(http.StatusFound)
		}, true},

		{"a connection that ends", post + "Connection: close\r\n\r\na", whole, false},
		{"another protocol", post + "Connection: upgrade\r\nUpgrade: h2c\r\n\r\na", whole, false},
		{"HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", whole, false},
		{"chunks", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", whole, false},
		{"an address", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", whole, false},
		{"a bad escape", "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", whole, false},
		{"two Hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", whole, false},
		{"nothing is answered", post + "\r\na", func(http.ResponseWriter, *http.Request) {}, false},
		{"two pieces", post + "\r\na", func(w http.ResponseWriter, _ *http.Request) {
			described(w, 2)
			_, _ = io.WriteString(w, "a")
			_, _ = io.WriteString(w, "b")
		}, false},
		{"a flush", post + "\r\na", func(w http.ResponseWriter, _ *http.Request) {
			described(w, 0)
			_ = http.NewResponseController(w).Flush()
		}, false},
		{"the client is waited for", post + "\r\na", func(w http.ResponseWriter, req *http.Request) {
			described(w, 0)
			wait, stop := context.WithTimeout(req.Context(), time.Second)
			defer stop()
			<-wait.Done()
			w.WriteHeader(http.StatusOK)
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := serving(t, tt.handler)
				s.ask(t, tt.request)
				synctest.Wait()
				if got := s.handed.Load() == 0; got != tt.plain {
					t.Errorf("plain: %t", got)
				}
			})
		})
	}
}

// TestPlainBehindPlain sends requests one behind the other at once, the last of which is not plain.
func TestPlainBehindPlain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serving(t, whole)
		const post = "POST / HTTP/1.1\r\nHost: deck.test\r\nContent-Length: 3\r\n"
		go func() {
			_, _ = io.WriteString(s.client, post+"\r\none"+post+"\r\ntwo"+post+"Connection: close\r\n\r\nend")
		}()
		in := bufio.NewReader(s.client)
		for _, want := range []string{"one", "two", "end"} {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(res.Body); string(body) != want || err != nil {
				t.Errorf("got %q, %v, want %q", body, err, want)
			}
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("the connection goes on: %v", err)
		}
	})
}

// TestBodyOfAnEndedExchange wants nobody to read of the next request what was of the last.
func TestBodyOfAnEndedExchange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var kept io.Reader
		var of context.Context
		s := serving(t, func(w http.ResponseWriter, req *http.Request) {
			kept, of = req.Body, req.Context()
			described(w, 0)
			w.WriteHeader(http.StatusOK)
		})
		s.ask(t, "POST / HTTP/1.1\r\nHost: deck.test\r\nContent-Length: 3\r\n\r\none")
		synctest.Wait()
		if n, err := kept.Read(make([]byte, 3)); n != 0 || err == nil || err == io.EOF {
			t.Errorf("read %d, %v", n, err)
		}
		select {
		case <-of.Done():
		default:
			t.Error("the context has not ended")
		}
		if of.Err() == nil {
			t.Error("the context tells no end")
		}
		if s.handed.Load() != 0 {
			t.Error("net/http has the connection of an exchange that has ended")
		}
	})
}

// TestStopAndDrain stops a server with an exchange under way: that is answered, and tells the client
// that the connection ends.
func TestStopAndDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := make(chan struct{})
		s := serving(t, func(w http.ResponseWriter, req *http.Request) {
			<-waits
			whole(w, req)
		})
		drained := make(chan struct{})
		time.AfterFunc(time.Second, func() {
			_ = s.plain.Stop()
			time.AfterFunc(time.Second, func() { close(waits) })
			s.plain.Drain(t.Context())
			close(drained)
		})
		res := s.ask(t, "POST / HTTP/1.1\r\nHost: deck.test\r\nContent-Length: 1\r\n\r\na")
		if !res.Close || res.ContentLength != 1 {
			t.Errorf("answered %v, close %t", res.Status, res.Close)
		}
		<-drained
		if _, err := s.client.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection goes on: %v", err)
		}
	})
}

// TestDrainOfIdleConnections stops a server whose client asks nothing.
func TestDrainOfIdleConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serving(t, whole)
		s.ask(t, "GET / HTTP/1.1\r\nHost: deck.test\r\n\r\n")
		synctest.Wait()
		_ = s.plain.Stop()
		s.plain.Drain(t.Context())
		if _, err := s.client.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection goes on: %v", err)
		}
	})
}

// TestIdlePlainConnection has a connection end when nothing comes for as long as the server waits.
func TestIdlePlainConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serving(t, whole)
		s.ask(t, "GET / HTTP/1.1\r\nHost: deck.test\r\n\r\n")
		began := time.Now()
		if _, err := s.client.Read(make([]byte, 1)); err != io.EOF || time.Since(began) != s.IdleTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestPlainExchangeThatBreaksOff closes the connection without an answer.
func TestPlainExchangeThatBreaksOff(t *testing.T) {
	t.Parallel()
	for _, cause := range []any{http.ErrAbortHandler, "a defect"} {
		synctest.Test(t, func(t *testing.T) {
			s := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				described(w, 1)
				_, _ = io.WriteString(w, "a")
				panic(cause)
			})
			go func() { _, _ = io.WriteString(s.client, "GET / HTTP/1.1\r\nHost: deck.test\r\n\r\n") }()
			if got, err := io.ReadAll(s.client); len(got) > 0 || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
