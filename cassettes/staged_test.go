package cassettes_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/cassettes"
)

func stories(t *testing.T) []byte {
	t.Helper()
	return readFile(t, "..", "testdata", "stories.yaml")
}

// A file is staged in two processes, one of which ends in the middle.
func TestStage(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	whole := stories(t)
	if err := os.Mkdir(filepath.Join(dir, "shop"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := l.Stage("shop/tape")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Stage("shop/tape"); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("it is staged twice: %v", err)
	}
	if _, err := s.Write(whole[:100]); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if names, err := l.List(); len(names) != 0 || err != nil {
		t.Errorf("%v, %v", names, err)
	}
	if s, err = l.Stage("shop/tape"); err != nil {
		t.Fatal(err)
	}
	if size, err := s.Size(); size != 100 || err != nil {
		t.Fatalf("%d bytes, %v", size, err)
	}
	if _, err := s.Write(whole[100:]); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(nil); err != nil {
		t.Fatal(err)
	}
	if got := files(t, filepath.Join(dir, "shop")); len(got) != 1 || got[0] != "tape.yaml" {
		t.Errorf("the folder has %v", got)
	}
	f, err := l.OpenFile("shop/tape")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum, err := f.SHA256()
	if err != nil || sum != sha256.Sum256(whole) || f.Size != int64(len(whole)) {
		t.Errorf("%x of %d bytes, %v", sum, f.Size, err)
	}
	if seal, err := f.Seal(); err != nil || !bytes.HasSuffix(whole, []byte(seal)) || seal == "" {
		t.Errorf("%q, %v", seal, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "shop", "tape.yaml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// What is asked last keeps a file where it is, and nothing is left of a file of which nothing has come.
func TestStageAsksLast(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	writeFile(t, []byte("mine"), dir, "tape.yaml")
	refused := errors.New("no")
	for _, last := range []func() error{func() error { return refused }, func() error { return nil }} {
		s, err := l.Stage("tape")
		if err != nil {
			t.Fatal(err)
		}
		if !l.Staging("tape") {
			t.Error("nobody stages")
		}
		if size, err := s.Size(); err == nil && size == 0 { // the first time
			if _, err := s.Write(stories(t)); err != nil {
				t.Fatal(err)
			}
		}
		want := last()
		if err := s.Commit(last); !errors.Is(err, want) {
			t.Error(err)
		}
		if got := string(readFile(t, dir, "tape.yaml")); (got == "mine") != (want != nil) {
			t.Errorf("it has %d bytes", len(got))
		}
	}
	s, err := l.Stage("tape")
	if err == nil {
		err = s.Close()
	}
	if got := files(t, dir); err != nil || len(got) != 1 {
		t.Errorf("the folder has %v, %v", got, err)
	}
}

// What is not sealed never gets to be a tape, and the tape that was there stays.
func TestStageRefuses(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	whole := stories(t)
	writeFile(t, whole, dir, "tape.yaml")
	stage := func() *cassettes.Staged {
		s, err := l.Stage("tape")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, content := range [][]byte{nil, whole[:len(whole)-2], append([]byte("x"), whole...)} {
		s := stage()
		if _, err := s.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(nil); !errors.Is(err, cassettes.ErrUnsealed) {
			t.Errorf("%d bytes: %v", len(content), err)
		}
	}
	s := stage()
	if _, err := io.WriteString(s, "half"); err != nil {
		t.Fatal(err)
	}
	if err := s.Discard(); err != nil {
		t.Error(err)
	}
	if got := files(t, dir); len(got) != 1 || !bytes.Equal(readFile(t, dir, "tape.yaml"), whole) {
		t.Errorf("the folder has %v", got)
	}
	if _, err := l.OpenFile("other"); !errors.Is(err, cassettes.ErrNotFound) {
		t.Error(err)
	}
	if _, err := l.Stage("../tape"); !errors.Is(err, cassettes.ErrName) {
		t.Error(err)
	}
	if err := os.Symlink("tape.yaml", filepath.Join(dir, "link.yaml")); err == nil {
		if _, err := l.Stage("link"); err == nil {
			t.Error("a link was to be replaced")
		}
	}
}

// A recording is not replaced while it runs, nor when it was killed.
func TestStageAndRecordings(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	c := record(t, l, "tape")
	add(t, c, 1)
	if unfinished, err := l.Unfinished("tape"); !unfinished || err != nil {
		t.Errorf("%v, %v", unfinished, err)
	}
	if _, err := l.Stage("tape"); err == nil {
		t.Error("a recording that runs was to be replaced")
	}
	// What a pull has left does not tell that somebody pulls now.
	writeFile(t, []byte("half"), dir, "tape.yaml.tmp-staged")
	if l.Staging("tape") {
		t.Error("a recording is taken for a pull")
	}
	journal := readFile(t, dir, "tape.journal")
	finish(t, c)
	if err := os.Remove(filepath.Join(dir, "tape.yaml.tmp-staged")); err != nil {
		t.Error(err)
	}
	writeFile(t, journal, dir, "tape.journal")
	if _, err := l.Stage("tape"); !errors.Is(err, cassettes.ErrUnfinished) {
		t.Errorf("a recording that was killed was to be replaced: %v", err)
	}
}

// A file that somebody needs is not taken for a lock of ours.
func TestAFileInTheWayOfALock(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	writeFile(t, []byte("version: 1\n"), dir, "package.lock")
	_, err := l.Record("package", &fakeCleaner{tb: t})
	if err == nil || !strings.Contains(err.Error(), "package.lock is in the way") {
		t.Error(err)
	}
	if got := string(readFile(t, dir, "package.lock")); got != "version: 1\n" {
		t.Errorf("it holds %q", got)
	}
}

// No new cassette has the name whose lock is paytape.lock; one that is there is read.
func TestTheNameOfTheLock(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	for _, name := range []string{"paytape", "shop/Paytape.yaml"} {
		if err := cassettes.CheckName(name); err != nil {
			t.Error(err)
		}
		if err := cassettes.CheckNewName(name); !errors.Is(err, cassettes.ErrName) {
			t.Error(err)
		}
		if _, err := l.Record(name, &fakeCleaner{tb: t}); !errors.Is(err, cassettes.ErrName) {
			t.Error(err)
		}
		if _, err := l.Stage(name); !errors.Is(err, cassettes.ErrName) {
			t.Error(err)
		}
	}
	if err := cassettes.CheckNewName("shop/paytape-2"); err != nil {
		t.Error(err)
	}
	writeFile(t, stories(t), dir, "paytape.yaml")
	tape, err := l.Load("paytape", &fakeCleaner{tb: t})
	if err != nil || len(tape.Exchanges) == 0 || !tape.Sealed {
		t.Error(err)
	}
	if names, err := l.List(); len(names) != 1 || err != nil {
		t.Errorf("%v, %v", names, err)
	}
}

// Many who change a sidecar lose nothing of each other.
func TestSidecar(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	if _, err := l.ReadSidecar("paytape.lock"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			other, err := cassettes.Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer other.Close()
			err = other.UpdateSidecar("paytape.lock", func(old []byte) ([]byte, error) {
				return append(old, fmt.Sprintf("%d\n", i)...), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	data, err := l.ReadSidecar("paytape.lock")
	if err != nil || bytes.Count(data, []byte("\n")) != 8 {
		t.Errorf("%v: %q", err, data)
	}
	refused := errors.New("no")
	err = l.UpdateSidecar("paytape.lock", func([]byte) ([]byte, error) { return nil, refused })
	if !errors.Is(err, refused) {
		t.Error(err)
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("the folder has %v", got)
	}
}
