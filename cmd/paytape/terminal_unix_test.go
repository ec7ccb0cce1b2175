//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// ttyProcess is a paytape at a terminal.
type ttyProcess struct {
	*testing.T
	cmd  *exec.Cmd
	ends chan struct{} // closed when nothing more is shown

	mu    sync.Mutex // guards shown
	shown bytes.Buffer
}

// startAtTTY starts paytape at a terminal of some columns, with variables beside or in place of those of
// the test.
func startAtTTY(t *testing.T, columns int, variables []string, args ...string) *ttyProcess {
	t.Helper()
	p := &ttyProcess{T: t, cmd: exec.Command("paytape", args...), ends: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "CI=", "NO_COLOR=1", "TERM=xterm", "GORACE=atexit_sleep_ms=0")
	p.cmd.Env = append(p.cmd.Env, variables...)
	terminal, err := pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 40, Cols: uint16(columns)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = terminal.Close()
	})
	go func() {
		defer close(p.ends)
		_, _ = io.Copy(p, terminal) // reading fails when the process has gone
	}()
	return p
}

func (p *ttyProcess) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.Write(b)
}

func (p *ttyProcess) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.ReplaceAll(p.shown.String(), "\r\n", "\n")
}

// awaitText waits until something is shown.
func (p *ttyProcess) awaitText(text string) {
	p.Helper()
	if !eventually(func() bool { return strings.Contains(p.text(), text) }) {
		p.Fatalf("%q does not come:\n%s", text, p.text())
	}
}

// interrupt ends the process, and returns all that was shown.
func (p *ttyProcess) interrupt() string {
	p.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		p.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.Errorf("ended with %v", err)
	}
	<-p.ends
	return p.text()
}

// missOne asks a deck for something that no tape has, and returns where the deck is.
func (p *ttyProcess) missOne(readyFile string) {
	p.Helper()
	at := proxyIn(p.T, readyFile)
	client := &http.Client{Transport: plainTransport()}
	defer client.CloseIdleConnections()
	res, err := client.Get(at + "/nothing/of/the/kind")
	if err != nil {
		p.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNotImplemented {
		p.Errorf("status %d", res.StatusCode)
	}
}

var afterMoves = regexp.MustCompile("\x1b\\[[KA]")

// TestTerminal plays stories to a person at a terminal.
func TestTerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{80, 120} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "ready")
			p := startAtTTY(t, columns, nil, "replay", "--dir", storyTapes, "--listen", "127.0.0.1:0",
				"--ready-file", file, "stories")
			p.awaitText("stop     Ctrl+C\n")
			teller := teller(proxyIn(t, file), "B")
			defer teller.HTTP.CloseIdleConnections()
			if _, err := teller.Checkout(t.Context()); err != nil {
				t.Error(err)
			}
			p.missOne(file)
			p.awaitText("! miss: ")
			p.awaitText("why ")
			shown := p.interrupt()
			for _, want := range []string{
				"paytape  replay of stories: ", "deck     http://127.0.0.1:", " register ", " order-B",
				"stories#", "replay  ", "1 miss", "replay of stories ended after ", "\n  requests ",
				"\n  misses\n", "\n  on tape and never asked for: ", "\nexit 0    (--strict: 1 for 1 miss; --fail-unused: 1)\n",
			} {
				if !strings.Contains(shown, want) {
					t.Errorf("%q is not shown", want)
				}
			}
			for _, not := range []string{"level=", "msg=", "\x1b[3", "\x00", "\x01"} {
				if strings.Contains(shown, not) {
					t.Errorf("%q is shown", not)
				}
			}
			for line := range strings.Lines(shown) {
				if strings.HasPrefix(line, "paytape: warning: ") {
					continue // a terminal breaks it
				}
				for _, part := range strings.Split(afterMoves.ReplaceAllString(line, ""), "\r") {
					if len(strings.TrimSuffix(part, "\n")) > columns {
						t.Errorf("a line of %d columns: %q", len(part), part)
					}
				}
			}
			if t.Failed() {
				t.Log(shown)
			}
		})
	}
}

// TestLogStaysLog has somebody who wants a log at a terminal, or whose terminal is none to speak of.
func TestLogStaysLog(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name      string
		variables []string
		args      []string
		want      string
	}{
		{"a format was asked for", nil, []string{"--log-format", "text"}, "msg=missed"},
		{"a format was asked for in the environment", []string{"PAYTAPE_LOG_FORMAT=json"}, nil,
			`"msg":"missed"`},
		{"CI", []string{"CI=true"}, nil, "msg=missed"},
		{"a dumb terminal", []string{"TERM=dumb"}, nil, "msg=missed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "ready")
			p := startAtTTY(t, 80, row.variables, append([]string{"replay", "--dir", storyTapes, "--listen",
				"127.0.0.1:0", "--ready-file", file, "stories"}, row.args...)...)
			p.missOne(file)
			p.awaitText(row.want)
			if shown := p.interrupt(); strings.Contains(shown, "\x1b") ||
				strings.Contains(shown, "! miss") || !strings.Contains(shown, "replayed 0 requests from tape, 1 miss") {
				t.Errorf("shown:\n%s", shown)
			}
		})
	}
}

// TestTerminalOfACommand shows what a command at a terminal sees of its deck: what went wrong.
func TestTerminalOfACommand(t *testing.T) {
	t.Parallel()
	p := startAtTTY(t, 80, nil, "run", "--dir", storyTapes, "--ca-dir", t.TempDir(), "stories", "--",
		"sh", "-c", "client GET $PAYTAPE_URL/cards/3; client GET $PAYTAPE_URL/nothing/of/the/kind")
	_ = p.cmd.Wait()
	<-p.ends
	shown := p.text()
	for _, want := range []string{
		"replaying 28 exchanges at http://", "! miss: path GET nothing/of", "replay of stories ended after ",
		"misses\n", fmt.Sprintf("\nexit %d\n", clientRefused),
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	for _, not := range []string{"level=", "Ctrl+C", "\x1b[K"} { // nothing is kept at the bottom
		if strings.Contains(shown, not) {
			t.Errorf("%q is shown", not)
		}
	}
	if t.Failed() {
		t.Log(shown)
	}
}
