package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/deck"
)

// startedRecord starts a recording deck on a free port, with the built-in sandbox.
func startedRecord(t *testing.T, dir string) *deck.Deck {
	t.Helper()
	return recordingFrom(t, deck.Options{Dir: dir, Upstreams: []string{deck.Builtin}})
}

// recordingFrom starts a deck that records on a cassette with the name tape.
func recordingFrom(t *testing.T, o deck.Options) *deck.Deck {
	t.Helper()
	o.Mode, o.Cassettes = deck.Record, []string{"tape"}
	d, err := deck.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// register opens an order and returns the status of the answer.
func register(t *testing.T, base string) int {
	t.Helper()
	client := &http.Client{Transport: plainTransport(), Timeout: time.Minute}
	defer client.CloseIdleConnections()
	res, err := client.PostForm(base+"/payment/rest/register.do", url.Values{
		"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"},
		"orderNumber": {"A-1"}, "amount": {"12500"}, "returnUrl": {"https://shop.example/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

// builtinKnowledge is what a command without flags knows.
func builtinKnowledge(t *testing.T) *knowledge {
	t.Helper()
	k := &knowledge{}
	if err := k.check(); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestNothingIsLeftRunning runs commands that serve, in this process, and stops them. It is
// not parallel: it counts goroutines.
func TestNothingIsLeftRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"record", "--upstream", "sandbox", "--dir", dir, "tape"},
		{"replay", "--dir", dir, "--admin", "127.0.0.1:0", "tape"},
		{"spy", "--upstream", "sandbox", "--dir", dir, "tape"},
		{"pass", "--upstream", "sandbox"},
		{"pass", "--upstream", "sandbox", "--forward", "--host", "a=sandbox", "--ca-dir", t.TempDir()},
		{"sandbox"},
	} {
		if err := serveOnce(t, dir, args); err != nil {
			t.Errorf("%s: %v", args[0], err)
		}
	}
	if code, _, stderr := inProcess(t, "demo", "--dir", dir); code != exitDone {
		t.Errorf("demo: exit code %d: %s", code, stderr)
	}
	if !eventually(func() bool { return runtime.NumGoroutine() <= before }) {
		stacks := make([]byte, 1<<20)
		t.Errorf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
	checkNoSecrets(t, dir)
}

// serveOnce runs a command until it serves, sends it a request, and stops it.
func serveOnce(t *testing.T, dir string, args []string) error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	file := filepath.Join(dir, "ready.json")
	args = append(args, "--listen", "127.0.0.1:0", "--ready-file", file)
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, Env{
			Args: args, Lookup: func(string) (string, bool) { return "", false },
			Stdout: io.Discard, Stderr: io.Discard,
		})
	}()
	var data []byte
	eventually(func() bool {
		data, _ = os.ReadFile(file)
		return len(data) > 0 || len(code) > 0
	})
	var r ready
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("it did not come to serve: exit code %d", <-code)
	}
	answered := register(t, cmp.Or(r.Proxy, r.Sandbox))
	stop()
	if got := <-code; got != exitDone || answered != http.StatusOK {
		return fmt.Errorf("it answered with %d and ended with %d", answered, got)
	}
	return nil
}

// patience is how long tests wait for what may never come: on the slowest machine, only a fault
// takes so long.
const patience = 5 * time.Minute

// eventually waits until something holds, and reports whether patience was enough.
func eventually(holds func() bool) bool {
	tick, end := time.NewTicker(5*time.Millisecond), time.NewTimer(patience)
	defer tick.Stop()
	defer end.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end.C:
			return false
		}
	}
	return true
}
