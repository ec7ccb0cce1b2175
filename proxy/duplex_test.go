package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/paytape/paytape/proxy"
)

// echo answers before the request has ended: each byte as it comes.
func echo(t *testing.T) *httptest.Server {
	t.Helper()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		flow := http.NewResponseController(w)
		if err := flow.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		_ = flow.Flush()
		for b := make([]byte, 1); ; {
			if _, err := io.ReadFull(req.Body, b); err != nil {
				if err != io.EOF {
					t.Errorf("the body of the request ends with %v", err)
				}
				return
			}
			_, _ = w.Write(b)
			_ = flow.Flush()
		}
	}))
	t.Cleanup(up.Close)
	return up
}

// A sandbox may answer while the request is on its way: nothing of the request is lost, and the
// client need not have sent it to get the answer.
func TestAnswersOvertakeRequests(t *testing.T) {
	t.Parallel()
	for _, framing := range []string{"Content-Length: 5", "Transfer-Encoding: chunked"} {
		for name, door := range decksOn(t, echo(t).URL) {
			t.Run(name+"/"+framing, func(t *testing.T) {
				t.Parallel()
				conn, err := net.Dial("tcp", door)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, "POST /x HTTP/1.1\r\nHost: x\r\n"+framing+"\r\n\r\n")
				res, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range "abcde" {
					piece := string(c)
					if framing[0] == 'T' {
						piece = "1\r\n" + piece + "\r\n"
					}
					_, _ = io.WriteString(conn, piece)
					got := make([]byte, 1)
					if _, err := io.ReadFull(res.Body, got); err != nil || got[0] != byte(c) {
						t.Fatalf("got %q for %q, %v", got, c, err)
					}
				}
				if framing[0] == 'T' {
					_, _ = io.WriteString(conn, "0\r\n\r\n")
				}
				if rest, err := io.ReadAll(res.Body); err != nil || len(rest) > 0 {
					t.Errorf("the answer ends with %q, %v", rest, err)
				}
			})
		}
	}
}

// decksOn are the addresses of doors to an upstream, by their mode.
func decksOn(t *testing.T, upstream string) map[string]string {
	t.Helper()
	m, err := proxy.NewPass(proxy.PassOptions{
		Route:   proxy.Route{Upstreams: upstreams(t, upstream), Transport: proxy.NewTransport()},
		Cleaner: newUncleaned(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"pass": serve(t, proxy.NewDoor(m, nil)), "record": deckTo(t, upstream).addr,
	}
}
