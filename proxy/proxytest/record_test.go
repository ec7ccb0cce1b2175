package proxytest_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/proxytest"
)

// These tests set the environment, and so run one after another.

// recordingIn says that tests of this one record.
func recordingIn(t *testing.T, ci string) {
	t.Setenv(proxytest.Variable, "record")
	t.Setenv(deck.CIVariable, ci)
}

// Tests that run at once record on one cassette together, and it replays.
func TestRecord(t *testing.T) {
	recordingIn(t, "")
	dir := t.TempDir()
	options := []proxytest.Option{proxytest.Dir(dir), proxytest.Upstream(deck.Builtin)}
	var all sync.WaitGroup
	begun := make(chan struct{}, 2)
	both := make(chan struct{})
	for _, number := range []string{"A-1", "A-2"} {
		all.Go(func() {
			try(t, func(t testing.TB) {
				d := proxytest.Replay(t, "checkout", options...)
				begun <- struct{}{}
				<-both
				checkout(t, d, number)
			}).passed(t)
		})
	}
	<-begun
	<-begun
	close(both)
	all.Wait()
	try(t, func(t testing.TB) { // alone, behind them
		checkout(t, proxytest.Replay(t, "checkout", options...), "A-3")
	}).passed(t)
	text, err := os.ReadFile(filepath.Join(dir, "checkout.yaml"))
	if err != nil {
		t.Fatal("nothing was recorded")
	}
	if n := strings.Count(string(text), "operation: \"paymentorder.do\""); n != 3 {
		t.Errorf("%d payments are on tape", n)
	}
	for _, secret := range []string{password, "411111" + "1111111111"} {
		if strings.Contains(string(text), secret) {
			t.Error("a secret is on tape")
		}
	}
	t.Setenv(proxytest.Variable, "replay")
	try(t, func(t testing.TB) {
		checkout(t, proxytest.Replay(t, "checkout", proxytest.Dir(dir)), "B-7")
	}).passed(t)
}

// A stable tape is the same when the tests record it again.
func TestRecordStable(t *testing.T) {
	recordingIn(t, "")
	var tapes [2]string
	for i := range tapes {
		dir := t.TempDir()
		try(t, func(t testing.TB) {
			checkout(t, proxytest.Replay(t, "checkout", proxytest.Dir(dir), proxytest.Stable(),
				proxytest.Upstream(deck.Builtin)), "A-1")
		}).passed(t)
		text, err := os.ReadFile(filepath.Join(dir, "checkout.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		tapes[i] = string(text)
	}
	if tapes[0] != tapes[1] {
		t.Error("a stable tape was recorded again, and is another")
	}
}

// Two recorders with different ideas of one cassette would spoil it.
func TestRecordWithOtherOptions(t *testing.T) {
	recordingIn(t, "")
	dir := proxytest.Dir(t.TempDir())
	try(t, func(first testing.TB) {
		proxytest.Replay(first, "checkout", dir, proxytest.Upstream(deck.Builtin))
		try(t, func(t testing.TB) {
			proxytest.Replay(t, "checkout", dir, proxytest.Upstream("http://127.0.0.1:1"))
		}).failed(t, `another test records cassette "checkout" at this moment, with other options`)
	}).passed(t)
}

// A test that fails while it records says what is on the cassette now.
func TestAFailedRecording(t *testing.T) {
	recordingIn(t, "")
	got := try(t, func(t testing.TB) {
		d := proxytest.Replay(t, "checkout", proxytest.Dir(t.TempDir()),
			proxytest.Upstream(deck.Builtin))
		register(t, d, "A-1", "12500")
		t.Errorf("the shop is at fault")
	})
	got.failed(t, "the shop is at fault")
	logs := strings.Join(got.logs, "\n")
	for _, want := range []string{`cassette "checkout" has what this test did until it failed`,
		"recorded 1 exchange"} {
		if !strings.Contains(logs, want) {
			t.Errorf("the log does not say %s:\n%s", want, logs)
		}
	}
}

// What must not be recorded is refused before anything is made.
func TestWhatIsNotRecorded(t *testing.T) {
	sandbox := proxytest.Upstream(deck.Builtin)
	for _, test := range []struct {
		name, variable, ci string
		option             proxytest.Option
		want               string
	}{
		{"in a build", "record", "true", sandbox, "CI=true: nothing is recorded where builds are made"},
		{"in a build by name", "record", "drone", sandbox, "CI=drone"},
		{"from nowhere", "record", "false", proxytest.Upstream(), "add proxytest.Upstream"},
		{"from no URL", "record", "", proxytest.Upstream("https://shop:" + password + "@a.example"),
			"option Upstreams: "},
		{"another word", "rewind", "", sandbox, "PAYTAPE=rewind: expected record or replay"},
	} {
		t.Run(test.name, func(t *testing.T) {
			recordingIn(t, test.ci)
			t.Setenv(proxytest.Variable, test.variable)
			dir := filepath.Join(t.TempDir(), "cassettes")
			got := try(t, func(t testing.TB) {
				proxytest.Replay(t, "checkout", proxytest.Dir(dir), test.option)
				t.Errorf("it goes on")
			})
			got.failed(t, test.want)
			if strings.Contains(got.errors[0], password) {
				t.Error("the error repeats a password")
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("a folder was made")
			}
		})
	}
}
