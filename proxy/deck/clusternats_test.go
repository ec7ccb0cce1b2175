package deck_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// natsServer is a real server of NATS with JetStream, as Debian has it.
type natsServer struct {
	port int
	dir  string

	mu  sync.Mutex // guards cmd
	cmd *exec.Cmd  // nil while it is stopped
}

// newNATS starts a server, or skips the test where there is none.
func newNATS(t *testing.T) *natsServer {
	t.Helper()
	if _, err := exec.LookPath("nats-server"); err != nil {
		t.Skip("nats-server is not installed: apt-get install nats-server")
	}
	s := &natsServer{port: freePort(t), dir: t.TempDir()}
	s.start(t)
	t.Cleanup(s.stop)
	return s
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

func (s *natsServer) address() string { return "127.0.0.1:" + strconv.Itoa(s.port) }

// start starts the server and waits until it answers.
func (s *natsServer) start(t *testing.T) {
	t.Helper()
	var log bytes.Buffer
	cmd := exec.Command("nats-server", "-a", "127.0.0.1", "-p", strconv.Itoa(s.port), "-js", "-sd", s.dir)
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.cmd = cmd
	s.mu.Unlock()
	for range 500 {
		if conn, err := net.Dial("tcp", s.address()); err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(10 * time.Millisecond) // another process: there is nothing to wait for
	}
	t.Fatalf("nats-server does not start:\n%s", log.String())
}

// stop stops the server, which keeps what it has on disk.
func (s *natsServer) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// network is the way from a deck to NATS, which can be cut.
type network struct {
	ln net.Listener
	to string

	mu    sync.Mutex // guards the rest
	cut   bool
	conns map[net.Conn]bool
}

func newNetwork(t *testing.T, to string) *network {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{ln: ln, to: to, conns: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = ln.Close(); n.set(true) })
	go n.serve()
	return n
}

func (n *network) serve() {
	for {
		conn, err := n.ln.Accept()
		if err != nil {
			return
		}
		go n.pass(conn)
	}
}

// pass passes bytes on in both directions until the network is cut.
func (n *network) pass(conn net.Conn) {
	far, err := net.Dial("tcp", n.to)
	if err != nil {
		_ = conn.Close()
		return
	}
	n.mu.Lock()
	if n.cut {
		n.mu.Unlock()
		_, _ = conn.Close(), far.Close()
		return
	}
	n.conns[conn], n.conns[far] = true, true
	n.mu.Unlock()
	end := func() { _, _ = conn.Close(), far.Close() }
	go func() { defer end(); _, _ = io.Copy(far, conn) }()
	defer end()
	_, _ = io.Copy(conn, far)
}

// set cuts the network, or heals it.
func (n *network) set(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
	if cut {
		for conn := range n.conns {
			_ = conn.Close()
		}
		n.conns = map[net.Conn]bool{}
	}
}

func (n *network) address() string { return n.ln.Addr().String() }

// process is a test binary that does something else than test.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
}

// kill ends a process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	_ = p.stdin.Close()
}

// startProcess starts this test binary with a test and a variable, and waits for a line.
func startProcess(t *testing.T, test, variable, value string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), variable+"="+value)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd, stdin}
	line := make([]byte, 8)
	if _, err := io.ReadFull(stdout, line); err != nil || string(line) != "serving\n" {
		rest, _ := io.ReadAll(stdout)
		p.kill()
		t.Fatalf("the process does not serve: %s%s", line, rest)
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return p
}
