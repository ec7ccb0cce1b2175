package cassettes_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

func TestRecordAndLoad(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "checkout")
	first, second := c.Next(), c.Next()
	// The second request is answered first.
	for _, n := range []int{second, first} {
		if err := c.Append(cleaned(t, sample(n))); err != nil {
			t.Fatal(err)
		}
	}
	want := cassettes.Summary{
		File: filepath.Join(dir, "checkout.yaml"), Exchanges: 2, New: 2,
	}
	if got := finish(t, c); got != want {
		t.Errorf("got summary %+v, want %+v", got, want)
	}
	tape := load(t, l, "checkout")
	for i, x := range tape.Exchanges {
		if diff := cmp.Diff(sample(i+1), x.Exchange(), exchangeOptions()); diff != "" {
			t.Errorf("exchange %d (-want +got):\n%s", i+1, diff)
		}
	}
	if len(tape.Exchanges) != 2 || tape.Warnings != nil {
		t.Errorf("got %d exchanges, warnings %q", len(tape.Exchanges), tape.Warnings)
	}
	if diff := cmp.Diff([]string{"checkout.yaml"}, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestRecordContinuesATape(t *testing.T) {
	l, _ := library(t)
	c := record(t, l, "a")
	add(t, c, 3)
	finish(t, c)
	cleaner := &fakeCleaner{tb: t}
	c, err := l.Record("a.yaml", cleaner)
	if err != nil {
		t.Fatal(err)
	}
	add(t, c, 2)
	s := finish(t, c)
	if cleaner.resumed != 3 || cleaner.cleaned != 0 || s.Exchanges != 5 || s.New != 2 {
		t.Errorf("resumed after %d, cleaned %d again, summary %+v",
			cleaner.resumed, cleaner.cleaned, s)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5}, numbers(load(t, l, "a"))); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

func TestNothingRecordedChangesNothing(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	c.Next() // a request that never got an answer
	if s := finish(t, c); s != (cassettes.Summary{}) {
		t.Errorf("got summary %+v", s)
	}
	if left := files(t, dir); left != nil {
		t.Errorf("left behind: %q", left)
	}
	c = record(t, l, "a")
	add(t, c, 1)
	finish(t, c)
	edited := append(readFile(t, dir, "a.yaml"), "# a note\n"...)
	writeFile(t, edited, dir, "a.yaml")
	c = record(t, l, "a")
	finish(t, c)
	if string(readFile(t, dir, "a.yaml")) != string(edited) {
		t.Error("a tape to which nothing was added was written again")
	}
}

// TestFoldersGoIfNothingWasRecorded leaves folders as they were, if they were there or others
// use them.
func TestFoldersGoIfNothingWasRecorded(t *testing.T) {
	l, dir := library(t)
	finish(t, record(t, l, "x/y/a"))
	if left := files(t, dir); left != nil {
		t.Errorf("left behind: %q", left)
	}
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	a := record(t, l, "x/y/a")
	b := record(t, l, "x/y/b")
	add(t, b, 1)
	finish(t, a)
	finish(t, b)
	load(t, l, "x/y/b")
	finish(t, record(t, l, "x/z/a"))
	if diff := cmp.Diff([]string{"y"}, files(t, filepath.Join(dir, "x"))); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "sub/a")
	add(t, c, 1)
	check := func(file string, want os.FileMode) {
		t.Helper()
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", file, info.Mode().Perm())
		}
	}
	check(".", 0o700)
	check("sub", 0o700)
	check("sub/a.journal", 0o600)
	check("sub/a.lock", 0o600)
	finish(t, c)
	check("sub/a.yaml", 0o600)
}

func TestAppendRefuses(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	add(t, c, 1)
	broken := sample(c.Next())
	broken.Response.Body = "\xff"
	tests := []struct {
		name string
		x    redact.Clean
		want string
	}{
		{"what was never cleaned", redact.Clean{}, "was not cleaned"},
		{"a number out of the air", cleaned(t, sample(9)), "number that was not given"},
		{"bytes that are no text", cleaned(t, broken), "body is not valid UTF-8"},
	}
	before := readFile(t, dir, "a.journal")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := c.Append(tt.x); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
	if string(readFile(t, dir, "a.journal")) != string(before) {
		t.Error("something was written")
	}
	finish(t, c)
	if err := c.Append(cleaned(t, sample(1))); err == nil {
		t.Error("appended to a recording that had ended")
	}
}

