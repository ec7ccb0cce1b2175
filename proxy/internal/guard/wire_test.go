package guard_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
)

// What no client library sends is sent as bytes: old versions, upgrades, ranges, targets that are no
// path. Nothing of it passes without the token, and no answer repeats the token.
func TestBytesOnTheWire(t *testing.T) {
	t.Parallel()
	g, _ := newGuard(t)
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	for _, test := range []struct {
		name, request string
		want          string // the beginning of the answer, behind its version
	}{
		{"HTTP/1.0 has no host", "GET /api/status HTTP/1.0\r\n", "403"},
		{"HTTP/1.0 with the token", "GET /" + token + "/api/status HTTP/1.0\r\nHost: localhost\r\n", "200"},
		{"HTTP/1.0 without it", "GET /api/status HTTP/1.0\r\nHost: localhost\r\n", "401"},
		{"two hosts", "GET /api/status HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n", "400"},
		{"an absolute target of another host", "GET http://evil.example/" + token +
			"/api/status HTTP/1.1\r\nHost: localhost\r\n", "403"},
		{"a websocket", "GET /api/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n" +
			"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n", "401"},
		{"a websocket of another origin", "GET /" + token + "/api/events HTTP/1.1\r\nHost: localhost\r\n" +
			"Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\nConnection: Upgrade\r\n" +
			"Upgrade: websocket\r\n", "403"},
		{"HTTP/2 by upgrade", "GET /api/status HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, " +
			"HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n", "401"},
		{"a range", "GET /" + token + "/api/status HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-0\r\n",
			"200"},
		{"a tunnel", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n", "401"},
		{"all of it", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n", "200"}, // by net/http, of no path
		{"a token in a backslash", "GET /\\" + token + "/api/status HTTP/1.1\r\nHost: localhost\r\n", "401"},
		{"dots in front of the token", "GET /%2e%2e/" + token + "/api/status HTTP/1.1\r\n" +
			"Host: localhost\r\n", "401"},
		{"an escaped slash behind the token", "GET /" + token + "%2fapi/status HTTP/1.1\r\n" +
			"Host: localhost\r\n", "200"},
		{"a bare line end in the target", "GET /api/\nstatus HTTP/1.1\r\nHost: localhost\r\n", "400"},
		{"a NUL in the path", "GET /" + token + "/api/%00 HTTP/1.1\r\nHost: localhost\r\n", "200"},
		{"a name with an address in it", "GET / HTTP/1.1\r\nHost: 127.0.0.1@evil.example\r\n", "400"},
		{"a zone", "GET / HTTP/1.1\r\nHost: [::1%25evil.example]:80\r\n", "200"}, // no name leads here
		{"a path of 70,000 bytes", "GET /" + strings.Repeat("x", 70_000) + " HTTP/1.1\r\n" +
			"Host: localhost\r\n", "401"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "%sConnection: close\r\n\r\n", test.request); err != nil {
				t.Fatal(err)
			}
			all, err := io.ReadAll(bufio.NewReader(conn))
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(string(all), " ")
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got %.80q, want %s", all, test.want)
			}
			if strings.Contains(string(all), token) {
				t.Error("the answer holds the token")
			}
		})
	}
}
