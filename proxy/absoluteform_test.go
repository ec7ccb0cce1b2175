package proxy_test

import (
	"net"
	"os"
	"strings"
	"testing"
)

// A request in absolute form for the deck's own address is the same as one with a path. Any other
// one asks for a proxy, and there is none.
func TestDoorTakesItsOwnAddressInAbsoluteForm(t *testing.T) {
	machine, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	tests := []struct{ name, line, came string }{ // PORT is the port of the deck
		{"its address", "GET http://127.0.0.1:PORT/a?b=%zz", "GET /a?b=%zz"},
		{"its name", "GET http://LocalHost:PORT/a", "GET /a"},
		{"the name of the machine", "POST http://" + machine + ":PORT/a//b/../c", "POST /a//b/../c"},
		{"no path", "GET http://127.0.0.1:PORT", "GET /"},
		{"a query alone", "GET http://127.0.0.1:PORT?a", "GET /?a"},
		{"the server itself", "OPTIONS http://127.0.0.1:PORT", "OPTIONS *"},
		{"capitals", "GET HTTP://127.0.0.1:PORT/A", "GET /A"},
		{"another port", "GET http://127.0.0.1:1/a", ""},
		{"no port", "GET http://127.0.0.1/a", ""},
		{"another address", "GET http://127.0.0.2:PORT/a", ""},
		{"another host", "GET http://pay.example:PORT/a", ""},
		{"another scheme", "GET https://127.0.0.1:PORT/a", ""},
		{"a user", "GET http://u@127.0.0.1:PORT/a", ""},
		{"a host that begins like it", "GET http://127.0.0.1:PORT.a.test/a", ""},
		{"a scheme of its own", "GET ftp://127.0.0.1:PORT/a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := seer{make(chan came, 1)}
			d := newDeck(t, s)
			_, port, err := net.SplitHostPort(d.addr)
			if err != nil {
				t.Fatal(err)
			}
			// The target counts, whatever the Host is.
			answer := raw(t, d.addr, strings.ReplaceAll(tt.line, "PORT", port)+
				" HTTP/1.1\r\nHost: other.test\r\nContent-Length: 0\r\n\r\n"+closing)
			if tt.came == "" {
				if !strings.HasPrefix(answer, "HTTP/1.1 4") || len(s.got) > 0 {
					t.Errorf("answered %.60q, the sandbox saw %d", answer, len(s.got))
				}
				return
			}
			if !strings.HasPrefix(answer, "HTTP/1.1 200") {
				t.Fatalf("answered %.80q", answer)
			}
			if got := <-s.got; got.Line != tt.came {
				t.Errorf("the sandbox saw %q, want %q", got.Line, tt.came)
			}
		})
	}
}
