package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/lines"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
)

// deafDeck is a process that replays, and nobody reads what it has to say.
type deafDeck struct {
	*testing.T
	cmd    *exec.Cmd
	at     string   // its address
	stderr *os.File // where somebody could read; closed at the end
}

// startDeaf starts one that replays the stories.
func startDeaf(t *testing.T) *deafDeck {
	t.Helper()
	tapes, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	file := filepath.Join(t.TempDir(), "ready")
	d := &deafDeck{T: t, stderr: reader, cmd: exec.Command("paytape", "replay", "--dir", tapes,
		"--listen", "127.0.0.1:0", "--log-level", "info", "--ready-file", file, "stories")}
	d.cmd.Stderr = writer
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	writer.Close()
	d.at = proxyIn(t, file)
	return d
}

// proxyIn waits for a ready file, and returns the URL of the deck.
func proxyIn(t *testing.T, file string) string {
	t.Helper()
	var at ready
	there := eventually(func() bool {
		data, err := os.ReadFile(file)
		return err == nil && json.Unmarshal(data, &at) == nil && at.Proxy != ""
	})
	if !there {
		t.Fatal("it does not serve")
	}
	return at.Proxy
}

// deafRequests are more than what a pipe and a deck hold of lines about them.
const deafRequests = 2 * lines.MaxHeld / 256

// miss sends so many requests that are misses, each of which the deck has something to say about.
func (d *deafDeck) miss(count int) {
	d.Helper()
	var clients sync.WaitGroup
	for c := range payers {
		clients.Go(func() {
			transport := plainTransport()
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}
			for n := c; n < count; n += payers {
				res, err := client.Get(fmt.Sprintf("%s/nothing/of/the/kind/%d", d.at, n))
				if err != nil {
					d.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if res.StatusCode != http.StatusNotImplemented {
					d.Errorf("status %d", res.StatusCode)
				}
			}
		})
	}
	clients.Wait()
}

var lostLines = regexp.MustCompile(`level=WARN msg=unlogged (?:lines|events)=(\d+)\n`)

// TestABlockedStderrHoldsUpNobody serves more requests than the log can hold lines about, while
// nobody reads stderr. When somebody does, each request has its line or is counted.
func TestABlockedStderrHoldsUpNobody(t *testing.T) {
	t.Parallel()
	d := startDeaf(t)
	d.miss(deafRequests)
	said, lost := bufio.NewReader(d.stderr), 0
	missed := 0
	for missed+lost < deafRequests {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatalf("%d lines and %d lost of %d requests: %v", missed, lost, deafRequests, err)
		}
		if m := lostLines.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			lost += n
		}
		missed += strings.Count(line, "msg=missed")
	}
	if missed+lost != deafRequests || lost == 0 {
		t.Errorf("%d lines and %d lost of %d requests", missed, lost, deafRequests)
	}
	d.miss(1)
	if line, err := said.ReadString('\n'); !strings.Contains(line, "msg=missed") {
		t.Errorf("after that it says %q, %v", line, err)
	}
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(said); !bytes.Contains(rest, []byte("msg=summary")) {
		t.Errorf("at the end it says %q", rest)
	}
	if err := d.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestABlockedStderrDoesNotKeepTheProcess ends a deck to which nobody listens.
func TestABlockedStderrDoesNotKeepTheProcess(t *testing.T) {
	t.Parallel()
	d := startDeaf(t)
	d.miss(deafRequests)
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Wait(); err != nil { // it would hang for ever
		t.Error(err)
	}
}

// TestTheLogIsWholeAtTheEnd closes a hub right after its last event: each event has its line, or is
// one of those that the hub had no room for.
func TestTheLogIsWholeAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		room, lost int
	}{{"with room", 100, 0}, {"overtaken", 10, 90}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			stderr := lines.New(&got)
			log, err := newLog("info", logText, stderr)
			if err != nil {
				t.Fatal(err)
			}
			at := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
			h := hub.New(hub.Options{Events: test.room, Now: func() time.Time { return at }})
			for n := range 100 {
				h.Publish(proxy.Event{Kind: proxy.Served, Number: n + 1})
			}
			h.Close()
			<-follow(log, h)
			stderr.Close()
			served := strings.Count(got.String(), "time=2031-05-17T09:30:00.000Z level=INFO msg=served")
			if served != 100-test.lost || !strings.Contains(got.String(), "number=100\n") {
				t.Errorf("%d lines of 100:\n%s", served, &got)
			}
			lost := 0
			if m := lostLines.FindStringSubmatch(got.String()); m != nil {
				lost, _ = strconv.Atoi(m[1])
			}
			if lost != test.lost {
				t.Errorf("%d are counted, want %d", lost, test.lost)
			}
		})
	}
}

// BenchmarkLine logs an answer to a file: at once, and as a busy deck does.
func BenchmarkLine(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	event := proxy.Event{
		Kind: proxy.Served, Number: 3, Cassette: "tape", Flow: 7, State: "register.do",
		Profile: "gateway", Operation: "register.do", Code: 200, Took: 123 * time.Microsecond,
	}
	for name, w := range map[string]io.Writer{"at_once": file, "soon": lines.New(file)} {
		log, err := newLog("info", logText, w)
		if err != nil {
			b.Fatal(err)
		}
		observe := observer(log)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				observe(event)
			}
		})
	}
}
