package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// post is a request that direct takes.
func post(ctx context.Context) *http.Request {
	req := bare("POST")(ctx)
	req.Body, req.ContentLength = NewWhole([]byte("a=b")), 3
	return req
}

// upstreamOf returns a transport to an upstream that answers each request of a connection by the same
// bytes, and how many connections there were. After "<closes>" it closes the connection.
func upstreamOf(answer string) (*Transport, *atomic.Int32) {
	var dialled atomic.Int32
	text, closes := strings.CutSuffix(answer, "<closes>")
	return newWith(func(context.Context, string, string) (net.Conn, error) {
		dialled.Add(1)
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			r := bufio.NewReader(far)
			for {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, req.Body)
				if _, err := io.WriteString(far, text); err != nil || closes {
					return
				}
			}
		}()
		return near, nil
	}), &dialled
}

// TestDirectUsesNoConnectionThatMayBeSpoilt wants a connection to be used again only behind an answer of
// which the end is sure.
func TestDirectUsesNoConnectionThatMayBeSpoilt(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	for _, tt := range []struct {
		name, method, answer string
		early                bool  // the body is closed before its end
		want                 int32 // connections for two requests
	}{
		{"an answer", "POST", ok, false, 1},
		{"an answer in chunks", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", false, 1},
		{"an answer without a body", "POST", "HTTP/1.1 204 No Content\r\n\r\n", false, 1},
		{"the head alone", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", false, 1},
		{"an answer behind others", "POST", "HTTP/1.1 103 Early Hints\r\n\r\n" + ok, false, 1},
		{"an answer that is not read", "POST", ok, true, 2},
		{"an upstream that will close", "POST", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok<closes>", false, 2},
		{"HTTP/1.0", "POST", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok<closes>", false, 2},
		{"an end that is the end of the connection", "POST", "HTTP/1.1 200 OK\r\n\r\nok<closes>", false, 2},
		{"bytes behind the answer", "POST", ok + "HTTP/1.1 200 OK\r\n", false, 2},
		{"another protocol that nobody asked for", "POST", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", false, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport, dialled := upstreamOf(tt.answer)
				defer transport.CloseIdleConnections()
				for range 2 {
					req := post(t.Context())
					if tt.method != "POST" {
						req = bare(tt.method)(t.Context())
					}
					res, err := transport.RoundTrip(req)
					if err != nil {
						t.Fatal(err)
					}
					if !tt.early {
						_, _ = io.Copy(io.Discard, res.Body)
					}
					res.Body.Close()
				}
				if got := dialled.Load(); got != tt.want {
					t.Errorf("%d connections, want %d", got, tt.want)
				}
			})
		})
	}
}

// TestDirectFails wants what went wrong to be told, and the connection to be closed.
func TestDirectFails(t *testing.T) {
	var late net.Error
	for _, tt := range []struct {
		name, answer string
		as           func(error) bool
	}{
		{"no answer", "<closes>", func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"silence", "", func(err error) bool { return errors.As(err, &late) && late.Timeout() }},
		{"half a head", "HTTP/1.1 200 OK\r\n", func(err error) bool { return errors.As(err, &late) && late.Timeout() }},
		{"no HTTP", "SSH-2.0\r\n\r\n", func(err error) bool { return strings.Contains(err.Error(), "malformed HTTP") }},
		{"a head without end", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("x", 1000)+"\r\n", 1100),
			func(err error) bool { return strings.Contains(err.Error(), "response headers exceeded") }},
		{"answers before the answer without end", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1<<16),
			func(err error) bool { return !errors.As(err, &late) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport, _ := upstreamOf(tt.answer)
				if _, err := transport.RoundTrip(post(t.Context())); err == nil || !tt.as(err) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// TestDirectIsGivenUp has a client leave before the head of the answer, and in the middle of its body.
func TestDirectIsGivenUp(t *testing.T) {
	for _, answer := range []string{"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"} {
		synctest.Test(t, func(t *testing.T) {
			transport, _ := upstreamOf(answer)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel) // simulated
			res, err := transport.RoundTrip(post(ctx))
			if err == nil {
				_, err = io.ReadAll(res.Body)
				res.Body.Close()
			} else if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if err == nil {
				t.Error("an answer came")
			}
		})
	}
}

// TestDirectHandsOnWhatComesBefore wants answers before the answer to be told in their order.
func TestDirectHandsOnWhatComesBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, _ := upstreamOf("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
			"HTTP/1.1 204 No Content\r\n\r\n")
		defer transport.CloseIdleConnections()
		var got []int
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, _ textproto.MIMEHeader) error { got = append(got, code); return nil },
		})
		res, err := transport.RoundTrip(post(ctx))
		if err != nil || res.StatusCode != http.StatusNoContent || !slices.Equal(got, []int{102, 103}) {
			t.Errorf("got %v before the answer, %v", got, err)
		}
	})
}

