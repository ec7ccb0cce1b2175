package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/kinds"
	"github.com/paytape/paytape/cassettes/store/pieces"
)

// A file that comes while a tape is pulled is not replaced by it, be it that there was none before.
func TestAFileThatComesMeanwhile(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	first, second, mine := tape(t, upTo(3), 200), tape(t, upTo(4), 200), tape(t, upTo(5), 200)
	ours.write("a.yaml", first)
	ours.must("a pushed", store.Push, "a")
	ours.write("a.yaml", second)
	ours.must("a pushed", store.Push, "a")
	for _, before := range [][]byte{nil, first} {
		for name, call := range calls {
			if before != nil && name == "require" {
				continue // it replaces nothing
			}
			s := serve(t, dir)
			theirs := newFolder(t, s.URL)
			theirs.write("paytape.lock", ours.read("paytape.lock"))
			if before != nil {
				theirs.write("a.yaml", before)
			}
			s.misbehaves(func(_ http.ResponseWriter, r *http.Request) bool {
				if strings.HasPrefix(r.URL.Path, "/blobs/") {
					theirs.write("a.yaml", mine)
				}
				return false
			})
			got, err := theirs.do(call, "a")
			if name == "pull" && !errors.Is(err, store.ErrUnpushed) || name == "require" && (got != "a kept" || err != nil) {
				t.Errorf("%s: %s, %v", name, got, err)
			}
			if !bytes.Equal(theirs.read("a.yaml"), mine) {
				t.Errorf("%s: the file was replaced", name)
			}
		}
	}
}

// A lock that cannot be read keeps nobody from what is here.
func TestALockThatCannotBeRead(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	for _, test := range []struct {
		name, cassette  string
		offline, warned bool
	}{
		{"it is here", "here", false, true},
		{"it is here and no store may be asked", "here", true, true},
		{"it is not here", "away", false, false},
		{"it is not here and no store may be asked", "away", true, true},
	} {
		f := newFolder(t, location)
		f.write("here.yaml", tape(t, upTo(2), 200))
		f.write("paytape.lock", []byte("version: 1\n<<<<<<< ours\n"))
		f.Offline = test.offline
		var warned error
		f.Warn = func(err error) { warned = err }
		_, err := f.do(store.Require, test.cassette)
		if (err == nil) != test.warned || (warned != nil) != test.warned {
			t.Errorf("%s: warning %v, error %v", test.name, warned, err)
		}
		if told := errors.Join(warned, err); !strings.Contains(told.Error(), "paytape.lock:2:1: a merge") {
			t.Errorf("%s: %v", test.name, told)
		}
	}
}

// The name of an index tells nothing of its bytes. They have a checksum, so that none is wrong
// without notice, and are asked for again.
func TestAnIndexThatIsDamagedOnItsWay(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	text := tape(t, upTo(3), 200)
	ours.write("a.yaml", text)
	ours.must("a pushed", store.Push, "a")
	file := fmt.Sprintf("tapes/%.1x/%x", sum(text), sum(text))
	index, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(index); at += 7 {
		s := serve(t, dir)
		theirs := newFolder(t, s.URL)
		theirs.write("paytape.lock", ours.read("paytape.lock"))
		asked := atomic.Int32{}
		s.misbehaves(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/"+file || asked.Add(1) > 1 {
				return false
			}
			damaged := bytes.Clone(index)
			damaged[at] ^= 1
			_, _ = w.Write(damaged)
			return true
		})
		if got, err := theirs.do(store.Pull, "a"); got != "a pulled" || err != nil {
			t.Errorf("byte %d of %d: %s, %v", at, len(index), got, err)
		}
		theirs.has("a.yaml", text)
	}
}

// What is here is given up only if the store has it, and has it right.
func TestAStoreThatHasTheOldTapeWrong(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	const n = 700
	old, fresh := tape(t, upTo(n), 3000), tape(t, append(upTo(n-1), -1), 3000)
	ours.write("a.yaml", old)
	ours.must("a pushed", store.Push, "a")
	theirs := ours.clone()
	theirs.must("a pulled", store.Pull)
	before := filesOf(t, dir)
	ours.write("a.yaml", fresh)
	ours.must("a pushed", store.Push, "a")
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	spoiled := 0
	for _, path := range before { // all pieces: those that both tapes have are taken from the file
		if strings.HasPrefix(path, "blobs/") {
			spoil(t, filepath.Join(dir, path))
			spoiled++
		}
	}
	if spoiled < 3 {
		t.Fatalf("%d pieces", spoiled)
	}
	if got, err := theirs.do(store.Pull); !errors.Is(err, store.ErrUnpushed) || !errors.Is(err, blob.ErrWrong) {
		t.Errorf("%s, %v", got, err)
	}
	theirs.has("a.yaml", old)
	theirs.Force = true
	theirs.must("a replaced", store.Pull)
	theirs.has("a.yaml", fresh)
}

// What a store has lost or spoiled without knowing it is put again by whoever has the tape.
func TestPushingAgain(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	ours.write("a.yaml", tape(t, upTo(3), 200))
	ours.must("a pushed", store.Push, "a")
	for _, path := range filesOf(t, dir) { // a piece, and the index
		spoil(t, filepath.Join(dir, path))
		theirs := ours.clone()
		if got, err := theirs.do(store.Pull); err == nil { // a spoiled index may lead anywhere
			t.Errorf("%s: %s", path, got)
		}
		ours.Again = true
		ours.must("a pushed", store.Push, "a")
		ours.Again = false
		theirs.must("a pulled", store.Pull)
	}
}

// spoil changes a byte of a file.
func spoil(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// An index that goes on and on is given up when it has passed the size of its tape.
func TestAnIndexWithoutAnEnd(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	text := tape(t, upTo(3), 200)
	codec, err := pieces.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	defer codec.Close()
	packed := codec.Pack(text)
	x := pieces.Index{Tape: sum(text), Size: int64(len(text))}
	for range 1000 {
		x.Entries = append(x.Entries, pieces.Entry{
			Blob: blob.Blob{Digest: blob.DigestOf(packed), Size: int64(len(packed))},
			Text: blob.DigestOf(text), TextSize: len(text), Base: pieces.Verbatim,
		})
	}
	s, err := kinds.Open(location, kinds.Options{})
	if err == nil {
		err = errors.Join(s.Put(t.Context(), x.Entries[0].Blob, packed),
			s.Put(t.Context(), blob.Blob{Kind: blob.Index, Digest: x.Tape}, codec.Pack(x.Encode())))
	}
	if err != nil {
		t.Fatal(err)
	}
	theirs := newFolder(t, location)
	theirs.write("paytape.lock", []byte("version: 1\ntapes:\n"+row("a", text, "exchanges: 3")))
	if got, err := theirs.do(store.Pull); !errors.Is(err, blob.ErrWrong) {
		t.Errorf("%s, %v", got, err)
	}
	if got := filesOf(t, theirs.Dir); len(got) != 1 {
		t.Errorf("the folder has %v", got)
	}
	if theirs.moved > 20*int64(len(packed)) {
		t.Errorf("%d bytes moved for a tape of %d", theirs.moved, len(text))
	}
}

// A pull that fails before anything has come leaves nothing, and so does one that waits in vain.
func TestAFailedPullLeavesNothing(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	theirs := newFolder(t, location)
	theirs.write("paytape.lock", []byte("version: 1\ntapes:\n"+row("a", []byte("none"), "exchanges: 3")))
	if got, err := theirs.do(store.Pull); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("%s, %v", got, err)
	}
	theirs.tidy()
}
