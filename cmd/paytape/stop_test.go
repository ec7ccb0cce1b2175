//go:build unix

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// hangs is a sandbox that never answers, and tells that it was asked.
func hangs(t *testing.T) (url string, asked <-chan struct{}) {
	t.Helper()
	came := make(chan struct{}, 16)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		came <- struct{}{}
		_, _ = io.Copy(io.Discard, req.Body) // of a body unread, nobody sees the client go
		<-req.Context().Done()
	}))
	t.Cleanup(srv.Close)
	return srv.URL, came
}

// minWork is how much was answered at least before a deck under load is stopped.
const minWork = 50

// A deck that is told to stop under load, with a client and a sandbox that hang, ends, and
// well; what was answered is on tape, and what was not is the deck's doing.
func TestStoppingUnderLoad(t *testing.T) {
	t.Parallel()
	h := newWorkspace(t, runSecrets{})
	url, asked := hangs(t)
	deck := h.start("record", "tape", "--upstream", "gateway=sandbox", "--upstream", "cardv2="+url)
	work := &load{answered: map[string]bool{}}
	served := work.pay("http://" + deck.address)
	waiting := h.dial(deck)
	defer waiting.Close()
	half := h.dial(deck)
	defer half.Close()
	for conn, text := range map[io.Writer]string{
		waiting: "GET /v2/cards/1 HTTP/1.1\r\nHost: deck\r\n\r\n",
		half:    "POST /v2/cards HTTP/1.1\r\nHost: deck\r\nContent-Length: 99\r\n\r\n{\"product",
	} {
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		<-asked
	}
	eventually(func() bool { return work.count() > minWork })
	if err := deck.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := deck.cmd.Wait(); err != nil { // the client and the sandbox would hang for ever
		t.Errorf("it ended with %v", err)
	}
	served()
	deck.checkTape(work.count())
}

// checkTape wants all that was answered on tape, and two exchanges that the deck has ended.
func (d *deckProcess) checkTape(answered int) {
	d.Helper()
	whole, ended := 0, 0
	for _, x := range loaded(d.T, filepath.Join(d.dir, "cassettes")).Exchanges {
		switch x.Exchange().Meta.Failure {
		case "":
			whole++
		case "the deck stopped before the answer":
			ended++
		default:
			d.Errorf("exchange %d: %s", x.Exchange().Meta.Number, x.Exchange().Meta.Failure)
		}
	}
	if whole < answered || answered < minWork || ended != 2 {
		d.Errorf("%d answered, %d on tape; %d ended by the deck", answered, whole, ended)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "cassettes", "tape.journal")); err == nil {
		d.Error("the journal was not folded")
	}
}

// Whoever does not want to wait sends a second signal. The journal stays, and the next recording folds
// it. What a script has put into the background was told to ignore SIGINT, and heeds it all the same.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		signal    syscall.Signal
		unheeding bool
		ended     func(syscall.WaitStatus) bool
	}{
		"in a terminal": {syscall.SIGTERM, false,
			func(s syscall.WaitStatus) bool { return s.Signal() == syscall.SIGTERM }},
		"of a script": {syscall.SIGINT, true,
			func(s syscall.WaitStatus) bool { return s.ExitStatus() == exitFailed }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newWorkspace(t, runSecrets{})
			h.unheeding = tt.unheeding
			status := h.endBySecond(tt.signal)
			if !tt.ended(status) {
				t.Errorf("it ended with %v", status)
			}
			if _, err := os.Stat(filepath.Join(h.dir, "cassettes", "tape.journal")); err != nil {
				t.Error("it went on to fold the journal")
			}
		})
	}
}

// endBySecond has a deck wait for a sandbox that hangs, and signals it until it is gone.
func (ws *workspace) endBySecond(signal syscall.Signal) syscall.WaitStatus {
	ws.Helper()
	url, asked := hangs(ws.T)
	deck := ws.start("record", "tape", "--upstream", url)
	if got := deck.ask("/readyz"); got != "ok\n" {
		ws.Errorf("while it serves: %q", got)
	}
	conn := ws.dial(deck)
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: deck\r\n\r\n"); err != nil {
		ws.Fatal(err)
	}
	<-asked
	if err := deck.cmd.Process.Signal(signal); err != nil {
		ws.Fatal(err)
	}
	if !eventually(func() bool { return deck.ask("/readyz") == "stopping\n" }) {
		ws.Fatal("it does not tell that it stops")
	}
	if got := deck.ask("/healthz"); got != "ok\n" {
		ws.Errorf("health while it stops: %q", got)
	}
	go eventually(func() bool { // until it is gone: right behind the first it would be the same
		return deck.cmd.Process.Signal(signal) != nil
	})
	_ = deck.cmd.Wait() // the status is looked at
	status, _ := deck.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status
}

func TestSignalsAreLetGoOfLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signalled, signal := context.WithCancel(t.Context())
		stopped, gone := make(chan time.Time, 1), make(chan time.Time, 1)
		onSignal(signalled, func() { stopped <- time.Now() }, func() { gone <- time.Now() })
		since := time.Now() // simulated
		signal()
		stop, letGo := (<-stopped).Sub(since), (<-gone).Sub(since)
		if stop != 0 || letGo != sameSignal {
			t.Errorf("stopped after %v, and let go after %v", stop, letGo)
		}
	})
}

// timeout(1) signals its command, and then all of its group: that is one wish to stop.
func TestASignalSentTwiceIsOne(t *testing.T) {
	t.Parallel()
	h := newWorkspace(t, runSecrets{})
	deck := h.start("record", "tape", "--upstream", "sandbox")
	conn := h.dial(deck)
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /x HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Fatal(err)
	}
	first := time.Now()
	for range 2 {
		_ = deck.cmd.Process.Signal(syscall.SIGTERM) // after the first it may be gone
	}
	apart := time.Since(first)
	if err := deck.cmd.Wait(); err != nil && apart < sameSignal {
		t.Errorf("it ended with %v", err)
	}
	if apart >= sameSignal {
		t.Skip("the machine was too busy to send two signals at once")
	}
	if got := len(loaded(t, filepath.Join(h.dir, "cassettes")).Exchanges); got != 1 {
		t.Errorf("%d exchanges are on tape, want 1", got)
	}
}
