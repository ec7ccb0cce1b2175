package callback

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/paytape/paytape/proxy/internal/transport"
)

// resolver returns a resolver by which every name is the address 192.0.2.1, which is on no machine
// (RFC 5737).
func resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buf := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(answerDNS(buf[:n]), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// answerDNS answers a question for an address of version 4; there is none of version 6 (RFC 1035,
// section 4.1).
func answerDNS(q []byte) []byte {
	end := 12
	for end < len(q) && q[end] != 0 {
		end += int(q[end]) + 1
	}
	question := q[12 : end+5]
	isA := question[len(question)-3] == 1
	a := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
	if isA {
		a[7] = 1
		a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1)
	}
	return a
}

// TestReach dials addresses, of which those that may be called are refused by nobody but their
// host.
func TestReach(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	deck, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deck.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	r := newReach([]string{"allowed.example", "here.example:81", "[2001:db8::1]"},
		"https://static.example/hook", []net.Addr{deck.Addr()})
	r.names = resolver(t)
	for _, test := range []struct {
		name, address string
		want          error
	}{
		{"this machine", ln.Addr().String(), nil},
		{"this machine, in the words of version 6", "[::ffff:127.0.0.1]:" + port, nil},
		{"another machine", "192.0.2.1:80", errForbidden},
		{"another machine, in the words of version 6", "[::ffff:192.0.2.1]:80", errForbidden},
		{"what stands for this machine or for the network", "0.0.0.0:" + port, errForbidden},
		{"the addresses of the cloud", "169.254.169.254:80", errForbidden},
		{"a name that leads elsewhere", "localhost.example:" + port, errForbidden},
		{"the deck", deck.Addr().String(), transport.ErrLoop},
	} {
		conn, err := r.dial(t.Context(), "tcp", test.address)
		if err == nil {
			_ = conn.Close()
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for address, want := range map[string]bool{
		"allowed.example:80": true, "ALLOWED.example:8443": true, "here.example:81": true,
		"here.example:80": false, "static.example:443": true, "static.example:80": false,
		"not.allowed.example:80": false, "[2001:db8::1]:80": true,
	} {
		if got := r.allows(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.dial(stopped, "tcp", "allowed.example:80"); errors.Is(err, errForbidden) {
		t.Error("a name that is allowed is refused")
	}
}
