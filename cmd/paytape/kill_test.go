package main

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/internal/sandbox"
)

const (
	kills   = 10 // on each tape
	payers  = 4
	minimum = 3 // answers before a kill
)

// TestKillsUnderLoad kills processes that record, fifty times, in the middle of whatever they
// do for several clients. All that a client had an answer to is on tape, and no secret is in
// any file at any time.
func TestKillsUnderLoad(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(sandbox.New(sandbox.Options{}))
	t.Cleanup(up.Close)
	tapes := 5
	if raced.Enabled {
		tapes = 1 // the processes take ten times as long to start
	}
	for n := range tapes {
		t.Run("tape "+strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			killAgain(t, up, n*kills)
		})
	}
}

// killAgain kills the recorders of one tape, of which each goes on where the one before it was.
func killAgain(t *testing.T, up *httptest.Server, from int) {
	dir := t.TempDir()
	l := &load{answered: map[string]bool{}}
	for round := from; round < from+kills; round++ {
		at, kill := startKilled(t, dir, up.URL)
		before := l.count()
		stop := l.pay(at)
		want := before + minimum + round*7%31 // some kill early, some late
		if !eventually(func() bool { return l.count() >= want }) {
			kill()
			stop()
			t.Fatal("the answers stopped coming")
		}
		kill()
		stop()
		checkNoSecrets(t, dir)
	}
	there := onTapeOf(t, dir)
	for answer := range l.answered {
		if !there[answer] {
			t.Errorf("%s was answered and is not on tape", answer)
		}
	}
}

var recordingAt = regexp.MustCompile(` at (http://\S+)$`)

// startKilled starts a process that records, and returns its address and what kills it.
func startKilled(t *testing.T, dir, upstream string) (at string, kill func()) {
	t.Helper()
	cmd := exec.Command("paytape", "record", "--upstream", upstream, "--dir", dir,
		"--listen", "127.0.0.1:0", "--log-level", "error", "tape")
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for at == "" && lines.Scan() {
		if m := recordingAt.FindStringSubmatch(lines.Text()); m != nil {
			at = m[1]
		}
	}
	kill = func() {
		_ = cmd.Process.Kill()
		for lines.Scan() {
			t.Errorf("the recorder said: %s", lines.Text())
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the recorder ended by itself")
		}
	}
	if at == "" {
		kill()
		t.Fatal("the recorder did not start")
	}
	return at, kill
}

// load is what clients do at once, and what they had answers to.
type load struct {
	mu       sync.Mutex // guards answered
	answered map[string]bool
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.answered)
}

// pay has clients register and pay orders until the deck is gone.
func (l *load) pay(at string) (stop func()) {
	var clients sync.WaitGroup
	for range payers {
		clients.Go(func() {
			transport := plainTransport()
			defer transport.CloseIdleConnections()
			c := &http.Client{Transport: transport}
			for l.order(c, at) {
			}
		})
	}
	return clients.Wait
}

// order registers an order and pays it, and reports whether there were answers.
func (l *load) order(c *http.Client, at string) bool {
	answer, ok := post(c, at+"/payment/rest/register.do", url.Values{
		"orderNumber": {rand.Text()}, "amount": {"12500"}, "returnUrl": {"https://shop.example/"},
	})
	if !ok {
		return false
	}
	var registered struct{ OrderID string }
	if json.Unmarshal(answer, &registered) != nil || registered.OrderID == "" {
		return false // then the answers stop coming, which the test tells
	}
	l.note("register.do " + registered.OrderID)
	_, ok = post(c, at+"/payment/rest/paymentorder.do", url.Values{
		"MDORDER": {registered.OrderID}, "$PAN": {paidCard}, "$CVC": {"123"}, "$EXPIRY": {"203112"},
		"TEXT": {"CARD HOLDER"}, "language": {"en"},
	})
	if ok {
		l.note("paymentorder.do " + registered.OrderID)
	}
	return ok
}

func (l *load) note(answer string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered[answer] = true
}

// post sends a form and returns an answer that came to its end.
func post(c *http.Client, at string, form url.Values) ([]byte, bool) {
	form.Set("userName", "sandbox-api")
	form.Set("password", "sandbox-"+"password")
	res, err := c.PostForm(at, form)
	if err != nil {
		return nil, false
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return body, err == nil
}

// onTapeOf returns the operations and orders on the tape of a folder.
func onTapeOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "tape.journal")); err != nil {
		t.Errorf("the last recorder left no journal: %v", err)
	}
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	k := knowledge{pii: "fake"}
	if err := k.check(); err != nil {
		t.Fatal(err)
	}
	tape, err := library.Load("tape", k.redactor())
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, c := range tape.Exchanges {
		x := c.Exchange()
		if !x.Replayable() {
			continue
		}
		order := ""
		if form, err := url.ParseQuery(x.Request.Body); err == nil {
			order = form.Get("MDORDER")
		}
		var answer struct{ OrderID string }
		if order == "" && json.Unmarshal([]byte(x.Response.Body), &answer) == nil {
			order = answer.OrderID
		}
		there[x.Meta.Operation+" "+order] = true
	}
	return there
}
