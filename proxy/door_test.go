package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy"
)

// came is what a sandbox behind a door was sent, in the parts that a row looks at.
type came struct {
	Line, Body string
	Header     http.Header
}

// seer is a sandbox that keeps what it was sent.
type seer struct{ got chan came }

func (s seer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	h := req.Header.Clone()
	for name, values := range req.Trailer {
		h["Trailer:"+name] = values
	}
	if len(req.TransferEncoding) > 0 {
		h["Transfer-Encoding"] = req.TransferEncoding
	}
	s.got <- came{req.Method + " " + req.RequestURI, string(body), h}
	fmt.Fprint(w, "ok")
}

// Each row is a request as bytes, and what of it must arrive.
func TestDoorKeepsRequestsAsTheyCome(t *testing.T) {
	tests := []struct {
		name, request string
		want          came
	}{
		{
			"odd characters in the path", "GET /a{}|^[]`~;b%2F%41\"<> HTTP/1.1\r\nHost: x\r\n",
			came{Line: "GET /a{}|^[]`~;b%2F%41\"<>"},
		},
		{
			"odd characters in the query", "GET /a?{}|^[]`;b=%zz&%&+=%2B HTTP/1.1\r\nHost: x\r\n",
			came{Line: "GET /a?{}|^[]`;b=%zz&%&+=%2B"},
		},
		{"an empty query", "GET /a? HTTP/1.1\r\nHost: x\r\n", came{Line: "GET /a?"}},
		{"two slashes", "GET //a//b?c HTTP/1.1\r\nHost: x\r\n", came{Line: "GET //a//b?c"}},
		{
			"two slashes that look like a host",
			"GET //evil.test/b HTTP/1.1\r\nHost: x\r\n", came{Line: "GET //evil.test/b"},
		},
		{"dots", "GET /a/../b/./c HTTP/1.1\r\nHost: x\r\n", came{Line: "GET /a/../b/./c"}},
		{"a colon", "GET /a:b://c HTTP/1.1\r\nHost: x\r\n", came{Line: "GET /a:b://c"}},
		{"a number sign", "GET /a#b HTTP/1.1\r\nHost: x\r\n", came{Line: "GET /a#b"}},
		{"the server itself", "OPTIONS * HTTP/1.1\r\nHost: x\r\n", came{Line: "OPTIONS *"}},
		{"a method of its own", "PURGE /a HTTP/1.1\r\nHost: x\r\n", came{Line: "PURGE /a"}},
		{
			"repeated headers", "GET /a HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nX-A: 2\r\nX-A:\r\n",
			came{Line: "GET /a", Header: http.Header{"X-A": {"1", "2", ""}}},
		},
		{
			"addresses of other proxies", "GET /a HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n" +
				"X-Forwarded-Proto: https\r\nX-Forwarded-Host: h\r\nForwarded: for=192.0.2.1\r\n",
			came{Line: "GET /a", Header: http.Header{
				"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Proto": {"https"},
				"X-Forwarded-Host": {"h"}, "Forwarded": {"for=192.0.2.1"},
			}},
		},
		{
			"nothing is added", "GET /a HTTP/1.1\r\nHost: x\r\n",
			came{Line: "GET /a", Header: http.Header{
				"X-Forwarded-For": nil, "User-Agent": nil, "Accept-Encoding": nil, "Via": nil,
			}},
		},
		{
			"what is between neighbours goes",
			"GET /a HTTP/1.1\r\nHost: x\r\nConnection: X-Hop, upgrade\r\n" +
				"X-Hop: 1\r\nUpgrade: h2c\r\nKeep-Alive: 5\r\nProxy-Authorization: Basic eA==\r\n",
			came{Line: "GET /a", Header: http.Header{
				"X-Hop": nil, "Upgrade": nil, "Connection": nil, "Keep-Alive": nil,
				"Proxy-Authorization": nil,
			}},
		},
		{
			"a body by length", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
			came{Line: "POST /a", Body: "abc", Header: http.Header{"Content-Length": {"3"}}},
		},
		{
			"a body in chunks, with a trailer", "POST /a HTTP/1.1\r\nHost: x\r\nTrailer: X-Sum\r\n" +
				"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\nX-Sum: 7\r\n",
			came{Line: "POST /a", Body: "abc", Header: http.Header{
				"Transfer-Encoding": {"chunked"}, "Trailer:X-Sum": {"7"},
			}},
		},
		{
			"a GET that writes", "GET /pay/register.do?a=b HTTP/1.1\r\nHost: x\r\n",
			came{Line: "GET /pay/register.do?a=b", Header: http.Header{
				"Transfer-Encoding": nil, "Content-Length": nil,
			}},
		},
		{
			"an Idempotency-Key",
			"POST /a HTTP/1.1\r\nHost: x\r\nidempotency-key: k\r\nContent-Length: 0\r\n",
			came{Line: "POST /a", Header: http.Header{"Idempotency-Key": {"k"}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := seer{make(chan came, 2)}
			d := newDeck(t, s)
			request := tt.request
			if !strings.Contains(request, "\r\n\r\n") || strings.HasSuffix(request, "7\r\n") ||
				strings.HasSuffix(request, "0\r\n") {
				request += "\r\n"
			}
			answer := raw(t, d.addr, request+closing)
			if !strings.HasPrefix(answer, "HTTP/1.1 200") {
				t.Fatalf("answer %.80q", answer)
			}
			var got came
			select {
			case got = <-s.got:
			default:
				t.Fatal("the sandbox was sent nothing")
			}
			if got.Line != tt.want.Line || got.Body != tt.want.Body {
				t.Errorf("got %q %q, want %q %q", got.Line, got.Body, tt.want.Line, tt.want.Body)
			}
			for name, values := range tt.want.Header {
				if diff := cmp.Diff(values, got.Header[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// closing is a second request that ends the connection; the door refuses it.
const closing = "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nConnection: close\r\n\r\n"

func TestDoorRefusesWhatOnlyAForwardProxyServes(t *testing.T) {
	tests := []struct{ name, line, kind string }{
		{"CONNECT", "CONNECT a.test:443", "connect"},
		{"absolute form", "GET http://a.test/x?card=secret", "absolute-form"},
		{"absolute form by HEAD", "HEAD http://a.test/x", "absolute-form"},
	}
	d := newDeck(t, http.NotFoundHandler())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := raw(t, d.addr, tt.line+" HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
			head, body, _ := strings.Cut(got, "\r\n\r\n")
			if !strings.HasPrefix(head, "HTTP/1.1 403 ") ||
				!strings.Contains(head, "Paytape-Error: "+tt.kind) || strings.Contains(got, "secret") {
				t.Errorf("got %q", got)
			}
			if strings.HasPrefix(tt.line, "HEAD") != (body == "") {
				t.Errorf("body %q", body)
			}
		})
	}
	if len(d.tape.exchanges()) != 0 {
		t.Error("a refused request is on tape")
	}
}

// What could be read in two ways never gets as far as a sandbox.
func TestDoorPassesNoAmbiguousFraming(t *testing.T) {
	const inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	tests := []struct{ name, head, body string }{
		{"two lengths", "Content-Length: 0\r\nContent-Length: 40", inner},
		{"a length with a sign", "Content-Length: +40", inner},
		{"an unknown coding", "Transfer-Encoding: xchunked", inner},
		{"a space before the colon", "Content-Length : 40", inner},
		{"length and chunks", "Content-Length: 3\r\nTransfer-Encoding: chunked", "0\r\n\r\n" + inner},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var count atomic.Int32
			d := newDeck(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { count.Add(1) }))
			got := raw(t, d.addr, "POST /a HTTP/1.1\r\nHost: x\r\n"+tt.head+"\r\n\r\n"+tt.body)
			if !strings.HasPrefix(got, "HTTP/1.1 400") && !strings.HasPrefix(got, "HTTP/1.1 501") {
				t.Errorf("got %.60q", got)
			}
			if count.Load() != 0 {
				t.Error("it reached the sandbox")
			}
		})
	}
}

func TestDoorPassesExpectOn(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("X-Read") == "" {
			w.WriteHeader(http.StatusExpectationFailed) // without reading: no 100 was sent
			return
		}
		b, _ := io.ReadAll(req.Body)
		_, _ = w.Write(b)
	}))
	conn, err := net.Dial("tcp", d.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := bufio.NewReader(conn)
	const head = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n"
	fmt.Fprint(conn, head+"X-Read: 1\r\n\r\n")
	line, err := r.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatalf("before the body: %q, %v", line, err)
	}
	fmt.Fprint(conn, "abc")
	_, _ = r.ReadString('\n')
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(res.Body); string(body) != "abc" {
		t.Errorf("the answer is %q", body)
	}
	got := raw(t, d.addr, head+"Connection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 417") {
		t.Errorf("refused: %.60q", got)
	}
}

