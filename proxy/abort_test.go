package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy"
)

// everyMode runs a test against a deck in each mode that forwards to an upstream.
func everyMode(t *testing.T, to string, test func(t *testing.T, addr string, tp *tape)) {
	t.Helper()
	tp := &tape{}
	for name, mode := range forwarding(t, to, tp) {
		t.Run(name, func(t *testing.T) {
			addr, stop := serving(t, proxy.NewDoor(mode, nil))
			test(t, addr, tp)
			stop()
		})
	}
}

// A request that breaks off must not look whole to the sandbox.
func TestAnUploadThatIsCutIsCutUpstream(t *testing.T) {
	tests := []struct{ name, request string }{
		{"by length", rawRequest("POST /a", "abc", []string{"Content-Length: 9"})},
		{"in chunks", rawChunks("3\r\nabc\r\n")},
		{"in the middle of a chunk", rawChunks("9\r\nabc")},
		{"before the trailers", rawChunks("3\r\nabc\r\n0\r\nX-Sum: 7\r\n")},
		{"by a chunk that is none", rawChunks("3\r\nabc\r\nzz\r\n")},
		{"by a chunk of two sizes", rawChunks("3\r\nabc\r\n0x1\r\na\r\n0\r\n\r\n")},
	}
	for _, tt := range tests {
		for _, reset := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				u := newUpstream(t, rawReply("200 OK", "x"))
				everyMode(t, u.addr, func(t *testing.T, addr string, _ *tape) {
					conn, err := net.Dial("tcp", addr)
					if err != nil {
						t.Fatal(err)
					}
					_, _ = io.WriteString(conn, tt.request)
					if reset {
						_ = conn.(*net.TCPConn).SetLinger(0)
					}
					conn.Close()
					select {
					case sent := <-u.saw:
						if !sent.Cut || sent.Body != "" && !strings.HasPrefix("abc", sent.Body) {
							t.Errorf("the upstream saw %+v", sent)
						}
					default: // it has not seen as much as a head, which is as well
					}
				})
			})
		}
	}
}

// A client that leaves ends its request upstream, and it is on tape as left.
func TestAClientThatLeavesEndsItsRequest(t *testing.T) {
	for _, request := range []string{rawGet("/a"), rawPost("abc")} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		everyMode(t, ln.Addr().String(), func(t *testing.T, addr string, tp *tape) {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(conn, request)
			far, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer far.Close()
			r := bufio.NewReader(far)
			if m, err := readMessage(r, ""); err != nil || m.Cut {
				t.Fatalf("the upstream saw %+v, %v", m, err)
			}
			conn.Close()
			if _, err := r.ReadByte(); err == nil {
				t.Error("the upstream was sent more")
			}
		})
	}
}

// An end of the connection is how HTTP/1.0 ends an answer, so a cut one must end otherwise.
func TestACutAnswerIsNoEndForHTTP10(t *testing.T) {
	tests := []struct {
		name, answer string
		cut          bool
	}{
		{"whole chunks", rawOpen("3\r\nabc\r\n0\r\n\r\n", chunked), false},
		{"up to the end", rawOpen("abc"), false},
		{"chunks that are cut", rawOpen("3\r\nabc\r\n", chunked), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, tt.answer)
			everyMode(t, u.addr, func(t *testing.T, addr string, _ *tape) {
				conn, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, "GET /a HTTP/1.0\r\n\r\n")
				got, err := io.ReadAll(conn)
				if tt.cut != (err != nil) || !tt.cut && !strings.HasSuffix(string(got), "\r\n\r\nabc") {
					t.Errorf("got %q, %v", got, err)
				}
			})
		})
	}
}

