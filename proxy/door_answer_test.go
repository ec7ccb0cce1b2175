package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy"
)

func TestDoorKeepsAnswersAsTheyCome(t *testing.T) {
	const (
		ok       = "HTTP/1.1 200 OK\r\n"
		found    = "HTTP/1.1 302 Found\r\n"
		hints    = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
		date     = "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
		location = "Location: http://elsewhere.test/\r\n"
	)
	tests := []struct{ name, request, answer, want string }{
		{
			"no Content-Type", "GET",
			ok + date + "Content-Length: 6\r\n\r\n<html>",
			"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n" + date + "\r\n<html>",
		},
		{
			"repeated headers", "GET",
			ok + date + "Content-Length: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n" +
				"Content-Type: x\r\n\r\nx",
			ok + "Content-Length: 1\r\nContent-Type: x\r\n" + date +
				"Set-Cookie: a\r\nSet-Cookie: b\r\n\r\nx",
		},
		{
			"HEAD", "HEAD", ok + date + "Content-Length: 9\r\n\r\n",
			ok + "Content-Length: 9\r\n" + date + "\r\n",
		},
		{
			"204",
			"DELETE",
			"HTTP/1.1 204 No Content\r\n" + date + "\r\n",
			"HTTP/1.1 204 No Content\r\n" + date + "\r\n",
		},
		{
			"304", "GET", "HTTP/1.1 304 Not Modified\r\n" + date + "ETag: \"e\"\r\n\r\n",
			"HTTP/1.1 304 Not Modified\r\n" + date + "Etag: \"e\"\r\n\r\n",
		},
		{
			"early hints", "GET",
			hints + ok + date + "Content-Length: 1\r\n\r\nx",
			hints + ok + "Content-Length: 1\r\n" + date + "\r\nx",
		},
		{
			"a redirect is not followed", "GET",
			found + date + location + "Content-Length: 0\r\n\r\n",
			found + "Content-Length: 0\r\n" + date + location + "\r\n",
		},
		{
			"coded bytes stay coded", "GET",
			ok + date + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x00",
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n" + date + "\r\n\x1f\x8b\x00",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := deckTo(t, "http://"+scripted(t, tt.answer))
			got := raw(t, d.addr, tt.request+" /a HTTP/1.1\r\nHost: x\r\n\r\n"+closing)
			got, _, found := strings.Cut(got, "HTTP/1.1 403")
			if !found {
				t.Fatalf("the connection was not kept: %q", got)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the client got (-want +got):\n%s", diff)
			}
			if x := d.tape.only(t); x.Meta.Failure != "" {
				t.Errorf("on tape: failure %q", x.Meta.Failure)
			}
		})
	}
}

func TestDoorKeepsChunksAndTrailers(t *testing.T) {
	d := deckTo(t, "http://"+scripted(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"+
		"Trailer: X-Sum\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\nX-Sum: 7\r\nX-Late: 8\r\n\r\n"))
	res, err := http.Get(d.url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != "abc" || res.ContentLength != -1 {
		t.Errorf("got %q of length %d, %v", body, res.ContentLength, err)
	}
	want := http.Header{"X-Sum": {"7"}, "X-Late": {"8"}}
	if diff := cmp.Diff(want, res.Trailer); diff != "" {
		t.Errorf("the client's trailers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, d.tape.only(t).Meta.Trailers); diff != "" {
		t.Errorf("trailers on tape (-want +got):\n%s", diff)
	}
}

// net/http would guess the type of a body that has none.
func TestDoorGuessesNoContentType(t *testing.T) {
	w := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(t.Context(), "GET", "/x", nil)
	proxy.NewDoor(always(200, nil, "<html>"), nil).ServeHTTP(w, req)
	// A nil value is how a handler keeps net/http from guessing.
	if got, there := w.Header()["Content-Type"]; !there || got != nil {
		t.Errorf("Content-Type is %q, there: %t", got, there)
	}
}

// scripted is a sandbox that answers every request with the same bytes and hangs up.
func scripted(t testing.TB, answer string) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.WriteString(conn, answer)
			}
			conn.Close()
		}
	}()
	return ln.Addr().String()
}

func TestDoorPassesAnAbortOn(t *testing.T) {
	tests := []struct{ name, answer, came string }{
		{"by length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "abc"},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "abc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := deckTo(t, "http://"+scripted(t, tt.answer))
			res, err := http.Get(d.url)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			got, err := io.ReadAll(res.Body)
			if err == nil || string(got) != tt.came {
				t.Errorf("the client got %q and %v, want %q and an error", got, err, tt.came)
			}
			if f := d.tape.only(t).Meta.Failure; f != "cut after 3 bytes" {
				t.Errorf("failure on tape is %q", f)
			}
		})
	}
}

// What has come reaches the client while the answer is open, up to the last byte of all.
func TestDoorStreams(t *testing.T) {
	tests := []struct{ name, media, length, sent string }{
		{"events", "text/event-stream", "", "data: 1\n\n"},
		{"chunks", "application/json", "", "[1,\n"},
		{"a known length", "application/json", "7", "[1,\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			more := make(chan struct{})
			d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.media)
				if tt.length != "" {
					w.Header().Set("Content-Length", tt.length)
				}
				fmt.Fprint(w, tt.sent)
				w.(http.Flusher).Flush()
				<-more
				fmt.Fprint(w, "end")
			}))
			res, err := http.Get(d.url)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			first := make([]byte, len(tt.sent))
			if _, err := io.ReadFull(res.Body, first); err != nil || string(first) != tt.sent {
				t.Fatalf("while it is open: %q, %v", first, err)
			}
			close(more)
			rest, err := io.ReadAll(res.Body)
			if err != nil || string(first)+string(rest) != tt.sent+"end" {
				t.Errorf("in the end: %q, %v", rest, err)
			}
			if x := d.tape.only(t); x.Response.Body != tt.sent+"end" || !x.Replayable() {
				t.Errorf("on tape: %q, %q", x.Response.Body, x.Meta.Failure)
			}
		})
	}
}

// A client that ends an event stream ends it upstream too, and what came is on tape.
func TestDoorEndsAStreamWithItsClient(t *testing.T) {
	ended := make(chan struct{})
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-req.Context().Done()
		close(ended)
	}))
	d.tape.entered, d.tape.release = make(chan struct{}), make(chan struct{})
	close(d.tape.release)
	res, err := http.Get(d.url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(res.Body, make([]byte, len("data: 1\n\n"))); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	<-d.tape.entered
	<-ended
	d.stop() // waits for the handler, and so for Append
	if x := d.tape.only(t); x.Response.Body != "data: 1\n\n" || !x.Replayable() {
		t.Errorf("on tape: %q, %q", x.Response.Body, x.Meta.Failure)
	}
}
