package cassettes_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/cassettes"
)

// killed returns the journal of a recording of n exchanges that was killed, and leaves the
// folder as before.
func killed(t *testing.T, l *cassettes.Library, dir string, n int) []byte {
	t.Helper()
	c := record(t, l, "scratch")
	add(t, c, n)
	journal := readFile(t, dir, "scratch.journal")
	finish(t, c)
	if err := os.Remove(filepath.Join(dir, "scratch.yaml")); err != nil {
		t.Fatal(err)
	}
	return journal
}

func TestTornJournalIsRecovered(t *testing.T) {
	l, dir := library(t)
	journal := killed(t, l, dir, 3)
	third := bytes.Index(journal, []byte("\nentry 3 ")) + 1
	tests := []struct {
		name  string
		size  int
		want  []int
		found string
	}{
		{"whole", len(journal), []int{1, 2, 3},
			`cassette "a": kept 3 exchanges of a recording that did not end`},
		{"cut in the last entry", third + 100, []int{1, 2},
			`cassette "a": kept 2 exchanges of a recording that did not end; ` +
				`cut off a torn entry of 100 bytes`},
		{"cut between entries", third, []int{1, 2},
			`cassette "a": kept 2 exchanges of a recording that did not end`},
		{"cut in the head", 5, nil, `cassette "a": cut off a torn entry of 5 bytes`},
		{"empty", 0, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := library(t)
			writeFile(t, journal[:tt.size], dir, "a.journal")
			c := record(t, l, "a")
			if c.Recovered() != tt.found {
				t.Errorf("the operator is told %q, want %q", c.Recovered(), tt.found)
			}
			add(t, c, 1)
			finish(t, c)
			want := append(tt.want, len(tt.want)+1)
			if diff := cmp.Diff(want, numbers(load(t, l, "a"))); diff != "" {
				t.Errorf("numbers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestKilledAfterFold leaves the journal of a fold that had finished beside its tape.
func TestKilledAfterFold(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	add(t, c, 3)
	journal := readFile(t, dir, "a.journal")
	finish(t, c)
	tape := readFile(t, dir, "a.yaml")
	writeFile(t, journal, dir, "a.journal")
	if got := load(t, l, "a"); len(got.Exchanges) != 3 || got.Warnings != nil {
		t.Errorf("loaded %d exchanges, warnings %q", len(got.Exchanges), got.Warnings)
	}
	finish(t, record(t, l, "a"))
	if !bytes.Equal(tape, readFile(t, dir, "a.yaml")) {
		t.Error("folding the same journal twice changed the tape")
	}
}

// TestJournalOfAnotherTape has two recordings of the same numbers, as when a tape was checked
// out over the one that a journal belongs to. Nothing of either is lost.
func TestJournalOfAnotherTape(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	for range 2 {
		x := sample(c.Next())
		x.Response.Body = "other"
		if err := c.Append(cleaned(t, x)); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, c)
	writeFile(t, killed(t, l, dir, 3), dir, "a.journal")
	finish(t, record(t, l, "a"))
	tape := load(t, l, "a")
	var bodies []string
	for _, x := range tape.Exchanges {
		bodies = append(bodies, x.Exchange().Response.Body)
	}
	want := []string{
		"other", "other", sample(3).Response.Body, sample(1).Response.Body, sample(2).Response.Body,
	}
	if diff := cmp.Diff(want, bodies); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5}, numbers(tape)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

func TestDamagedJournalStays(t *testing.T) {
	l, dir := library(t)
	journal := killed(t, l, dir, 3)
	journal = bytes.Replace(journal, []byte("o-2"), []byte("o-9"), 1)
	writeFile(t, journal, dir, "a.journal")
	_, err := l.Record("a", &fakeCleaner{tb: t})
	if err == nil || !strings.Contains(err.Error(), "a.journal: the entry at byte ") {
		t.Fatalf("got error %v", err)
	}
	if !bytes.Equal(journal, readFile(t, dir, "a.journal")) {
		t.Error("the damaged journal was touched")
	}
	if diff := cmp.Diff([]string{"a.journal"}, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestFailedFoldKeepsTheJournal puts a folder where the tape should go.
func TestFailedFoldKeepsTheJournal(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	add(t, c, 2)
	obstacle := filepath.Join(dir, "a.yaml")
	if err := os.Mkdir(obstacle, 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := c.Close()
	if err == nil || !strings.Contains(err.Error(), `cassette "a"`) {
		t.Fatalf("got error %v", err)
	}
	want := cassettes.Summary{New: 2, Journal: filepath.Join(dir, "a.journal")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if _, again := c.Close(); again == nil || again.Error() != err.Error() {
		t.Errorf("closing again: %v", again)
	}
	if diff := cmp.Diff([]string{"a.journal", "a.yaml"}, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	if s := finish(t, record(t, l, "a")); s.Exchanges != 2 || s.New != 0 {
		t.Errorf("got summary %+v", s)
	}
}

func TestHalfWrittenTapeIsSwept(t *testing.T) {
	l, dir := library(t)
	writeFile(t, []byte("half"), dir, "a.yaml.tmp-abcdefgh")
	writeFile(t, []byte("half"), dir, "ab.yaml.tmp-abcdefgh")
	finish(t, record(t, l, "a"))
	if diff := cmp.Diff([]string{"ab.yaml.tmp-abcdefgh"}, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestDeletedJournal removes the journal under a running recording, whose exchanges are still
// in the file that it holds open.
func TestDeletedJournal(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	add(t, c, 2)
	if err := os.Remove(filepath.Join(dir, "a.journal")); err != nil {
		t.Fatal(err)
	}
	if s := finish(t, c); s.Exchanges != 2 {
		t.Errorf("got summary %+v", s)
	}
}
