package socket_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy/internal/socket"
)

// pair returns the two ends of a TCP connection.
func pair(t testing.TB) (near, far *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	dialled, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dialled.Close(); accepted.Close() })
	return dialled.(*net.TCPConn), accepted.(*net.TCPConn)
}

// outcome is what one call came to, whatever the addresses are.
type outcome struct {
	N                                   int
	Text                                string
	Op, Net                             string
	Addresses                           bool
	EOF, Closed, Late, Timeout, Syscall bool
	Errno                               syscall.Errno
}

func outcomeOf(conn net.Conn, n int, err error) outcome {
	x := outcome{
		N: n, EOF: err == io.EOF, Closed: errors.Is(err, net.ErrClosed),
		Late: errors.Is(err, os.ErrDeadlineExceeded),
	}
	var op *net.OpError
	if errors.As(err, &op) {
		x.Op, x.Net, x.Timeout = op.Op, op.Net, op.Timeout()
		x.Addresses = op.Source.String() == conn.LocalAddr().String() &&
			op.Addr.String() == conn.RemoteAddr().String()
		x.Text = op.Err.Error()
	}
	var call *os.SyscallError
	x.Syscall = errors.As(err, &call)
	errors.As(err, &x.Errno)
	return x
}

// Each case is played on a connection of package net and on one of this package: both must do the same.
var cases = map[string]func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome{
	"what comes is read": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		_, _ = io.WriteString(far, "abc")
		b := make([]byte, 2)
		n, err := conn.Read(b)
		m, err2 := conn.Read(b)
		return []outcome{outcomeOf(conn, n, err), outcomeOf(conn, m, err2)}
	},
	"nothing is asked for": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		n, err := conn.Read(nil)
		m, err2 := conn.Write(nil)
		return []outcome{outcomeOf(conn, n, err), outcomeOf(conn, m, err2)}
	},
	"the other side ends": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		_ = far.CloseWrite()
		n, err := conn.Read(make([]byte, 1))
		m, err2 := conn.Write([]byte("still"))
		return []outcome{outcomeOf(conn, n, err), outcomeOf(conn, m, err2)}
	},
	"the other side resets": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		_ = far.SetLinger(0)
		_ = far.Close()
		n, err := conn.Read(make([]byte, 1))
		m, err2 := conn.Write([]byte("late"))
		return []outcome{outcomeOf(conn, n, err), outcomeOf(conn, m, err2)}
	},
	"the deadline has passed": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		_ = conn.SetDeadline(time.Unix(1, 0))
		n, err := conn.Read(make([]byte, 1))
		m, err2 := conn.Write([]byte("late"))
		_ = conn.SetDeadline(time.Time{})
		k, err3 := conn.Write([]byte("now"))
		return []outcome{outcomeOf(conn, n, err), outcomeOf(conn, m, err2), outcomeOf(conn, k, err3)}
	},
	"the deadline passes": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
		n, err := conn.Read(make([]byte, 1))
		return []outcome{outcomeOf(conn, n, err)}
	},
	"the connection is closed": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		_ = conn.Close()
		n, err := conn.Read(make([]byte, 1))
		m, err2 := conn.Write([]byte("x"))
		return []outcome{outcomeOf(conn, n, err), outcomeOf(conn, m, err2)}
	},
	"it is closed while somebody reads": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		read := make(chan outcome)
		_, _ = far.Write([]byte("x"))
		go func() {
			_, _ = conn.Read(make([]byte, 1))
			read <- outcome{}
			n, err := conn.Read(make([]byte, 1))
			read <- outcomeOf(conn, n, err)
		}()
		<-read
		_ = conn.Close()
		return []outcome{<-read}
	},
	"nobody reads what is written": func(t *testing.T, conn net.Conn, far *net.TCPConn) []outcome {
		go func() {
			_, _ = far.Read(make([]byte, 1)) // something is written
			_ = conn.SetWriteDeadline(time.Unix(1, 0))
		}()
		n, err := conn.Write(make([]byte, 64<<20))
		x := outcomeOf(conn, 0, err)
		if n <= 0 || n >= 64<<20 {
			t.Errorf("%d bytes of a write that failed", n)
		}
		return []outcome{x}
	},
}

func TestOf(t *testing.T) {
	t.Parallel()
	for name, play := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain, far := pair(t)
			want := play(t, plain, far)
			own, far := pair(t)
			got := play(t, socket.Of(own), far)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("a connection of net and one of this package (-want +got):\n%s", diff)
			}
		})
	}
}

// All that is written comes, in its order, both ways at once and through small buffers.
func TestOfCarriesAll(t *testing.T) {
	t.Parallel()
	near, far := pair(t)
	_ = near.SetWriteBuffer(4 << 10)
	_ = far.SetWriteBuffer(4 << 10)
	text := make([]byte, 3<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(text)
	var both sync.WaitGroup
	for _, conn := range []net.Conn{socket.Of(near), socket.Of(far)} {
		both.Go(func() {
			for rest := text; len(rest) > 0; {
				n := min(len(rest), 1+len(rest)/3)
				if _, err := conn.Write(rest[:n]); err != nil {
					t.Error(err)
					return
				}
				rest = rest[n:]
			}
		})
		both.Go(func() {
			got := make([]byte, len(text))
			if _, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, text) {
				t.Errorf("other bytes came than were written, or too few: %v", err)
			}
		})
	}
	both.Wait()
}

// Writes of several goroutines do not get into each other.
func TestOfByMany(t *testing.T) {
	t.Parallel()
	near, far := pair(t)
	conn := socket.Of(near)
	const writers, times = 8, 50
	var all sync.WaitGroup
	for i := range writers {
		line := strings.Repeat(string(rune('a'+i)), 10_000) + "\n"
		all.Go(func() {
			for range times {
				if _, err := io.WriteString(conn, line); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { all.Wait(); _ = near.CloseWrite() }()
	got, err := io.ReadAll(socket.Of(far))
	if err != nil || len(got) != writers*times*10_001 {
		t.Fatalf("%d bytes and %v", len(got), err)
	}
	for line := range bytes.Lines(got) {
		if len(line) != 10_001 || strings.Trim(string(line), string(line[:1])+"\n") != "" {
			t.Fatalf("a line of %d bytes is of several writers", len(line))
		}
	}
}

// What is no TCP connection stays as it is, and a TCP connection keeps its other methods.
func TestOfKeeps(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if socket.Of(a) != a {
		t.Error("a pipe has become something else")
	}
	near, _ := pair(t)
	conn := socket.Of(near)
	for what, ok := range map[string]bool{
		"CloseWrite": is[interface{ CloseWrite() error }](conn), "SetLinger": is[interface{ SetLinger(int) error }](conn),
		"SyscallConn": is[syscall.Conn](conn),
	} {
		if !ok {
			t.Errorf("a TCP connection has no %s any more", what)
		}
	}
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// A Read and a Write make no garbage.
func TestOfAllocs(t *testing.T) {
	near, far := pair(t)
	a, b := socket.Of(near), socket.Of(far)
	p := make([]byte, 100)
	if n := testing.AllocsPerRun(100, func() {
		_, _ = a.Write(p)
		_, _ = b.Read(p)
	}); n > 0 {
		t.Errorf("%v allocations for a write and a read", n)
	}
}
