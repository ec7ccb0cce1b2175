package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/kinds"
	"github.com/paytape/paytape/cassettes/store/lockfile"
	"github.com/paytape/paytape/cassettes/store/pieces"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

func sum(data []byte) [32]byte { return sha256.Sum256(data) }

// A tape is recorded, pushed, pulled elsewhere, recorded anew, and pulled again.
func TestLifeOfATape(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	first := tape(t, upTo(3), 200)
	ours.write("shop/checkout.yaml", first)
	ours.must("shop/checkout pushed", store.Push, "shop/checkout.yaml")
	lock := string(ours.read("paytape.lock"))
	if want := row("shop/checkout", first, "exchanges: 3, recorded: 2026-03-01T10:00:03Z, profiles: [gateway]"); !strings.HasSuffix(lock, "tapes:\n"+want) {
		t.Errorf("the lock is\n%s want\n%s", lock, want)
	}
	if got := filesOf(t, dir); len(got) != 2 {
		t.Errorf("the store has %v", got)
	}

	theirs := ours.clone()
	theirs.must("", store.Require, "other") // the lock does not name it
	theirs.must("shop/checkout pulled", store.Require, "shop/checkout")
	theirs.has("shop/checkout.yaml", first)
	theirs.must("", store.Require, "shop/checkout")
	theirs.must("shop/checkout here", store.Pull)

	second := tape(t, []int{1, 2, 9, 4}, 200)
	ours.write("shop/checkout.yaml", second)
	ours.must("shop/checkout kept", store.Require, "shop/checkout")
	ours.must("shop/checkout pushed", store.Push, "shop/checkout")
	if now := strings.Split(string(ours.read("paytape.lock")), "\n"); len(now) != strings.Count(lock, "\n")+1 {
		t.Errorf("more than a line has changed: %s", now)
	}
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	theirs.must("shop/checkout kept", store.Require, "shop/checkout") // it plays what is here
	theirs.has("shop/checkout.yaml", first)
	theirs.must("shop/checkout replaced", store.Pull, "shop/checkout")
	theirs.has("shop/checkout.yaml", second)
	ours.tidy()
}

// Pushing what is there moves no piece, under whatever name.
func TestPushingTheSameMovesNothing(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	f := newFolder(t, location)
	text := tape(t, upTo(700), 3000)
	f.write("a.yaml", text)
	f.write("b.yaml", text)
	f.must("a pushed", store.Push, "a")
	before := filesOf(t, dir)
	f.must("a there", store.Push, "a", "a.yaml")
	if f.moved != 0 {
		t.Errorf("%d bytes moved", f.moved)
	}
	f.must("b there", store.Push, "b")
	if after := filesOf(t, dir); fmt.Sprint(after) != fmt.Sprint(before) || len(before) < 4 {
		t.Errorf("the store had %v, and has %v", before, after)
	}
	// What the store has lost it gets again.
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(before[0]))); err != nil {
		t.Fatal(err)
	}
	f.must("a pushed", store.Push, "a")
	f.clone().must("a pulled", store.Pull, "a")
}

// Of a tape of which one flow changed, little moves to the store and from it.
func TestAChangedFlowMovesLittle(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	ours := newFolder(t, location)
	exchanges, size := unlessRaced(2200, 1100), 3000
	before := tape(t, upTo(exchanges), size)
	ours.write("big.yaml", before)
	ours.must("big pushed", store.Push, "big")
	whole := ours.moved
	theirs := ours.clone()
	theirs.must("big pulled", store.Pull)
	if theirs.moved < whole || theirs.moved > whole+whole/50 {
		t.Errorf("%d bytes were pushed, %d pulled", whole, theirs.moved)
	}

	seeds := upTo(exchanges) // one poll more, and another answer
	at := exchanges / 2
	seeds[at] = -1
	seeds = append(seeds[:at+10:at+10], append([]int{-2}, seeds[at+10:]...)...)
	after := tape(t, seeds, size)
	ours.write("big.yaml", after)
	ours.must("big pushed", store.Push, "big")
	if ours.moved > int64(unlessRaced(50, 80))*whole/100 {
		t.Errorf("%d of %d bytes were pushed", ours.moved, whole)
	}
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	theirs.must("big replaced", store.Pull)
	if theirs.moved > ours.moved*5/2 { // that, and what was given up for it
		t.Errorf("%d bytes were pushed, %d pulled", ours.moved, theirs.moved)
	}
	theirs.has("big.yaml", after)
}

