package natsconn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/net/nettest"
)

// wire carries messages within a test, and may lose them.
type wire struct {
	mu    sync.Mutex // guards the rest
	subs  map[string]chan message
	fate  func(subject string, data []byte) (copies int)
	away  bool // nothing can be sent
	count int
}

type message struct {
	data   []byte
	answer func([]byte)
}

var errAway = errors.New("nothing carries messages")

func newWire() *wire { return &wire{subs: map[string]chan message{}} }

func (w *wire) Publish(subject string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away {
		return errAway
	}
	w.count++
	copies := 1
	if w.fate != nil {
		copies = w.fate(subject, data)
	}
	if to := w.subs[subject]; to != nil {
		for range copies {
			to <- message{data: bytes.Clone(data)}
		}
	}
	return nil
}

func (w *wire) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	w.mu.Lock()
	to := w.subs[subject]
	away := w.away
	w.mu.Unlock()
	if to == nil || away {
		return nil, errAway
	}
	answered := make(chan []byte, 1)
	to <- message{data, func(answer []byte) { answered <- answer }}
	select {
	case answer := <-answered:
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *wire) Subscribe(subject string, f func([]byte, func([]byte))) (func(), error) {
	queue := make(chan message, 1<<16)
	done := make(chan struct{})
	w.mu.Lock()
	w.subs[subject] = queue
	w.mu.Unlock()
	go func() {
		for {
			select {
			case m := <-queue:
				f(m.data, m.answer)
			case <-done:
				return
			}
		}
	}()
	return func() {
		w.mu.Lock()
		delete(w.subs, subject)
		w.mu.Unlock()
		close(done)
	}, nil
}

func (w *wire) Largest() int { return 1 << 20 }

func (w *wire) set(away bool) {
	w.mu.Lock()
	w.away = away
	w.mu.Unlock()
}

func (w *wire) lose(fate func(subject string, data []byte) int) {
	w.mu.Lock()
	w.fate = fate
	w.mu.Unlock()
}

var testKey = bytes.Repeat([]byte("k"), 32)

// pair returns both sides of a connection over something that carries messages.
func pair(t testing.TB, m Messages, silence time.Duration) (near, far *Conn) {
	t.Helper()
	near, far, stop := dialled(t, m, silence)
	t.Cleanup(stop)
	return near, far
}

func dialled(t testing.TB, m Messages, silence time.Duration) (near, far *Conn, stop func()) {
	t.Helper()
	taken := make(chan *Conn, 1)
	a := endpoint(t, Options{Messages: m, Name: "a", Silence: silence})
	b := endpoint(t, Options{
		Messages: m, Name: "b", Silence: silence,
		Take: func(c *Conn) bool { taken <- c; return true },
	})
	near, err := a.Dial(t.Context(), "b", Head{"door", "10.0.0.9:4711", "10.0.0.1:80"})
	if err != nil {
		t.Fatal(err)
	}
	return near, <-taken, func() { _, _ = a.Close(), b.Close() }
}

func endpoint(t testing.TB, o Options) *Endpoint {
	t.Helper()
	o.Prefix = "test"
	if o.Key == nil {
		o.Key = testKey
	}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestConn has a connection do what net.Conn promises.
func TestConn(t *testing.T) {
	t.Parallel()
	nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
		near, far, stop := dialled(t, newWire(), time.Minute)
		return near, far, func() { _, _ = near.Close(), far.Close(); stop() }, nil
	})
}

// TestConnOverNATS is TestConn with a server.
func TestConnOverNATS(t *testing.T) {
	t.Parallel()
	one := overServer(t)
	nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
		near, far, stop := dialled(t, one, time.Minute)
		return near, far, func() { _, _ = near.Close(), far.Close(); stop() }, nil
	})
}

