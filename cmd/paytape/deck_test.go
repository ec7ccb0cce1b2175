package main

import (
	"bytes"
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
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/proxy"
)

// startedRecord starts a recording deck on a free port, with the built-in sandbox.
func startedRecord(t *testing.T, dir string, observe func(proxy.Event)) *recordDeck {
	t.Helper()
	k := builtinKnowledge(t)
	return recordingFrom(t, dir, deckOptions{
		knowledge: k, upstreams: []string{builtin}, observe: observe,
	})
}

// recordingFrom starts a recording deck with any upstream.
func recordingFrom(t *testing.T, dir string, o deckOptions) *recordDeck {
	t.Helper()
	ln, err := listenLocal()
	if err != nil {
		t.Fatal(err)
	}
	d, err := startRecord(t.Context(), ln, recordOptions{
		deckOptions: o, dir: dir, name: "tape", cleaner: o.redactor(nil),
	})
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

// A tape that cannot be written is no reason to fail a client's payment, but the operator
// must be told, at once and by the exit code.
func TestClientsAreServedWhenTheTapeFails(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger, err := newLog("info", "text", &oneAtATime{w: &log})
	if err != nil {
		t.Fatal(err)
	}
	d := startedRecord(t, t.TempDir(), observer(logger))
	if _, err := d.recorder.Close(); err != nil { // from now on Append fails
		t.Fatal(err)
	}
	if code := register(t, d.url); code != http.StatusOK {
		t.Errorf("the client got status %d", code)
	}
	if _, err := d.eject(); err == nil || !strings.Contains(err.Error(), "recording: ") {
		t.Errorf("the error of the tape is not told: %v", err)
	}
	if !strings.Contains(log.String(), "level=ERROR msg=failed") {
		t.Errorf("the log does not tell of it:\n%s", log.String())
	}
}

func TestAnUnusedDeckWritesNoTape(t *testing.T) {
	t.Parallel()
	d := startedRecord(t, t.TempDir(), nil)
	summary, err := d.eject()
	if err != nil || summary.File != "" || summary.New != 0 {
		t.Errorf("an unused deck came to %+v, %v", summary, err)
	}
}

// A deck that cannot start leaves nothing running and nothing locked.
func TestADeckThatCannotStartLetsGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := startedRecord(t, dir, nil)
	k := builtinKnowledge(t)
	ln, err := listenLocal()
	if err != nil {
		t.Fatal(err)
	}
	_, err = startRecord(t.Context(), ln, recordOptions{
		deckOptions: deckOptions{knowledge: k, upstreams: []string{builtin}},
		dir:         dir, name: "tape", cleaner: k.redactor(nil),
	})
	if err == nil || !strings.Contains(err.Error(), "is being recorded by another process") {
		t.Errorf("a second recording was not refused: %v", err)
	}
	if _, err := ln.Accept(); err == nil {
		t.Error("it still listens")
	}
	if _, err := first.eject(); err != nil {
		t.Error(err)
	}
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

func TestUpstreamSpecs(t *testing.T) {
	t.Parallel()
	const at = "http://127.0.0.1:9"
	for _, test := range []struct {
		name       string
		give, want []string
		wanted     bool
	}{
		{"the word alone", []string{"sandbox"}, []string{at}, true},
		{"the word for one API", []string{"https://a.example", "gateway=sandbox"},
			[]string{"https://a.example", "gateway=" + at}, true},
		{"a host of that name", []string{"https://sandbox"}, []string{"https://sandbox"}, false},
		{"none", nil, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, wanted := upstreamSpecs(test.give, at)
			if diff := gocmp.Diff(test.want, got); diff != "" || wanted != test.wanted {
				t.Errorf("wanted %v (-want +got):\n%s", wanted, diff)
			}
		})
	}
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
	if !settles(func() bool { return runtime.NumGoroutine() <= before }) {
		stacks := make([]byte, 1<<20)
		t.Errorf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
	sweep(t, dir)
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
	settles(func() bool {
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

// settles waits until something holds, and reports whether patience was enough.
func settles(holds func() bool) bool {
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