// written returns what a transport writes of a request.
func written(t *testing.T, rt http.RoundTripper, seen *bytes.Buffer, req *http.Request) string {
	t.Helper()
	seen.Reset()
	res, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	return seen.String()
}

// recordingConn keeps what is written.
type recordingConn struct {
	net.Conn
	seen *bytes.Buffer
}

func (c recordingConn) Write(p []byte) (int, error) {
	c.seen.Write(p)
	return c.Conn.Write(p)
}

// TestDirectWritesWhatOthersWrite compares what direct writes with what an http.Transport does.
func TestDirectWritesWhatOthersWrite(t *testing.T) {
	with := func(req *http.Request, header ...string) *http.Request {
		for i := 0; i < len(header); i += 2 {
			req.Header[header[i]] = append(req.Header[header[i]], header[i+1])
		}
		return req
	}
	for name, request := range map[string]func(context.Context) *http.Request{
		"a body":             post,
		"no body":            bare("GET"),
		"no body of a POST":  bare("POST"),
		"no body, length":    func(ctx context.Context) *http.Request { return with(bare("POST")(ctx), "Content-Length", "0") },
		"headers":            func(ctx context.Context) *http.Request { return with(post(ctx), "X-B", "1", "x-a", "2", "X-B", "3") },
		"without User-Agent": func(ctx context.Context) *http.Request { return with(post(ctx), "User-Agent", "") },
		"a raw target": func(ctx context.Context) *http.Request {
			req := post(ctx)
			req.URL.Opaque = "/a//b%41?x=%20&y"
			return req
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen bytes.Buffer
				transport := newWith(func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					go answerAll(far)
					return recordingConn{near, &seen}, nil
				})
				defer transport.CloseIdleConnections()
				got := written(t, transport, &seen, request(t.Context()))
				req := request(t.Context())
				if whole, ok := req.Body.(*Whole); ok {
					req.Body = io.NopCloser(bytes.NewReader(whole.body)) // which nobody takes for whole
				}
				if req.Body == nil {
					req = withoutBody(req)
					req.Body = struct{ io.ReadCloser }{req.Body}
				}
				if want := written(t, transport, &seen, req); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		})
	}
}

func TestDirectLeavesToOthers(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*http.Request)
	}{
		{"TLS", func(req *http.Request) { req.URL.Scheme = "https" }},
		{"a body that comes", func(req *http.Request) { req.Body = io.NopCloser(strings.NewReader("a=b")) }},
		{"a client that waits", func(req *http.Request) { req.Header.Set("Expect", "100-continue") }},
		{"another protocol", func(req *http.Request) { req.Header.Set("Upgrade", "websocket") }},
		{"trailers", func(req *http.Request) { req.Trailer = http.Header{"X": nil} }},
		{"a tunnel", func(req *http.Request) { req.Method = "CONNECT" }},
		{"a method with an end of line", func(req *http.Request) { req.Method = "GET /\r\n" }},
		{"a host of another alphabet", func(req *http.Request) { req.URL.Host = "пример.test" }},
	} {
		req := post(t.Context())
		if !isDirect(req) && seesEnd {
			t.Fatal("direct takes no request")
		}
		if tt.edit(req); isDirect(req) {
			t.Errorf("%s: direct takes the request", tt.name)
		}
	}
}
