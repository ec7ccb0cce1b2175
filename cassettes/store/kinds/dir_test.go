package kinds_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/paytape/paytape/cassettes/store/blob"
)

func TestDir(t *testing.T) {
	dir := t.TempDir()
	keepsBlobs(t, open(t, "dir:"+dir))
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// A drive that is not mounted is no empty store, and a disk that refuses is told at once.
func TestFoldersThatAreNone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none"), file} {
		s := open(t, "dir:"+path)
		_, has := s.Has(t.Context(), piece("one"))
		_, get := s.Get(t.Context(), piece("one"))
		for _, err := range []error{has, get, s.Put(t.Context(), piece("one"), []byte("one"))} {
			if err == nil {
				t.Errorf("%s is a store", path)
			}
		}
	}
	s := open(t, "dir:"+dir)
	b := piece("one")
	if err := s.Put(t.Context(), b, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, filepath.FromSlash(b.Path())), 2); err != nil {
		t.Fatal(err)
	}
	if has, err := s.Has(t.Context(), b); has || err != nil {
		t.Errorf("it has a piece that was cut: %v, %v", has, err)
	}
}

// What a killed push has left is removed by the next, and nothing of whoever still writes.
func TestFilesThatWereLeft(t *testing.T) {
	dir := t.TempDir()
	temps := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temps, 0o700); err != nil {
		t.Fatal(err)
	}
	const killed, held, young, other = "3c1d.tmp-killed", "3c1d.tmp-held", "3c1d.tmp-young", "notes"
	for name, age := range map[string]time.Duration{
		killed: 2 * time.Hour, held: 2 * time.Hour, young: 30 * time.Minute, other: 2 * time.Hour,
	} {
		file := filepath.Join(temps, name)
		if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{held, young, other}
	if runtime.GOOS == "windows" { // there an open file is not removed
		f, err := os.Open(filepath.Join(temps, held))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	} else {
		writer := flock.New(filepath.Join(temps, held))
		if ok, err := writer.TryLock(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		defer writer.Close()
	}
	s := open(t, "dir:"+dir)
	for _, text := range []string{"one", "two"} {
		if err := s.Put(t.Context(), piece(text), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(temps)
	if err != nil || len(left) != len(want) {
		t.Fatalf("%v are left, %v; want %v", left, err, want)
	}
	for i, name := range want {
		if left[i].Name() != name {
			t.Errorf("%v are left, want %v", left, want)
		}
	}
}

// What is no file is refused, and a drive that hangs is waited for as long as somebody wants to.
func TestAFolderThatHangs(t *testing.T) {
	dir := t.TempDir()
	s, b := open(t, "dir:"+dir), piece("one")
	if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(b.Path())), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), b); !errors.Is(err, blob.ErrPermanent) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	big := blob.Blob{Digest: blob.DigestOf([]byte("big"))}
	if err := s.Put(ctx, big, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	in, err := s.Get(ctx, big)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cancel()
	if n, err := io.Copy(io.Discard, in); !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := s.Put(ctx, piece("two"), []byte("two")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if has, err := s.Has(t.Context(), piece("two")); has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
}
