package proxy_test

import (
	"io"
	"net"
	"slices"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
)

// speaking is a sandbox that says the same to every client and closes.
func speaking(t *testing.T, text string) string {
	t.Helper()
	ln := listen(t)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<10)) // the head of a GET
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	return ln.Addr().String()
}

// nobody is an address at which nobody listens, and nobody else can while the test runs: that of a client.
func nobody(t *testing.T) string {
	t.Helper()
	ln := listen(t)
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		_ = ln.Close()
	})
	return conn.LocalAddr().String()
}

// What is wrong with an upstream is told in a word, and its tape holds that it failed.
func TestCausesOfFailures(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	deck := listen(t)
	defer deck.Close()
	tests := []struct{ name, upstream, want, fault string }{
		{"nobody listens", "http://" + nobody(t), proxy.CauseRefused, leaf.FaultNoAnswer},
		{"plain text for TLS", "https://" + speaking(t, ok+"\r\n"), proxy.CauseTLS, leaf.FaultNoAnswer},
		{"no answer", "http://" + speaking(t, ""), proxy.CauseReset, leaf.FaultNoAnswer},
		{"half a head", "http://" + speaking(t, ok+"X-A: b\r\n"), proxy.CauseReset, leaf.FaultNoAnswer},
		{"noise", "http://" + speaking(t, "\x00\x01secret\r\n\r\n"), proxy.CauseProtocol,
			leaf.FaultNoAnswer},
		{"no header field", "http://" + speaking(t, ok+"secret\r\n\r\n"), proxy.CauseProtocol,
			leaf.FaultNoAnswer},
		{"two lengths", "http://" + speaking(t, ok+"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
			proxy.CauseProtocol, leaf.FaultNoAnswer},
		{"a length that is none", "http://" + speaking(t, ok+"Content-Length: secret\r\n\r\n"),
			proxy.CauseProtocol, leaf.FaultNoAnswer},
		{"an unknown coding", "http://" + speaking(t, ok+"Transfer-Encoding: secret\r\n\r\n"),
			proxy.CauseProtocol, leaf.FaultNoAnswer},
		{"a switch", "http://" + speaking(t, "HTTP/1.1 101 Switching Protocols\r\n\r\n"),
			proxy.CauseProtocol, leaf.FaultNoAnswer},
		{"this deck", "http://" + deck.Addr().String(), proxy.CauseLoop, leaf.FaultNoAnswer},
		{"a cut answer", "http://" + speaking(t, ok+"Content-Length: 9\r\n\r\nabc"), proxy.CauseCut,
			leaf.FaultCut},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			told, tp := &events{}, &tape{}
			transport := proxy.NewTransport(deck.Addr())
			defer transport.CloseIdleConnections()
			m := recorder(t, transport, tp, func(o *proxy.RecordOptions) {
				o.Upstreams, o.Observe = upstreams(t, tt.upstream), told.add
			})
			res, err := m.RoundTrip(request(t, "GET", "/x", ""))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.ReadAll(res.Body) // a cut answer ends with an error
			_ = res.Body.Close()
			all := told.all()
			if len(all) != 1 || all[0].Cause != tt.want || !slices.Contains(proxy.Causes(), tt.want) {
				t.Errorf("told %+v, want the cause %q", all, tt.want)
			}
			if got := tp.only(t).Meta.Fault; got != tt.fault {
				t.Errorf("the tape says %q, want %q", got, tt.fault)
			}
		})
	}
}
