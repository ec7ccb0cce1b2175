package proxy_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/internal/transport"
)

// askedOnPipes serves one request with a door that records, without sockets, and calls read with the
// client's side of the connection: of which one Read returns what one Write has sent.
func askedOnPipes(t *testing.T, s http.RoundTripper, read func(conn net.Conn)) {
	t.Helper()
	servedOnPipes(t, s, func(conn net.Conn) {
		go func() {
			_, _ = io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: sandbox.test\r\n\r\n")
		}()
		read(conn)
	})
}

// servedOnPipes is askedOnPipes for a client that asks itself.
func servedOnPipes(t *testing.T, s http.RoundTripper, client func(conn net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan error)
		srv := proxy.NewServer(proxy.NewDoor(recorder(t, s, &tape{}), nil))
		go func() { stopped <- proxy.Serve(ctx, ln, srv, nil) }()
		conn := ln.dial()
		client(conn)
		conn.Close()
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// TestAnAnswerLeavesInOneWrite wants head and body of an answer in one write: each other write costs
// the deck and its client a call of the system.
func TestAnAnswerLeavesInOneWrite(t *testing.T) {
	const body = `{"orderId":"1"}`
	sandbox := always(200, http.Header{"Content-Length": {"15"}}, body)
	askedOnPipes(t, sandbox, func(conn net.Conn) {
		got := make([]byte, 4<<10)
		n, err := conn.Read(got)
		if err != nil || !bytes.HasSuffix(got[:n], []byte("\r\n\r\n"+body)) {
			t.Errorf("the first write was %q, %v", got[:n], err)
		}
	})
}

// TestAnAnswerOfKnownLengthPassesAsItComes has a sandbox send the first half of an answer, and then
// nothing until the client has got it.
func TestAnAnswerOfKnownLengthPassesAsItComes(t *testing.T) {
	var more *io.PipeWriter
	sandbox := fake(func(*http.Request) (*http.Response, error) {
		var come *io.PipeReader
		come, more = io.Pipe() // here, where time is simulated
		res := reply(200, http.Header{"Content-Length": {"12"}}, "")
		res.Body, res.ContentLength = come, 12
		go func() { _, _ = io.WriteString(more, "first,") }()
		return res, nil
	})
	askedOnPipes(t, sandbox, func(conn net.Conn) {
		var got bytes.Buffer
		readTo := func(end string) {
			b := make([]byte, 4<<10)
			for !bytes.HasSuffix(got.Bytes(), []byte(end)) {
				n, err := conn.Read(b)
				if got.Write(b[:n]); err != nil {
					t.Fatalf("after %q: %v", got.Bytes(), err)
				}
			}
		}
		readTo("\r\n\r\nfirst,")
		go func() {
			_, _ = io.WriteString(more, "second")
			more.Close()
		}()
		readTo("second")
	})
}

// TestABodyThatCameWithItsHeadGoesOnWithIt sends the same request in one piece and in two. The deck
// waits for no body: a sandbox may answer before the end.
func TestABodyThatCameWithItsHeadGoesOnWithIt(t *testing.T) {
	const head = "POST /x HTTP/1.1\r\nHost: sandbox.test\r\nContent-Length: 3\r\n"
	for _, test := range []struct {
		name   string
		pieces []string
		whole  bool
	}{
		{"in one piece", []string{head + "\r\na=b"}, true},
		{"the body later", []string{head + "\r\n", "a=b"}, false},
		{"a part of the body later", []string{head + "\r\na=", "b"}, false},
		{"held back", []string{head + "Expect: 100-continue\r\n\r\na=b"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			sandbox := fake(func(req *http.Request) (*http.Response, error) {
				if _, whole := req.Body.(*transport.Whole); whole != test.whole {
					t.Errorf("the body has come: %t, want %t", whole, test.whole)
				}
				got, err := io.ReadAll(req.Body)
				if string(got) != "a=b" || err != nil {
					t.Errorf("the sandbox read %q, %v", got, err)
				}
				return reply(200, http.Header{"Content-Length": {"2"}}, "ok"), nil
			})
			servedOnPipes(t, sandbox, func(conn net.Conn) {
				go func() {
					for _, piece := range test.pieces {
						_, _ = io.WriteString(conn, piece)
						synctest.Wait()
					}
				}()
				var got bytes.Buffer
				b := make([]byte, 4<<10)
				for !bytes.HasSuffix(got.Bytes(), []byte("\r\n\r\nok")) {
					n, err := conn.Read(b)
					if got.Write(b[:n]); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}
