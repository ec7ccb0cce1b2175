package deck_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy/deck"
)

// recorderVariable has this test be a process that records: its value is what it is told, separated
// by line feeds.
const recorderVariable = "PAYTAPE_TEST_RECORDER"

// TestRecorderProcess is no test, but the process that TestKilledWhileRelaying starts and kills.
func TestRecorderProcess(t *testing.T) {
	told := strings.Split(os.Getenv(recorderVariable), "\n")
	if len(told) != 4 {
		t.Skip("it is a part of another test")
	}
	o := recording(told[0])
	o.Upstreams, o.Listen = []string{told[1]}, told[2]
	o.Callbacks = deck.Callbacks{Mode: deck.CallbacksRelay, Listen: told[3], Install: told[0]}
	d := start(t, o)
	fmt.Printf("serving %s %s\n", d.URL, d.CallbackURL)
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or the test ends
}

// startRecorder starts a process that records, and returns its addresses and what kills it.
func startRecorder(t *testing.T, told ...string) (at, callbacks string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestRecorderProcess$")
	cmd.Env = append(os.Environ(), recorderVariable+"="+strings.Join(told, "\n"))
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
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		_ = stdin.Close()
	}
	t.Cleanup(kill)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if n, _ := fmt.Sscanf(lines.Text(), "serving %s %s", &at, &callbacks); n == 2 {
			return at, callbacks, kill
		}
	}
	t.Fatal("the recorder did not start")
	return "", "", nil
}

// TestKilledWhileRelaying kills a recorder while the shop thinks about a callback. The sandbox
// tries again when another recorder listens on the same ports: the address that it was given is
// good, the shop gets the callback, and the tape has it once. Where the answer to the sandbox was
// lost and the tape has the callback, the next attempt is the second of the same event.
func TestKilledWhileRelaying(t *testing.T) {
	t.Parallel()
	addresses := make(chan string, 1)
	sandbox := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses <- r.FormValue("dynamicCallbackUrl")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"orderId":"3f1e6b1c-9c5e-7a11-8f00-aabbccddeeff"}`)
	}))
	t.Cleanup(sandbox.Close)
	thinking := make(chan struct{}, 2)
	first := true // the second call begins when the first is over
	shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		thinking <- struct{}{}
		if first {
			first = false
			<-r.Context().Done()
		}
	}))
	t.Cleanup(shop.Close)

	dir := t.TempDir()
	at, callbacks, kill := startRecorder(t, dir, sandbox.URL, "127.0.0.1:0", "127.0.0.1:0")
	ask(t, at+"/payment/rest/register.do", url.Values{
		"orderNumber": {"A-1"}, "amount": {"100"}, "dynamicCallbackUrl": {shop.URL + "/paid"},
	})
	address := <-addresses
	if !strings.HasPrefix(address, callbacks+"/") {
		t.Fatalf("the sandbox was given %q", address)
	}
	event := address + "?mdOrder=3f1e6b1c-9c5e-7a11-8f00-aabbccddeeff&operation=deposited&status=1&checksum=" +
		strings.Repeat("A1", 32)
	failed := make(chan error, 1)
	go func() {
		res, err := http.Get(event)
		if err == nil {
			_ = res.Body.Close()
		}
		failed <- err
	}()
	<-thinking
	kill()
	if err := <-failed; err == nil {
		t.Fatal("the sandbox got an answer")
	}
	_, _, kill = startRecorder(t, dir, sandbox.URL, strings.TrimPrefix(at, "http://"),
		strings.TrimPrefix(callbacks, "http://"))
	res, err := http.Get(event)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("the second attempt: %v", err)
	}
	_ = res.Body.Close()
	<-thinking
	kill()
	// A sandbox whose answer was lost tries once more: the tape knows the event by then.
	_, _, kill = startRecorder(t, dir, sandbox.URL, strings.TrimPrefix(at, "http://"),
		strings.TrimPrefix(callbacks, "http://"))
	if res, err = http.Get(event); err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	kill()
	all := onTape(t, start(t, recording(dir)), dir) // which folds the journal
	events, calls := callbacksOf(all)
	if len(events) != 2 || len(calls) != 1 || events[0].Meta.Callback.Operation != "deposited" ||
		events[0].Code != http.StatusOK {
		t.Fatalf("%d callbacks and %d calls on tape", len(events), len(calls))
	}
	if first, second := events[0].Meta.Callback, events[1].Meta.Callback; first.Attempt != 1 ||
		second.Attempt != 2 {
		t.Errorf("attempts %d and %d", first.Attempt, second.Attempt)
	}
}