// A sandbox is asked for any protocol in which no requests travel. If it switches to another one it
// is refused.
func TestDoorSwitchesProtocols(t *testing.T) {
	tests := []struct{ name, asked, answered, begins string }{
		{"WebSocket", "websocket", "websocket", "HTTP/1.1 101"},
		{"a protocol of their own", "pos-terminal/2", "pos-terminal/2", "HTTP/1.1 101"},
		{"one of two", "h2c, pos-terminal/2", "pos-terminal/2", "HTTP/1.1 101"},
		{"HTTP/2", "h2c", "h2c", "HTTP/1.1 502"},
		{"HTTP of another version", "HTTP/3", "HTTP/3", "HTTP/1.1 502"},
		{"TLS", "TLS/1.3", "TLS/1.3", "HTTP/1.1 502"},
		{"another than was asked for", "pos-terminal/2", "websocket", "HTTP/1.1 502"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := deckTo(t, "http://"+scripted(t, "HTTP/1.1 101 Switching Protocols\r\n"+
				"Connection: Upgrade\r\nUpgrade: "+tt.answered+"\r\n\r\nhello"))
			got := raw(t, d.addr, "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\n"+
				"Upgrade: "+tt.asked+"\r\n\r\n")
			if !strings.HasPrefix(got, tt.begins) {
				t.Fatalf("got %q", got)
			}
			if tt.begins != "HTTP/1.1 101" {
				return
			}
			if !strings.HasSuffix(got, "hello") {
				t.Errorf("got %q", got)
			}
			if x := d.tape.only(t); x.Code != 101 || x.Meta.Withheld == "" {
				t.Errorf("on tape: %d, withheld %q", x.Code, x.Meta.Withheld)
			}
		})
	}
}