// What nobody has pushed is not lost.
func TestUnpushedWorkIsKept(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	ours := newFolder(t, location)
	first, mine := tape(t, upTo(3), 200), tape(t, upTo(4), 200)
	ours.write("a.yaml", first)
	ours.must("a pushed", store.Push, "a")
	theirs := ours.clone()
	theirs.write("a.yaml", mine)
	if got, err := theirs.do(store.Pull, "a"); !errors.Is(err, store.ErrUnpushed) {
		t.Errorf("%s, %v", got, err)
	}
	theirs.must("a kept", store.Require, "a")
	theirs.Offline = true
	theirs.must("a kept", store.Require, "a")
	theirs.Offline = false
	theirs.has("a.yaml", mine)
	theirs.Force = true
	theirs.must("a replaced", store.Pull, "a")
	theirs.has("a.yaml", first)

	// A recording that was killed has left its journal alone.
	killed := ours.clone()
	library, err := cassettes.Open(killed.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	recorder, err := library.Record("a", redact.New(killed.Secrets))
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Close()
	killed.must("", store.Require, "b")
	if got, err := killed.do(store.Pull, "a"); err == nil {
		// Nothing was recorded yet, and the recorder has the cassette.
		t.Errorf("%s", got)
	}
}

func TestWithoutAStore(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	ours := newFolder(t, location)
	ours.write("checkout.yaml", tape(t, upTo(3), 200))
	ours.must("checkout pushed", store.Push, "checkout")
	for _, test := range []struct {
		name string
		call func(context.Context, []string, store.Options) error
		o    func(*store.Options)
		want error
	}{
		{"offline", store.Require, func(o *store.Options) { o.Offline = true }, store.ErrAbsent},
		{"no store", store.Require, func(o *store.Options) { o.URL = "" }, store.ErrNoStore},
		{"pull without store", store.Pull, func(o *store.Options) { o.URL = "" }, store.ErrNoStore},
		{"push without store", store.Push, func(o *store.Options) { o.URL = "" }, store.ErrNoStore},
		{"another store", store.Require, func(o *store.Options) { o.URL = "dir:" + t.TempDir() }, blob.ErrNotFound},
		{"no folder of a store", store.Require, func(o *store.Options) { o.URL += "/none" }, blob.ErrPermanent},
		{"no folder", store.Pull, func(o *store.Options) { o.Dir += "/none" }, cassettes.ErrNoFolder},
		{"no folder is needed", store.Require, func(o *store.Options) { o.Dir += "/none" }, nil},
	} {
		f := ours.clone()
		test.o(&f.Options)
		if got, err := f.do(test.call, "checkout"); !errors.Is(err, test.want) || test.want != nil && err == nil {
			t.Errorf("%s: %s, %v", test.name, got, err)
		}
		if got := filesOf(t, strings.TrimSuffix(f.Dir, "/none")); len(got) != 1 {
			t.Errorf("%s: the folder has %v", test.name, got)
		}
	}
	f := ours.clone()
	if _, err := f.do(store.Pull, "chekout", "checkout"); !errors.Is(err, store.ErrNotLocked) ||
		!strings.Contains(err.Error(), `"checkout" is`) {
		t.Error(err)
	}
	f.write("paytape.lock", []byte("version: 3\n"))
	for _, call := range []func(context.Context, []string, store.Options) error{store.Pull, store.Push, store.Require} {
		_, err := f.do(call, "checkout")
		if _, ok := errors.AsType[*lockfile.Error](err); !ok {
			t.Error(err)
		}
	}
}

// Nothing of a tape that holds a secret, or that is not sealed, gets to the store.
func TestSecretsStayHere(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	f := newFolder(t, location)
	good := tape(t, upTo(3), 200)
	secret := exchange(1, 1, 200)
	secret.Response.Body = `{"pan":"` + "411111" + "1111111111" + `"}`
	f.write("card.yaml", sealedAs(t, secret))
	secret.Response.Body = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEow"+"IBAAKCAQEA", 30) +
		"\n-----END RSA " + "PRIVATE KEY-----\n"
	f.write("key.yaml", sealedAs(t, secret))
	secret.Response.Body = `{"password":"hunter2-` + `Secret-9"}`
	f.write("password.yaml", sealedAs(t, secret))
	f.write("edited.yaml", bytes.Replace(good, []byte("orderNumber"), []byte("orderNumbre"), 1))
	f.write("good.yaml", good)
	got, err := f.do(store.Push, "card", "key", "password", "edited", "good", "missing")
	if got != "good pushed" || !errors.Is(err, cassettes.ErrUnsealed) || !errors.Is(err, cassettes.ErrNotFound) {
		t.Errorf("%s, %v", got, err)
	}
	if found, ok := errors.AsType[*store.SecretsError](err); !ok || len(found.Findings) == 0 ||
		strings.Count(err.Error(), "looks like a secret") != 3 {
		t.Error(err)
	}
	if left := filesOf(t, dir); len(left) != 2 {
		t.Errorf("the store has %v", left)
	}
	if lock := string(f.read("paytape.lock")); strings.Count(lock, "- {") != 1 {
		t.Errorf("the lock is %s", lock)
	}
}

// server is a store behind a web server that may misbehave.
type server struct {
	*httptest.Server
	asked atomic.Int32
	// spoil answers a request, or reports that it does not.
	spoil atomic.Pointer[func(http.ResponseWriter, *http.Request) bool]
}

func serve(t *testing.T, dir string) *server {
	s := &server{}
	files := http.FileServer(http.Dir(dir))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if spoil := s.spoil.Load(); spoil == nil || !(*spoil)(w, r) {
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) misbehaves(how func(http.ResponseWriter, *http.Request) bool) { s.spoil.Store(&how) }

// A store that lies or fails never leads to a tape that is wrong, or to half of one; and when it is well
// again, the pull goes on where it was.
func TestAStoreThatLies(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	big := tape(t, upTo(unlessRaced(800, 320)), 3000)
	ours.write("big.yaml", big)
	ours.must("big pushed", store.Push, "big")
	ours.write("small.yaml", tape(t, upTo(2), 200))
	ours.must("small pushed", store.Push, "small")
	isPiece := func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/blobs/") }
	smallIndex := fmt.Sprintf("/tapes/%.1x/%x", sum(ours.read("small.yaml")), sum(ours.read("small.yaml")))
	content := func(path string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			t.Error(err)
		}
		return data
	}
	for _, test := range []struct {
		name  string
		spoil func(w http.ResponseWriter, r *http.Request) bool
		want  error // nil: any
		says  string
	}{
		{"wrong bytes", func(w http.ResponseWriter, r *http.Request) bool {
			if isPiece(r) {
				data := content(r.URL.Path)
				data[len(data)/2] ^= 1
				_, _ = w.Write(data)
			}
			return isPiece(r)
		}, blob.ErrWrong, "piece"},
		{"cut bytes", func(w http.ResponseWriter, r *http.Request) bool {
			if isPiece(r) {
				data := content(r.URL.Path)
				_, _ = w.Write(data[:len(data)/2])
			}
			return isPiece(r)
		}, blob.ErrWrong, "bytes of"},
		{"a connection that breaks", func(w http.ResponseWriter, r *http.Request) bool {
			if isPiece(r) {
				data := content(r.URL.Path)
				w.Header().Set("Content-Length", fmt.Sprint(len(data)))
				_, _ = w.Write(data[:len(data)/2])
				panic(http.ErrAbortHandler)
			}
			return false
		}, nil, "tried 5 times: unexpected EOF"},
		{"status 500", func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}, nil, "tried 5 times: status 500"},
		{"status 403", func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusForbidden)
			return true
		}, blob.ErrDenied, "status 403"},
		{"no piece", func(w http.ResponseWriter, r *http.Request) bool {
			if isPiece(r) {
				http.NotFound(w, r)
			}
			return isPiece(r)
		}, blob.ErrNotFound, "getting piece"},
		{"an index that is none", func(w http.ResponseWriter, r *http.Request) bool {
			if !isPiece(r) {
				_, _ = w.Write([]byte("<html>please log in</html>"))
			}
			return !isPiece(r)
		}, blob.ErrWrong, "the index of tape"},
		{"the index of another tape", func(w http.ResponseWriter, r *http.Request) bool {
			if !isPiece(r) {
				_, _ = w.Write(content(smallIndex))
			}
			return !isPiece(r)
		}, blob.ErrWrong, "it does not tell of this tape"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, dir)
			theirs := newFolder(t, s.URL)
			theirs.write("paytape.lock", ours.read("paytape.lock"))
			s.misbehaves(test.spoil)
			got, err := theirs.do(store.Pull, "big")
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s, %v", got, err)
			}
			if _, err := os.Stat(theirs.file("big.yaml")); err == nil {
				t.Error("there is a tape")
			}
			s.misbehaves(func(http.ResponseWriter, *http.Request) bool { return false })
			theirs.must("big pulled", store.Pull, "big")
			theirs.has("big.yaml", big)
		})
	}
}

