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
)

// One request of the client is one request upstream, even when the upstream closes a connection
// that is reused and the request looks as if it may be repeated.
func TestOneRequestIsOneRequest(t *testing.T) {
	tests := []struct{ name, method, path, body string }{
		{"with a body", "POST", "/pay/register.do", "a=b"},
		{"without a body", "POST", "/pay/register.do?a=b", ""},
		{"an unknown call without a body", "POST", "/x", ""},
		{"a GET that writes", "GET", "/pay/register.do?a=b", ""},
		{"a GET that reads", "GET", "/pay/getOrderStatus.do?a=b", ""},
		{"an unknown GET", "GET", "/x", ""},
		{"a HEAD", "HEAD", "/x", ""},
		{"an OPTIONS", "OPTIONS", "/x", ""},
		{"a TRACE", "TRACE", "/x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newFickle(t)
			d := deckTo(t, "http://"+up.addr)
			for i := range 2 {
				req, err := http.NewRequestWithContext(t.Context(), tt.method, d.url+tt.path,
					io.NopCloser(strings.NewReader(tt.body)))
				if err != nil {
					t.Fatal(err)
				}
				if req.ContentLength = int64(len(tt.body)); tt.body == "" {
					req.Body = nil
				}
				req.Header.Set("Idempotency-Key", "k")
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				said, _ := io.ReadAll(res.Body)
				res.Body.Close()
				if want := []int{200, 502}[i]; res.StatusCode != want {
					t.Errorf("request %d: got %d, want %d", i+1, res.StatusCode, want)
				}
				if i == 1 && tt.method != "HEAD" && !strings.Contains(string(said), "was closed") {
					t.Errorf("no reason: %s", said)
				}
			}
			if got := up.requests.Load(); got != 2 {
				t.Errorf("the sandbox was sent %d requests for 2", got)
			}
		})
	}
}

// A connection that the upstream has closed since its last answer is not used: no request is lost
// on it, and none is sent twice. Whether net/http has noticed the end by then is a matter of luck.
func TestNoRequestIsLostOnAClosedConnection(t *testing.T) {
	for _, name := range []string{"GET", "POST", "POST, the body later"} {
		t.Run(name, func(t *testing.T) {
			method, later, _ := strings.Cut(name, ",")
			up := newPatient(t)
			d := deckTo(t, "http://"+up.addr)
			for i := range 200 {
				var body io.Reader
				if method == "POST" {
					body = io.NopCloser(strings.NewReader("a=b"))
				}
				if later != "" {
					body = struct{ io.Reader }{body} // net/http sends the head apart
				}
				req, err := http.NewRequestWithContext(t.Context(), method, d.url+"/x", body)
				if err != nil {
					t.Fatal(err)
				}
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if res.StatusCode != http.StatusOK {
					t.Fatalf("request %d: got %d", i+1, res.StatusCode)
				}
				up.hangUp()
			}
			if got := up.requests.Load(); got != 200 {
				t.Errorf("the sandbox was sent %d requests for 200", got)
			}
		})
	}
}

// patient answers one request on each connection and closes it when it is told to.
type patient struct {
	fickle
	hang, hung chan bool
}

func newPatient(t testing.TB) *patient {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	p := &patient{fickle{addr: ln.Addr().String()}, make(chan bool), make(chan bool)}
	go accept(ln, p.serve)
	return p
}

func (p *patient) hangUp() { p.hang <- true; <-p.hung }

func (p *patient) serve(conn net.Conn) {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, req.Body)
	p.requests.Add(1)
	fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	<-p.hang
	conn.Close()
	p.hung <- true
}

// An upstream that closes after each answer, and does not say so, is no trouble for a client
// that opens a connection for each request: the deck opens as many.
func TestAPostOnANewConnectionGoesOutOnANewOne(t *testing.T) {
	d := deckTo(t, "http://"+scripted(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for i := range 100 {
		res, err := client.Post(d.url+"/pay/register.do", "text/plain", strings.NewReader("a"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("request %d: got %d", i+1, res.StatusCode)
		}
	}
}

// fickle answers the first request on a connection and hangs up on the second.
type fickle struct {
	addr     string
	requests atomic.Int32
}

func newFickle(t testing.TB) *fickle {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	f := &fickle{addr: ln.Addr().String()}
	go accept(ln, f.serve)
	return f
}

func (f *fickle) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for i := range 2 {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		f.requests.Add(1)
		if i > 0 {
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
		if req.Method != http.MethodHead {
			fmt.Fprint(conn, "ok")
		}
	}
}