// overServer returns messages over a server of NATS, which runs until the test ends.
func overServer(t *testing.T) Messages {
	t.Helper()
	if _, err := exec.LookPath("nats-server"); err != nil {
		t.Skip("nats-server is not installed: apt-get install nats-server")
	}
	dir := t.TempDir()
	cmd := exec.Command("nats-server", "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() })
	for range 500 {
		found, _ := filepath.Glob(filepath.Join(dir, "*.ports"))
		if len(found) == 1 {
			if conn, err := nats.Connect(portOf(t, found[0])); err == nil {
				t.Cleanup(conn.Close)
				return OverNATS(conn)
			}
		}
		time.Sleep(10 * time.Millisecond) // another process: there is nothing to wait for
	}
	t.Fatal("nats-server does not start")
	return nil
}

// TestBytesArriveAsSent sends random amounts in both directions, and reads them in others.
func TestBytesArriveAsSent(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		near, far := pair(t, newWire(), time.Minute)
		var work sync.WaitGroup
		for i, way := range []struct{ from, to *Conn }{{near, far}, {far, near}} {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			sent := make([]byte, r.IntN(3<<20))
			for j := range sent {
				sent[j] = byte(r.Uint32())
			}
			work.Go(func() {
				for rest := sent; len(rest) > 0; {
					n := min(len(rest), 1+r.IntN(100<<10))
					if _, err := way.from.Write(rest[:n]); err != nil {
						t.Error(err)
						return
					}
					rest = rest[n:]
				}
				if err := way.from.CloseWrite(); err != nil {
					t.Error(err)
				}
			})
			read := rand.New(rand.NewPCG(seed, uint64(i)+10))
			work.Go(func() {
				var got []byte
				for {
					p := make([]byte, 1+read.IntN(64<<10))
					n, err := way.to.Read(p)
					got = append(got, p[:n]...)
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
				if !bytes.Equal(got, sent) {
					t.Errorf("seed %d: %d bytes were sent, and %d others came", seed, len(sent), len(got))
				}
			})
		}
		work.Wait()
	}
}

// TestAHoleEndsTheConnection loses one frame: what comes is the beginning of what was sent, and then an
// error.
func TestAHoleEndsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for lost := range 12 {
			w := newWire()
			near, far, stop := dialled(t, w, time.Second)
			n := 0
			w.lose(func(subject string, _ []byte) int {
				if subject != "test.frame.b" {
					return 1
				}
				if n++; n == lost+1 {
					return 0
				}
				return 1
			})
			sent := make([]byte, 10*maxChunk)
			for i := range sent {
				sent[i] = byte(i >> 8)
			}
			go func() {
				_, _ = near.Write(sent)
				_ = near.CloseWrite()
			}()
			got, err := io.ReadAll(far)
			if !bytes.HasPrefix(sent, got) {
				t.Fatalf("lost %d: other bytes came than were sent", lost)
			}
			if lost < 11 && (err == nil || len(got) > lost*maxChunk) {
				t.Errorf("lost %d: %d bytes, %v", lost, len(got), err)
			}
			if lost < 11 {
				near.SetReadDeadline(time.Now().Add(10 * time.Second))
				if _, err := near.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("lost %d: the other side got %v", lost, err)
				}
			}
			stop()
		}
	})
}

// TestLossWithoutMoreIsSeen loses the last frame: the beat behind it shows that.
func TestLossWithoutMoreIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		near, far, stop := dialled(t, w, time.Second)
		defer stop()
		lost := false
		w.lose(func(subject string, _ []byte) int {
			if subject == "test.frame.b" && !lost {
				lost = true
				return 0
			}
			return 1
		})
		if _, err := near.Write([]byte("GET / HTTP/1.1\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if _, err := far.Read(make([]byte, 1)); !errors.Is(err, errLost) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("that took %v", took)
		}
	})
}

// TestFramesComeOnce has all frames come three times.
func TestFramesComeOnce(t *testing.T) {
	t.Parallel()
	w := newWire()
	near, far := pair(t, w, time.Minute)
	w.lose(func(string, []byte) int { return 3 })
	sent := bytes.Repeat([]byte("0123456789"), 100_000)
	go func() {
		_, _ = near.Write(sent)
		_ = near.Close()
	}()
	if got, err := io.ReadAll(far); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

// TestSilence cuts the wire for shorter and longer than the time of silence.
func TestSilence(t *testing.T) {
	for _, test := range []struct {
		name string
		away time.Duration
		want error
	}{
		{"short", 600 * time.Millisecond, nil},
		{"long", 2 * time.Second, errSilent},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire()
				near, far, stop := dialled(t, w, time.Second)
				defer stop()
				time.Sleep(5 * time.Second) // simulated: an idle connection lives
				w.set(true)
				time.AfterFunc(test.away, func() { w.set(false) })
				_, err := near.Write([]byte("hello"))
				if !errors.Is(err, test.want) {
					t.Errorf("writing: got %v, want %v", err, test.want)
				}
				p := make([]byte, 5)
				n, err := io.ReadFull(far, p)
				if !errors.Is(err, test.want) || err == nil && string(p[:n]) != "hello" {
					t.Errorf("reading: got %q, %v, want %v", p[:n], err, test.want)
				}
			})
		})
	}
}

// TestWindow has nobody read: no more than a window is sent.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := pair(t, newWire(), time.Minute)
		if err := near.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		n, err := near.Write(make([]byte, 10*window))
		var timeout net.Error
		if n != window || !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("wrote %d of %d bytes, %v", n, window, err)
		}
		_ = near.SetWriteDeadline(time.Time{})
		go func() {
			_, _ = near.Write([]byte("more"))
			_ = near.Close()
		}()
		if got, err := io.ReadAll(far); err != nil || len(got) != window+4 {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
}

// TestReset is seen at the other side, and no end in order.
func TestReset(t *testing.T) {
	t.Parallel()
	near, far := pair(t, newWire(), time.Minute)
	if err := far.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	_, _ = far.Write([]byte("half an ans"))
	_ = far.Close()
	if _, err := io.ReadAll(near); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v", err)
	}
}

