//go:build unix

package main

import (
	"bufio"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
)

// unread starts a program whose output goes to a pipe that nobody reads any more behind the line that
// matches a pattern. It returns the program, and what the pattern found.
func unread(t *testing.T, dir, last string, args ...string) (*exec.Cmd, []string) {
	t.Helper()
	ours, its, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, its, its
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "PAYTAPE_CA_DIR="+filepath.Join(dir, "ca"))
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	its.Close()
	defer ours.Close()
	pattern := regexp.MustCompile(last)
	for lines := bufio.NewScanner(ours); lines.Scan(); {
		if m := pattern.FindStringSubmatch(lines.Text()); m != nil {
			return cmd, m
		}
	}
	t.Fatalf("%s never said %s: %v", args, last, cmd.Wait())
	return nil, nil
}

// A deck serves on when whoever read its messages has gone, folds what it recorded, and leaves nothing.
func TestDecksOutliveTheirReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, found := unread(t, dir, ` at (http://\S+)$`, "paytape", "record", "--upstream", "sandbox",
		"--listen", "127.0.0.1:0", "--ready-file", "ready.json", "tape")
	transport := plainTransport()
	defer transport.CloseIdleConnections()
	for _, number := range []string{"A-1", "A-2", "A-3"} {
		_, ok := post(&http.Client{Transport: transport}, found[1]+"/payment/rest/register.do", url.Values{
			"orderNumber": {number}, "amount": {"12500"}, "returnUrl": {"https://shop.example/"},
		})
		if !ok {
			t.Errorf("order %s got no answer", number)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the deck ended with %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "cassettes", "tape.yaml")); err != nil {
		t.Errorf("the journal was not folded: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ready.json")); err == nil {
		t.Error("the ready file is still there")
	}
}

// A command that is run has its own exit code all the same.
func TestRunOutlivesItsReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, _ := unread(t, dir, "as a proxy it serves", "paytape", "run", "--record-in-ci", "--upstream", "sandbox", "tape", "--",
		"sh", "-c", "until [ -e go ]; do sleep 0.01; done; exit 7")
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 7 {
		t.Errorf("run ended with %v, and its command with 7", cmd.ProcessState)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}

// A command that is run takes the signal as any other program does.
func TestRunLeavesBrokenPipesToTheCommand(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("paytape", "run", "--record-in-ci", "--upstream", "sandbox", "--ca-dir", "ca", "tape", "--",
		"sh", "-c", "kill -PIPE $$; exit 5")
	cmd.Dir = t.TempDir()
	said, _ := cmd.CombinedOutput()
	if got, want := cmd.ProcessState.ExitCode(), 128+int(syscall.SIGPIPE); got != want {
		t.Errorf("ended with %d, want %d: %s", got, want, said)
	}
}

// What only prints ends when nobody reads it any more.
func TestPrintersEndWithTheirReader(t *testing.T) {
	t.Parallel()
	ours, its, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ours.Close()
	cmd := exec.Command("paytape", "list")
	cmd.Dir, cmd.Stdout = t.TempDir(), its
	if err := os.Mkdir(filepath.Join(cmd.Dir, "cassettes"), 0o700); err != nil {
		t.Fatal(err)
	}
	const tape = "version: 1\ninteractions: []\n"
	if err := os.WriteFile(filepath.Join(cmd.Dir, "cassettes", "t.yaml"), []byte(tape), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Run()
	its.Close()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGPIPE {
		t.Errorf("ended with %v", cmd.ProcessState)
	}
}
