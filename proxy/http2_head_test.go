package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy"
)

// pack writes fields, in pairs of name and value, without any compression (RFC 7541, section
// 6.2.2).
func pack(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteByte(0)
		for _, s := range pairs[i : i+2] {
			if len(s) > 126 {
				panic("too long for one byte of length")
			}
			b.WriteByte(byte(len(s)))
			b.WriteString(s)
		}
	}
	return b.String()
}

// What HTTP/2 can say and HTTP/1 cannot is refused: on the way it would become another request.
func TestHTTP2RequestsThatHTTP1CannotSay(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, rawReply("200 OK", "x"))
	certificate, roots := certified(t, "deck")
	m := recorder(t, proxy.NewTransport(), &tape{}, func(o *proxy.RecordOptions) {
		o.Upstreams = upstreams(t, "http://"+u.addr)
	})
	addr := securely(t, proxy.NewDoor(m, nil), certificate)
	tests := []struct {
		name, method, path, authority, host string
		good                                bool
	}{
		{"a good one", "GET", "/a", "deck.test", "Deck.test", true},
		{"an odd target", "GET", "/{}|a?b=[]^%zz", "deck.test:80", "", true},
		{"an IPv6 address", "GET", "/a", "[::1]:80", "", true},
		{"a version in the target", "GET", "/a HTTP/1.1", "deck.test", "", false},
		{"a space in the query", "GET", "/a?b c", "deck.test", "", false},
		{"a request in the method", "GET /b", "/a", "deck.test", "", false},
		{"markup for an authority", "GET", "/a", `x"><b>`, "", false},
		{"another host", "GET", "/a", "deck.test", "other.test", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fields := []string{
				":method", tt.method, ":scheme", "https", ":path", tt.path, ":authority", tt.authority,
			}
			if tt.host != "" {
				fields = append(fields, "host", tt.host)
			}
			answered := ask(t, addr, roots, pack(fields...))
			if came := len(u.saw) > 0; answered != tt.good || came != tt.good {
				t.Errorf("answered 200 %t, sent on %t, want %t", answered, came, tt.good)
			}
			for len(u.saw) > 0 {
				<-u.saw
			}
		})
	}
}

// ask sends the head of a request and reports whether the answer is 200.
func ask(t *testing.T, addr string, roots *x509.CertPool, head string) bool {
	t.Helper()
	conn, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: roots, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, preface+frame(frameSettings, 0, 0, "")+
		frame(frameHeaders, flagEnd|flagWholeHead, 1, head))
	for answered := false; ; {
		kind, flags, stream, payload, err := readFrame(conn)
		switch {
		case err != nil:
			t.Fatalf("no answer: %v", err)
		case stream != 1:
			continue
		case kind == frameHeaders:
			answered = payload[0] == 0x88 // the status 200 in RFC 7541, appendix A
		}
		if flags&flagEnd != 0 || kind == frameReset {
			return answered
		}
	}
}