// TestDrain closes what is idle, and waits for what is not.
func TestDrain(t *testing.T) {
	t.Parallel()
	near, far := pair(t, newWire(), time.Minute)
	far.Idle(false)
	drained := make(chan struct{})
	go func() { near.endpoint.Drain(t.Context()); close(drained) }()
	_, _ = far.Write([]byte("answer"))
	far.Idle(true)
	if got, err := io.ReadAll(near); err != nil || string(got) != "answer" {
		t.Errorf("got %q, %v", got, err)
	}
	_ = near.Close()
	<-drained
}

// TestRefused dials who takes nothing, who has another key, and whoever is not there.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		a := endpoint(t, Options{Messages: w, Name: "a", Silence: time.Second})
		all := []*Endpoint{
			a,
			endpoint(t, Options{Messages: w, Name: "none", Silence: time.Second}),
			endpoint(t, Options{Messages: w, Name: "not", Silence: time.Second,
				Take: func(*Conn) bool { return false }}),
			endpoint(t, Options{Messages: w, Name: "foreign", Silence: time.Second,
				Key: bytes.Repeat([]byte("f"), 32), Take: func(*Conn) bool { return true }}),
		}
		for name, want := range map[string]error{
			"none": ErrRefused, "not": ErrRefused, "foreign": context.DeadlineExceeded, "away": errAway,
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if c, err := a.Dial(ctx, name, Head{}); c != nil || !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", name, err, want)
			}
			cancel()
		}
		for _, e := range all {
			if n := len(e.all()); n > 0 {
				time.Sleep(3 * time.Second) // simulated: what was begun is forgotten
				if n = len(e.all()); n > 0 {
					t.Errorf("%s has %d connections", e.options.Name, n)
				}
			}
			_ = e.Close()
		}
	})
}

// TestRecordedMessages are sent again by whoever has heard them: nothing is taken, and nothing arrives.
func TestRecordedMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		var heard []message
		w.lose(func(subject string, data []byte) int {
			if subject == "test.frame.b" {
				heard = append(heard, message{data: bytes.Clone(data)})
			}
			return 1
		})
		took := 0
		b := endpoint(t, Options{Messages: w, Name: "b", Silence: time.Second, Take: func(c *Conn) bool {
			took++
			go func() { _, _ = io.Copy(io.Discard, c) }()
			return true
		}})
		defer b.Close()
		a := endpoint(t, Options{Messages: w, Name: "a", Silence: time.Second})
		o := opening{From: "a", ID: connID{1}}
		asked, _ := a.sealer.seal(a.openSubject("b"), o)
		near, err := a.Dial(t.Context(), "b", Head{})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = near.Write([]byte("POST /payment"))
		_ = near.Close()
		_ = a.Close()
		synctest.Wait()
		w.lose(nil)
		for range 3 {
			_, _ = w.Request(t.Context(), "test.open.b", asked)
			for _, m := range heard {
				_ = w.Publish("test.frame.b", m.data)
			}
		}
		synctest.Wait()
		if took != 1 {
			t.Errorf("%d connections were taken", took)
		}
	})
}

// TestAddresses are those of the client.
func TestAddresses(t *testing.T) {
	t.Parallel()
	_, far := pair(t, newWire(), time.Minute)
	if far.Address() != "door" || far.RemoteAddr().String() != "10.0.0.9:4711" ||
		far.LocalAddr().String() != "10.0.0.1:80" || far.LocalAddr().Network() != "tcp" {
		t.Errorf("got %s, %s, %s", far.Address(), far.RemoteAddr(), far.LocalAddr())
	}
}

// FuzzFrames gives a connection any frames, sealed with its key: it never panics, never has more than a
// window, and fails for good.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("d\x00\x03abc"), false)
	f.Add([]byte("b\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00"), true)
	f.Add([]byte("e\x00\x00d\x00\x01x"), false)
	f.Add([]byte("q\x00\x00c\x00\x00a\x00\x00"), false)
	f.Fuzz(func(t *testing.T, script []byte, raw bool) {
		s, err := newSealer(testKey)
		if err != nil {
			t.Fatal(err)
		}
		e := &Endpoint{options: Options{Messages: newWire()}, sealer: s, conns: map[connID]*Conn{}}
		c := e.newConn(opening{}, "x")
		if c.in, c.out, err = s.keys(opening{}, salt{}); err != nil {
			t.Fatal(err)
		}
		e.add(c)
		e.receive(script, nil)
		for sequence := uint64(0); len(script) >= 3; sequence++ {
			kind, n := script[0], min(int(script[1])<<8|int(script[2]), len(script)-3)
			payload := script[3 : 3+n]
			script = script[3+n:]
			data := sealFrame(c.in, c.id, sequence, frame{kind, sequence, payload})
			if raw && len(payload) > 0 {
				data[len(data)-1] ^= payload[0] // perhaps forged
			}
			failed := c.err
			e.receive(data, nil)
			if len(c.unread) > window {
				t.Fatalf("%d bytes wait", len(c.unread))
			}
			if failed != nil && c.err != failed {
				t.Fatalf("the connection had %v, and has %v", failed, c.err)
			}
		}
	})
}

// portOf returns the address in a file of ports.
func portOf(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "nats://")
	at, _, _ := strings.Cut(rest, `"`)
	return "nats://" + at
}