// What could hide a second request is refused, and nothing of it gets to the sandbox.
func TestNothingIsSmuggled(t *testing.T) {
	const (
		inner = "GET /smuggled HTTP/1.1\r\nHost: h.test\r\n\r\n"
		zero  = "0\r\n\r\n"
	)
	post := func(body string, fields ...string) string { return rawRequest("POST /a", body, fields) }
	tests := []struct{ name, request string }{
		{"length before chunks", post(zero+inner, "Content-Length: 5", chunked)},
		{"chunks before length", post(zero+inner, chunked, "Content-Length: 50")},
		{"length 0 and chunks", post(zero+inner, "Content-Length: 0", chunked)},
		{"two lengths", post(inner, "Content-Length: 0", "Content-Length: 44")},
		{"two equal lengths", post(inner, "Content-Length: 44", "Content-Length: 44")},
		{"a list of lengths", post(inner, "Content-Length: 0, 44")},
		{"a signed length", post(inner, "Content-Length: +44")},
		{"a negative length", post(inner, "Content-Length: -1")},
		{"a length in hex", post(inner, "Content-Length: 0x2c")},
		{"a length with a space inside", post(inner, "Content-Length: 4 4")},
		{"a huge length", post(inner, "Content-Length: 18446744073709551660")},
		{"a space before the colon of the length", post(inner, "Content-Length : 44")},
		{"a space before the colon of the coding", post(zero+inner, "Transfer-Encoding : chunked")},
		{"a tab before the colon", post(zero+inner, "Transfer-Encoding\t: chunked")},
		{"a folded coding", post(zero+inner, "Transfer-Encoding:\r\n chunked")},
		{"a folded length", post(inner, "X-A: b\r\n Content-Length: 44")},
		{"xchunked", post(zero+inner, "Transfer-Encoding: xchunked")},
		{"chunked, identity", post(zero+inner, "Transfer-Encoding: chunked, identity")},
		{"identity and chunked", post(zero+inner, "Transfer-Encoding: identity", chunked)},
		{"a vertical tab in the coding", post(zero+inner, "Transfer-Encoding: \vchunked")},
		{"a NUL in the coding", post(zero+inner, "Transfer-Encoding: chunked\x00")},
		{"a bare LF between fields", post(zero+inner, "X-A: b\nTransfer-Encoding: chunked")},
		{"a bare CR between fields", post(zero+inner, "X-A: b\rTransfer-Encoding: chunked")},
		{"a bare LF at the end of the head", "POST /a HTTP/1.1\r\nHost: h.test\r\n\n" + inner},
		{"chunks in HTTP/1.0", "POST /a HTTP/1.0\r\n" + chunked + "\r\n\r\n" + zero + inner},
		{"two hosts", post("", "Host: other.test", "Content-Length: 0") + inner},
		{
			"a request in the request line",
			"GET /a HTTP/1.1 GET /smuggled HTTP/1.1\r\nHost: h.test\r\n\r\n",
		},
		{"a chunk size with a sign", post("+0\r\n\r\n"+inner, chunked)},
		{"a chunk size with a space", post("0 \r\n\r\n"+inner, chunked)},
		{"a chunk size in 0x", post("0x0\r\n\r\n"+inner, chunked)},
		{"a chunk size that wraps", post("10000000000000000\r\n\r\n"+inner, chunked)},
		{"a chunk line that ends in LF", post("0\n\r\n"+inner, chunked)},
		{"a LF in a chunk extension", post("0;a\n\r\n"+inner, chunked)},
		{"a CR in a chunk extension", post("0;\ra\r\n\r\n"+inner, chunked)},
		{"chunk data that is longer", post("1\r\naX0\r\n\r\n"+inner, chunked)},
		{"a coding among the trailers", post("0\r\nTransfer-Encoding: chunked\r\n\r\n"+inner, chunked)},
		{"a length among the trailers", post("0\r\nContent-Length: 44\r\n\r\n"+inner, chunked)},
		{"a folded trailer", post("0\r\nX-A: b\r\n c\r\n\r\n"+inner, chunked)},
		{
			"a tunnel with a body",
			"CONNECT a.test:1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\nx" + inner,
		},
		{"a tunnel", "CONNECT a.test:1 HTTP/1.1\r\nHost: a.test\r\n\r\n" + inner},
		{"HTTP/2 in clear", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + inner},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, rawReply("200 OK", "x"))
			everyMode(t, u.addr, func(t *testing.T, addr string, _ *tape) {
				got := raw(t, addr, tt.request)
				if strings.Count(got, "HTTP/1.1 ") != 1 || status(got) < "400" {
					t.Errorf("got %q", got)
				}
				for len(u.saw) > 0 {
					if m := <-u.saw; !m.Cut || strings.Contains(m.Line, "smuggled") {
						t.Errorf("the upstream saw %+v", m)
					}
				}
			})
		})
	}
}

// A connection goes on after an answer, and each request on it has its own.
func TestRequestsInARowKeepTheirAnswers(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		_, _ = io.WriteString(w, req.URL.Path+string(body))
	}))
	all := rawGet("/1") + "\r\n" + rawRequest("POST /2", "3\r\nabc\r\n0\r\n\r\n", []string{chunked}) +
		rawRequest("POST /3", "de", []string{"Content-Length: 2"}) + rawGet("/4", "Connection: close")
	r := bufio.NewReader(strings.NewReader(raw(t, d.addr, all)))
	for _, want := range []string{"/1", "/2abc", "/3de", "/4"} {
		if m, err := readMessage(r, "GET"); err != nil || m.Body != want {
			t.Errorf("got %q, %v, want %q", m.Body, err, want)
		}
	}
}
