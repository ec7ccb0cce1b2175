package store_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/redact"
)

// exchange returns an exchange of about a size, which is told apart by its seed.
func exchange(number, seed, size int) *leaf.Exchange {
	random := make([]byte, size/2)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}).Read(random)
	text := strings.Map(func(r rune) rune { // nothing that looks like a card number
		if r >= '0' && r <= '9' {
			return r - '0' + 'g'
		}
		return r
	}, hex.EncodeToString(random))
	return &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Method: http.MethodPost, URL: "https://sandbox.example/payment/rest/register.do",
				Form: url.Values{"orderNumber": {"n"}}, Body: "orderNumber=n",
			},
			Response: cassette.Response{Code: 200, Status: "200 OK", Body: text},
		},
		Meta: leaf.Meta{
			Number: number, Profile: "gateway", Operation: "register.do",
			At: time.Date(2026, 3, 1, 10, 0, seed, 0, time.UTC),
		},
	}
}

// tape returns the text of a tape.
func tape(t testing.TB, seeds []int, size int) []byte {
	t.Helper()
	seal, err := redact.CheckSeal(nil, redact.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	var all []redact.Clean
	for i, seed := range seeds {
		all = append(all, seal.Reopen(exchange(i+1, seed, size)))
	}
	text, err := cassettes.Encode(all)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// unlessRaced returns n, such as how many exchanges a tape has, and another number beside the race detector,
// with which a megabyte that is searched, cut and compressed takes a second. What goes on at once is the
// same: pieces of a tape, and tapes.
func unlessRaced(n, other int) int {
	if raced.Enabled {
		return other
	}
	return n
}

// folder is a folder of cassettes, with a store.
type folder struct {
	testing.TB
	store.Options

	mu   sync.Mutex // guards done
	done []store.Done
	// moved is how many bytes have gone over in the last call.
	moved int64
}

// newFolder returns an empty folder of a store.
func newFolder(t testing.TB, location string) *folder {
	f := &folder{TB: t}
	f.Options = store.Options{
		Dir: t.TempDir(), URL: location, Lookup: os.LookupEnv,
		Secrets: redact.Options{Profiles: &profile.Set{}}, // no profile has to be read for each push
		Tell: func(d store.Done) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.done = append(f.done, d)
		},
		Progress: func(p store.Progress) { f.moved = p.Moved },
	}
	f.Hurry()
	return f
}

// newStore returns the URL of an empty store in a folder, and the folder.
func newStore(t testing.TB) (location, dir string) {
	dir = t.TempDir()
	return "dir:" + dir, dir
}

func (f *folder) file(name string) string { return filepath.Join(f.Dir, name) }

func (f *folder) write(name string, data []byte) {
	f.Helper()
	if err := os.MkdirAll(filepath.Dir(f.file(name)), 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(f.file(name), data, 0o600); err != nil {
		f.Fatal(err)
	}
}

func (f *folder) read(name string) []byte {
	f.Helper()
	data, err := os.ReadFile(f.file(name))
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// do calls Push, Pull or Require, and returns what became of each tape: "checkout pushed".
func (f *folder) do(call func(context.Context, []string, store.Options) error, names ...string) (string, error) {
	f.done, f.moved = nil, 0
	err := call(context.Background(), names, f.Options)
	words := map[store.What]string{
		store.Pushed: "pushed", store.There: "there", store.Pulled: "pulled", store.Replaced: "replaced",
		store.Here: "here", store.Kept: "kept", store.Waiting: "waits",
	}
	var told []string
	for _, d := range f.done {
		told = append(told, d.Tape.Name+" "+words[d.What])
	}
	return strings.Join(told, ", "), err
}

// must is do where nothing fails.
func (f *folder) must(want string, call func(context.Context, []string, store.Options) error, names ...string) {
	f.Helper()
	got, err := f.do(call, names...)
	if err != nil || got != want {
		f.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

// has wants a file with some bytes, and nothing half-written.
func (f *folder) has(name string, want []byte) {
	f.Helper()
	if !bytes.Equal(f.read(name), want) {
		f.Errorf("%s has other bytes", name)
	}
	f.tidy()
}

// tidy wants nothing half-written and no locks.
func (f *folder) tidy() {
	f.Helper()
	for _, name := range filesOf(f, f.Dir) {
		if strings.Contains(name, ".tmp-") || strings.HasSuffix(name, ".lock") && name != "paytape.lock" {
			f.Errorf("%s is left", name)
		}
	}
}

// filesOf lists the files of a folder and below, by their paths.
func filesOf(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var name string
			name, err = filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// clone returns another folder of the same store, with the same lock.
func (f *folder) clone() *folder {
	f.Helper()
	g := newFolder(f.TB, f.URL)
	g.write("paytape.lock", f.read("paytape.lock"))
	return g
}

// calls are what brings tapes.
var calls = map[string]func(context.Context, []string, store.Options) error{
	"pull": store.Pull, "require": store.Require,
}

func row(name string, text []byte, rest string) string {
	return fmt.Sprintf("- {name: %s, sha256: %x, size: %d, %s}\n", name, sum(text), len(text), rest)
}