// A protocol that is not passed on is no reason to refuse the request that asks for it.
func TestDoorIgnoresHTTPOfAnotherVersion(t *testing.T) {
	d := deckTo(t, "http://"+scripted(t, rawReply("200 OK", "x")))
	got := raw(t, d.addr, "GET /x HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"+
		"Connection: Upgrade, HTTP2-Settings, close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("got %q", got)
	}
}

// HTTP/1.0 has no answers before the final one (RFC 9110, section 15.2).
func TestDoorTellsOldClientsOfTheFinalAnswerAlone(t *testing.T) {
	d := deckTo(t, "http://"+scripted(t, "HTTP/1.1 100 Continue\r\n\r\n"+
		"HTTP/1.1 103 Early Hints\r\n\r\n"+rawReply("200 OK", "x")))
	got := raw(t, d.addr, "GET /x HTTP/1.0\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.0 200") {
		t.Errorf("got %q", got)
	}
}

func TestDoorClosesTheConnectionOnAbort(t *testing.T) {
	abort := fake(func(*http.Request) (*http.Response, error) { return nil, proxy.ErrAbort })
	defect := fake(func(*http.Request) (*http.Response, error) { panic("a secret") })
	tests := []struct {
		name string
		mode http.RoundTripper
		told int
	}{{"a mode that aborts", abort, 0}, {"a defect", defect, 1}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev := &events{}
			addr := serve(t, proxy.NewDoor(tt.mode, ev.add))
			if got := raw(t, addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); got != "" {
				t.Errorf("got %q", got)
			}
			got := ev.all()
			if len(got) != tt.told {
				t.Fatalf("told %d times, want %d", len(got), tt.told)
			}
			if tt.told == 1 && (got[0].Note != proxy.NoteDefect ||
				!strings.HasPrefix(got[0].Where, "door_test.go:")) {
				t.Errorf("told %+v", got[0])
			}
		})
	}
}