func TestRecordingInParallel(t *testing.T) {
	l, _ := library(t)
	c := record(t, l, "a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				if err := c.Append(cleaned(t, sample(c.Next()))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	finish(t, c)
	for i, n := range numbers(load(t, l, "a")) {
		if n != i+1 {
			t.Fatalf("exchange %d has number %d", i+1, n)
		}
	}
}

func TestOneRecorderAtATime(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	_, err := l.Record("a", &fakeCleaner{tb: t})
	want := fmt.Sprintf("cassette %q in %q is being recorded by another process", "a", dir)
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	finish(t, record(t, l, "b"))
	finish(t, c)
	finish(t, record(t, l, "a"))
}

// TestLockHasOneHolder lets recorders fight over a cassette whose lock file comes and goes.
func TestLockHasOneHolder(t *testing.T) {
	l, _ := library(t)
	var holders, wins atomic.Int32
	fight := func() {
		c, err := l.Record("a", &fakeCleaner{tb: t})
		if err != nil {
			if !strings.Contains(err.Error(), "being recorded") {
				t.Error(err)
			}
			return
		}
		if holders.Add(1) != 1 {
			t.Error("two recorders hold one cassette")
		}
		wins.Add(1)
		holders.Add(-1)
		if _, err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 30 {
				fight()
			}
		})
	}
	wg.Wait()
	if wins.Load() == 0 {
		t.Error("nobody ever held the cassette")
	}
}

// TestKilledRecording kills a process that records, and expects all that it had appended.
func TestKilledRecording(t *testing.T) {
	const dirVariable = "PAYTAPE_TEST_RECORD_IN"
	if dir := os.Getenv(dirVariable); dir != "" {
		recordUntilKilled(t, dir)
		return
	}
	l, dir := library(t)
	child := exec.Command(os.Args[0], "-test.run=^TestKilledRecording$")
	child.Env = append(os.Environ(), dirVariable+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines, appended := bufio.NewScanner(out), 0
	for appended < 50 && lines.Scan() {
		appended++
	}
	_ = child.Process.Kill()
	for lines.Scan() { // what it said before it died
		appended++
	}
	if err := child.Wait(); err == nil || appended < 50 {
		t.Fatalf("the child ended by itself after %d exchanges", appended)
	}
	loaded := load(t, l, "a")
	torn := func(w string) bool { return strings.Contains(w, "of no whole exchange") }
	told := slices.DeleteFunc(slices.Clone(loaded.Warnings), torn) // it may die in the middle of one
	if len(loaded.Exchanges) < appended || len(told) != 1 || len(loaded.Warnings) > 2 {
		t.Errorf("%d exchanges loaded of %d, warnings %q",
			len(loaded.Exchanges), appended, loaded.Warnings)
	}
	c := record(t, l, "a")
	if !strings.Contains(c.Recovered(), "of a recording that did not end") {
		t.Errorf("the operator is told %q", c.Recovered())
	}
	add(t, c, 1)
	if s := finish(t, c); s.Exchanges != len(loaded.Exchanges)+1 || s.New != 1 {
		t.Errorf("got %+v after %d", s, len(loaded.Exchanges))
	}
	if diff := cmp.Diff([]string{"a.yaml"}, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func recordUntilKilled(t *testing.T, dir string) {
	l, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := record(t, l, "a")
	for range 1_000_000 {
		add(t, c, 1)
		fmt.Println("appended")
	}
}

// A password that stood in a note before it was sent as one is on no tape.
func TestSecretTaughtByALaterExchange(t *testing.T) {
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New(redact.Options{Profiles: set})
	l, dir := library(t)
	c, err := l.Record("a", r)
	if err != nil {
		t.Fatal(err)
	}
	const secret = "orchid-Lantern-77"
	for _, body := range []string{
		`{"note":"` + secret + `","amount":1.00}`, "userName=u&password=" + secret + "&orderId=1",
	} {
		x := &leaf.Exchange{}
		x.Method, x.URL, x.Code = "POST", "http://h/payment/rest/getOrderStatusExtended.do", 200
		x.Request.Body, x.Meta.Number = body, c.Next()
		if err := c.Append(r.Clean(x)); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, c)
	if tape := string(readFile(t, dir, "a.yaml")); strings.Contains(tape, secret) {
		t.Error("the password is on the tape")
	}
	x := load(t, l, "a").Exchanges[0].Exchange()
	if want := `{"note":"REDACTED-token-1","amount":1.00}`; x.Request.Body != want {
		t.Errorf("got body %s, want %s", x.Request.Body, want)
	}
}
