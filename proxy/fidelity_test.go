package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy"
)

// The fidelity suite has raw sockets on both ends. Every row is said once to the upstream
// itself and once through a deck in each mode that forwards, and what both ends get to see
// must mean the same: first line, fields, body, trailers, answers before the final one, and
// whether anything was cut.

// talk is what a client says and what the upstream answers, in raw bytes.
type talk struct{ name, request, answer string }

// view is what both ends of a talk have seen.
type view struct {
	Sent message // by the upstream
	Got  message // by the client
}

// hold speaks as a client to addr, behind which is upstream u.
func (k talk) hold(t *testing.T, addr string, u *upstream) view {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, k.request) }()
	method, _, _ := strings.Cut(k.request, " ")
	got, err := readMessage(bufio.NewReader(conn), method)
	if gone(err) {
		got = message{Cut: true}
	} else if err != nil {
		t.Fatal(err)
	}
	select {
	case sent := <-u.saw: // it was noted before it was answered
		return view{sent, got}
	default:
		return view{Got: got}
	}
}

// upstream answers each connection's first request with the same bytes.
type upstream struct {
	addr string
	saw  chan message
}

func newUpstream(t *testing.T, answer string) *upstream {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	u := &upstream{ln.Addr().String(), make(chan message, 8)}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go u.serve(conn, answer)
		}
	}()
	return u
}

// resetting marks an answer after which the upstream resets the connection.
const resetting = "\x00reset"

func (u *upstream) serve(conn net.Conn, answer string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	early, rest, found := strings.Cut(answer, continued)
	if found {
		_, _ = in.Peek(1) // an answer before any request is none
		_, _ = io.WriteString(conn, early+continued)
		answer = rest
	}
	m, err := readMessage(in, "")
	if err != nil {
		return
	}
	u.saw <- m
	answer, reset := strings.CutSuffix(answer, resetting)
	_, _ = io.WriteString(conn, answer)
	if reset {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
}

const continued = "HTTP/1.1 100 Continue\r\n\r\n"

// forwarding are the modes that forward, each behind a door.
func forwarding(t *testing.T, to string, tp *tape) map[string]http.RoundTripper {
	t.Helper()
	transport := proxy.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	route := proxy.Route{Upstreams: upstreams(t, "http://"+to), Transport: transport}
	pass, err := proxy.NewPass(proxy.PassOptions{Route: route, Cleaner: newUncleaned(t)})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]http.RoundTripper{
		"pass": pass,
		"record": recorder(t, transport, tp, func(o *proxy.RecordOptions) {
			o.Route = route
		}),
	}
}

func TestFidelity(t *testing.T) {
	t.Parallel()
	for _, k := range talks() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, k.answer)
			direct, tp := k.hold(t, u.addr, u), &tape{}
			for name, mode := range forwarding(t, u.addr, tp) {
				addr, stop := serving(t, proxy.NewDoor(mode, nil))
				if diff := cmp.Diff(direct, k.hold(t, addr, u)); diff != "" {
					t.Errorf("%s differs from a direct call (-direct +deck):\n%s", name, diff)
				}
				stop()
			}
			if len(u.saw) > 0 {
				t.Error("the upstream saw more requests than the client sent")
			}
			x := tp.only(t)
			if x.Request.Body != direct.Sent.Body || x.Response.Body != direct.Got.Body {
				t.Errorf("on tape: %q and %q", x.Request.Body, x.Response.Body)
			}
			if cut := x.Meta.Failure != ""; cut != (direct.Got.Cut || direct.Sent.Cut) {
				t.Errorf("failure on tape: %q", x.Meta.Failure)
			}
		})
	}
}
