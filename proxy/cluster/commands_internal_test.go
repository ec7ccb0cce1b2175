package cluster

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// newTestNATS starts a real server, or skips the test where there is none.
func newTestNATS(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("nats-server"); err != nil {
		t.Skip("nats-server is not installed: apt-get install nats-server")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	_ = ln.Close()
	cmd := exec.Command("nats-server", "-a", "127.0.0.1", "-p", port, "-js", "-sd", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() })
	for range 500 {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return "nats://" + address
		}
		time.Sleep(10 * time.Millisecond) // another process: there is nothing to wait for
	}
	t.Fatal("nats-server does not start")
	return ""
}

// testDeck is a deck whose sessions tell how many requests they have served, and what they obeyed.
type testDeck struct {
	http.Handler
	mu     sync.Mutex // guards the rest
	heard  []string
	warned []string
	serve  func(r *Request) // may panic
	waits  bool             // something waits to go out
}

func (d *testDeck) Open(_ string, generation uint64) Session {
	return &testSession{deck: d, served: int(100 * generation)}
}

func (d *testDeck) Command(command []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heard = append(d.heard, string(command))
}

func (d *testDeck) Inquired(question []byte) []byte { return append([]byte("asked "), question...) }

func (d *testDeck) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heard = nil
}

func (d *testDeck) warn(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.warned = append(d.warned, text)
}

type testSession struct {
	deck   *testDeck
	served int
	before int // a reset
	got    int // answers that were delivered
	obeyed []string
}

func (s *testSession) Serve(r *Request, _ time.Time, _ bool) *Served {
	s.served++
	if s.deck.serve != nil {
		s.deck.serve(r)
	}
	text := fmt.Sprint(s.served, s.obeyed)
	if strings.HasSuffix(r.Target, "/got") {
		text = fmt.Sprint(s.got)
	}
	if strings.HasSuffix(r.Target, "/before") {
		text = fmt.Sprint(s.before)
	}
	a := &Answer{answerFields: answerFields{Code: 200, Pieces: []Piece{{Data: []byte(text)}}}}
	return &Served{Answer: a, Delivered: func() { s.got++ }}
}

// Obey takes "reset" for one: the session has served nothing then, and keeps how much that was.
func (s *testSession) Obey(nth int) (reset bool) {
	s.deck.mu.Lock()
	defer s.deck.mu.Unlock()
	if nth >= len(s.deck.heard) {
		return false // it was forgotten
	}
	command := s.deck.heard[nth]
	s.obeyed = append(s.obeyed, command)
	if command == "reset" {
		s.before, s.served = s.before+s.served, 0
	}
	return command == "reset"
}

func (s *testSession) Remains() []byte { return []byte(strconv.Itoa(s.before)) }

func (s *testSession) Recall(left []byte) (err error) {
	s.before, err = strconv.Atoi(string(left))
	return err
}

func (s *testSession) Advance(time.Time, bool) {}
func (s *testSession) Begun(string) bool       { return true }
func (s *testSession) Resume()                 {}
func (s *testSession) Idle() bool              { return !s.deck.waits }
func (s *testSession) Close()                  {}

// newTestNode starts a deck at a server.
func newTestNode(t *testing.T, servers string) (*Node, *testDeck) {
	t.Helper()
	return newLeasedNode(t, servers, time.Second)
}

// newLeasedNode starts a deck whose claims last for a lease, and which gives up an append after it.
func newLeasedNode(t *testing.T, servers string, lease time.Duration) (*Node, *testDeck) {
	t.Helper()
	d := &testDeck{}
	n, err := Join(t.Context(), Options{
		Servers: servers, Key: bytes.Repeat([]byte{1}, LeastKey), Lease: lease, Warn: d.warn,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	if err := n.Start(t.Context(), Start{Deck: d, Now: time.Now, At: "http://deck.test"}); err != nil {
		t.Fatal(err)
	}
	return n, d
}

// asked has a node answer a request that is like no other, and returns the body.
func asked(t *testing.T, n *Node, id string) string {
	t.Helper()
	a, _, err := n.ask(t.Context(), &Request{requestFields: requestFields{
		ID: id, Method: "POST", Target: "/", Body: []byte(id),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Pieces) == 0 {
		return ""
	}
	return string(a.Pieces[0].Data)
}

// TestCommandsHaveOneName has a deck take a session over that has not heard a command of which the log
// tells, and skips a command that nobody can open.
func TestCommandsHaveOneName(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, d := newTestNode(t, servers)
	bad := nats.NewMsg(first.commandSubject())
	bad.Data = []byte("nobody has sealed this")
	if _, err := first.bus.js.PublishMsg(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	second, _ := newTestNode(t, servers)
	second.commands.mu.Lock() // it hears nothing from now on
	for _, c := range []string{"one", "two"} {
		if err := first.Command(t.Context(), []byte(c)); err != nil {
			t.Fatal(err)
		}
	}
	if got := asked(t, first, "a"); got != "1 [one two]" {
		t.Fatal(got)
	}
	if d.mu.Lock(); len(d.warned) != 1 || !strings.Contains(d.warned[0], "skipped") {
		t.Errorf("warned of %q", d.warned)
	}
	d.mu.Unlock()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second.commands.mu.Unlock()
	if got := asked(t, second, "b"); got != "2 [one two]" {
		t.Errorf("taken over: %s", got)
	}
	if err := second.know(t.Context(), second.commands.last()+1); err == nil {
		t.Error("a command that NATS does not have is known")
	}
	large := make([]byte, 2<<20)
	if err := second.Command(t.Context(), large); err == nil {
		t.Error("a command is told that expires")
	}
	said, err := second.bus.said.Info(context.Background())
	if err != nil || said.Config.MaxAge != 0 || said.Config.Retention != jetstream.LimitsPolicy {
		t.Errorf("commands expire: %v %v", said, err)
	}
}
