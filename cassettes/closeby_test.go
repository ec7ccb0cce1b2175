package cassettes_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A recording that ends without time to fold loses nothing: its tape is as it was, and the next
// recording folds what is in the journal.
func TestCloseByLeavesTheJournal(t *testing.T) {
	l, dir := library(t)
	first := record(t, l, "a")
	add(t, first, 2)
	finish(t, first)
	before := readFile(t, dir, "a.yaml")

	c := record(t, l, "a")
	add(t, c, 3)
	s, err := c.CloseBy(time.Now().Add(-time.Second))
	if err != nil || s.New != 3 || s.Journal != filepath.Join(dir, "a.journal") || s.File != "" {
		t.Errorf("came to %+v, %v", s, err)
	}
	if diff := cmp.Diff(string(before), string(readFile(t, dir, "a.yaml"))); diff != "" {
		t.Errorf("the tape has changed (-before +after):\n%s", diff)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("in the folder are %v, %v", files, err)
	}

	next := record(t, l, "a")
	const want = `cassette "a": kept 3 exchanges of a recording that did not end`
	if next.Recovered() != want {
		t.Errorf("the operator is told %q", next.Recovered())
	}
	if s, err := next.CloseBy(time.Now().Add(time.Hour)); err != nil || s.Exchanges != 5 {
		t.Errorf("came to %+v, %v", s, err)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5}, numbers(load(t, l, "a"))); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

func TestExposedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes do not say who may write")
	}
	l, dir := library(t)
	for _, tt := range []struct {
		mode os.FileMode
		said string
	}{{0o700, ""}, {0o755, ""}, {0o770, ""}, {0o777, "0777"}, {0o702, "chmod o-w"}} {
		if err := os.Chmod(dir, tt.mode); err != nil {
			t.Fatal(err)
		}
		got := l.Exposed()
		if (got == "") != (tt.said == "") || !strings.Contains(got, tt.said) {
			t.Errorf("%04o: told %q", tt.mode, got)
		}
	}
}