// An index may lead to other pieces than those of its tape, all of which are what they are called: the
// whole is compared with the lock.
func TestAnIndexThatLeadsAstray(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	ours := newFolder(t, location)
	right, wrong := tape(t, upTo(3), 200), tape(t, []int{1, 2, 4}, 200)
	if len(right) != len(wrong) {
		t.Fatal("the tapes have not one length")
	}
	ours.write("a.yaml", wrong)
	ours.must("a pushed", store.Push, "a")
	dir := strings.TrimPrefix(location, "dir:")
	path := func(text []byte) string {
		return filepath.Join(dir, filepath.FromSlash(blob.Blob{Kind: blob.Index, Digest: sum(text)}.Path()))
	}
	index, err := os.ReadFile(path(wrong))
	if err != nil {
		t.Fatal(err)
	}
	codec, err := pieces.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	defer codec.Close()
	plain, err := codec.Unpack(index, 0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := pieces.ParseIndex(plain)
	if err != nil {
		t.Fatal(err)
	}
	x.Tape = sum(right)
	if err := os.MkdirAll(filepath.Dir(path(right)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path(right), codec.Pack(x.Encode()), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs := newFolder(t, location)
	theirs.write("paytape.lock", []byte("version: 1\ntapes:\n"+row("a", right, "exchanges: 3")))
	if got, err := theirs.do(store.Pull); !errors.Is(err, blob.ErrWrong) ||
		!strings.Contains(err.Error(), "the pieces of its index are not this tape") {
		t.Errorf("%s, %v", got, err)
	}
	theirs.tidy()
	if got := filesOf(t, theirs.Dir); len(got) != 1 {
		t.Errorf("the folder has %v", got)
	}
}

// What has the right hash and no seal is refused behind the hash.
func TestHashFirstThenSeal(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	ours := newFolder(t, location)
	plain := []byte("version: 1\ninteractions: []\n")
	ours.write("a.yaml", tape(t, upTo(3), 200))
	ours.must("a pushed", store.Push, "a")
	putUnsealed(t, location, plain)
	theirs := newFolder(t, location)
	theirs.write("paytape.lock", []byte("version: 1\ntapes:\n"+row("a", plain, "exchanges: 0")))
	if got, err := theirs.do(store.Pull); !errors.Is(err, cassettes.ErrUnsealed) {
		t.Errorf("%s, %v", got, err)
	}
	if got := filesOf(t, theirs.Dir); len(got) != 1 {
		t.Errorf("the folder has %v", got)
	}
}

// putUnsealed puts a tape into a store past all checks.
func putUnsealed(t *testing.T, location string, text []byte) {
	t.Helper()
	codec, err := pieces.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	defer codec.Close()
	s, err := kinds.Open(location, kinds.Options{})
	if err != nil {
		t.Fatal(err)
	}
	packed := codec.Pack(text)
	piece := blob.Blob{Digest: blob.DigestOf(packed), Size: int64(len(packed))}
	x := pieces.Index{Tape: sum(text), Size: int64(len(text)), Entries: []pieces.Entry{
		{Blob: piece, Text: blob.DigestOf(text), TextSize: len(text), Base: pieces.Verbatim},
	}}
	err = errors.Join(s.Put(t.Context(), piece, packed),
		s.Put(t.Context(), blob.Blob{Kind: blob.Index, Digest: sum(text)}, codec.Pack(x.Encode())))
	if err != nil {
		t.Fatal(err)
	}
}

// A pull that broke off goes on behind what has come.
func TestABrokenPullGoesOn(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	big := tape(t, upTo(unlessRaced(2500, 1600)), 3000)
	ours.write("big.yaml", big)
	ours.must("big pushed", store.Push, "big")
	whole := ours.moved
	s := serve(t, dir)
	theirs := newFolder(t, s.URL)
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	blobs := atomic.Int32{}
	s.misbehaves(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/blobs/") || blobs.Add(1) <= 5 {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	if _, err := theirs.do(store.Pull); !errors.Is(err, blob.ErrDenied) {
		t.Fatal(err)
	}
	came := theirs.moved
	s.misbehaves(func(http.ResponseWriter, *http.Request) bool { return false })
	// What was written last is half a piece, as after the end of a process.
	for _, name := range filesOf(t, theirs.Dir) {
		if strings.Contains(name, ".tmp-") {
			theirs.write(name, append(theirs.read(name), "- request:\n    body: \"half"...))
		}
	}
	theirs.must("big pulled", store.Pull)
	if came < whole/10 || theirs.moved > whole-came/2 {
		t.Errorf("of %d bytes %d came first, and then %d", whole, came, theirs.moved)
	}
	theirs.has("big.yaml", big)
}

// Many push at once, into one folder and out of several, and all of it is there.
func TestPushersAtOnce(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	one, other := newFolder(t, location), newFolder(t, location)
	same := tape(t, upTo(unlessRaced(700, 300)), 2000)
	var names []string
	var all sync.WaitGroup
	for i := range 12 {
		f, name := one, fmt.Sprintf("tape%02d", i)
		if i%3 == 0 {
			f = other
		} else {
			names = append(names, name)
		}
		text := same
		if i%2 == 0 {
			text = tape(t, []int{i + 1, 1}, 300)
		}
		f.write(name+".yaml", text)
		all.Go(func() {
			if err := store.Push(t.Context(), []string{name}, withoutTelling(f.Options)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, f := range []*folder{one, other} {
		copied := f.clone()
		if _, err := copied.do(store.Pull); err != nil {
			t.Error(err)
		}
		for _, name := range filesOf(t, f.Dir) {
			copied.has(name, f.read(name))
		}
	}
	lock, err := lockfile.Parse(one.read("paytape.lock"))
	if err != nil || len(lock.Tapes()) != len(names) {
		t.Errorf("%v: the lock has %d rows, want %d", err, len(lock.Tapes()), len(names))
	}
}

// Many who need one tape get it once.
func TestPullersAtOnce(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	text := tape(t, upTo(unlessRaced(800, 320)), 3000)
	ours.write("a.yaml", text)
	ours.must("a pushed", store.Push, "a")
	s := serve(t, dir)
	theirs := newFolder(t, s.URL)
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if err := store.Require(t.Context(), []string{"a"}, withoutTelling(theirs.Options)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	theirs.has("a.yaml", text)
	if n := int(s.asked.Load()); n > len(filesOf(t, dir)) {
		t.Errorf("the store was asked %d times", n)
	}
}

func withoutTelling(o store.Options) store.Options {
	o.Tell, o.Progress = nil, nil
	return o
}

// The authorities are read when a store is opened, and not before.
func TestRoots(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	ours := newFolder(t, location)
	ours.write("a.yaml", tape(t, upTo(3), 10))
	ours.must("a pushed", store.Push, "a")
	theirs := newFolder(t, location)
	unreadable := errors.New("no authorities")
	theirs.Roots = func() (*x509.CertPool, error) { return nil, unreadable }
	if err := store.Require(t.Context(), []string{"a"}, theirs.Options); err != nil {
		t.Errorf("without a lock: %v", err)
	}
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	if err := store.Require(t.Context(), []string{"a"}, theirs.Options); !errors.Is(err, unreadable) {
		t.Errorf("with a lock: %v, want %v", err, unreadable)
	}
}

// Interrupted work ends, and tells nothing that is not so.
func TestInterruption(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	text := tape(t, upTo(unlessRaced(800, 320)), 3000)
	ours.write("a.yaml", text)
	ours.must("a pushed", store.Push, "a")
	s := serve(t, dir)
	theirs := newFolder(t, s.URL)
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	ctx, cancel := context.WithCancel(t.Context())
	s.misbehaves(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/blobs/") {
			cancel()
			<-r.Context().Done()
		}
		return false
	})
	if err := store.Pull(ctx, nil, theirs.Options); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.misbehaves(func(http.ResponseWriter, *http.Request) bool { return false })
	theirs.must("a pulled", store.Pull)
	theirs.has("a.yaml", text)
}

// Tapes in numbers: the long form is .ci/tapes.
func TestManyTapes(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	f := newFolder(t, location)
	const tapes = 100
	var names []string
	for i := range tapes {
		names = append(names, fmt.Sprintf("tapes/%03d", i))
		f.write(names[i]+".yaml", tape(t, []int{i + 1}, 100))
	}
	if _, err := f.do(store.Push, names...); err != nil {
		t.Fatal(err)
	}
	copied := f.clone()
	if _, err := copied.do(store.Pull); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		copied.has(name+".yaml", f.read(name+".yaml"))
	}
	if _, err := f.do(store.Push, names...); err != nil || f.moved > 0 {
		t.Errorf("%d bytes moved for nothing, %v", f.moved, err)
	}
}

// A store that is down is not asked for each of many tapes.
func TestAStoreThatIsDown(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprintf("tape%02d", i))
		ours.write(names[i]+".yaml", tape(t, []int{i + 1}, 100))
	}
	if _, err := ours.do(store.Push, names...); err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{http.StatusForbidden, http.StatusServiceUnavailable} {
		s := serve(t, dir)
		s.misbehaves(func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			return true
		})
		theirs := newFolder(t, s.URL)
		theirs.write("paytape.lock", ours.read("paytape.lock"))
		got, err := theirs.do(store.Pull)
		if got != "" || err == nil || strings.Count(err.Error(), "status") > 15 || int(s.asked.Load()) > 80 ||
			!strings.Contains(err.Error(), " tapes not tried") {
			t.Errorf("asked %d times: %s, %v", s.asked.Load(), got, err)
		}
		theirs.tidy()
	}

	// A store that refuses one blob is asked for all others.
	s := serve(t, dir)
	bad := fmt.Sprintf("%x", sum(ours.read("tape07.yaml")))
	s.misbehaves(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, bad) {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	theirs := newFolder(t, s.URL)
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	got, err := theirs.do(store.Pull)
	if strings.Count(got, "pulled") != 59 || !errors.Is(err, blob.ErrDenied) || strings.Contains(err.Error(), "not tried") {
		t.Errorf("%s, %v", got, err)
	}
}

// sealedAs returns a tape of an exchange that nobody has cleaned.
func sealedAs(t *testing.T, x *leaf.Exchange) []byte {
	t.Helper()
	seal, err := redact.CheckSeal(nil, redact.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	text, err := cassettes.Encode([]redact.Clean{seal.Reopen(x)})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
