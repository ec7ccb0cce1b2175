package kinds_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/kinds"
	"github.com/paytape/paytape/cassettes/store/storetest"
)

func open(t *testing.T, location string) blob.Store {
	t.Helper()
	s, err := kinds.Open(location, kinds.Options{Lookup: os.LookupEnv})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// as has the credentials of a server be where their owner has them.
func as(t *testing.T, s storetest.Server) {
	t.Helper()
	t.Setenv("HOME", t.TempDir()) // and nothing of whoever runs the test
	for _, pair := range s.Environ {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
}

func TestDir(t *testing.T) {
	dir := t.TempDir()
	keepsBlobs(t, open(t, "dir:"+dir))
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestRegistry(t *testing.T) {
	s := storetest.Registry(t)
	as(t, s)
	keepsBlobs(t, open(t, s.URL))
	denies(t, s.URL, "DOCKER_CONFIG", t.TempDir())
}

func TestGateway(t *testing.T) {
	s := storetest.Gateway(t)
	as(t, s)
	keepsBlobs(t, open(t, s.URL))
	none := open(t, strings.Replace(s.URL, "//tapes/", "//none/", 1))
	if err := none.Put(t.Context(), piece("x"), []byte("x")); !errors.Is(err, blob.ErrPermanent) {
		t.Errorf("a bucket that is not there: %v", err)
	}
	denies(t, s.URL, "AWS_SECRET_ACCESS_KEY", "another")
}

func piece(text string) blob.Blob {
	return blob.Blob{Digest: blob.DigestOf([]byte(text)), Size: int64(len(text))}
}

// keepsBlobs wants a store to be one.
func keepsBlobs(t *testing.T, s blob.Store) {
	t.Helper()
	ctx := t.Context()
	large := strings.Repeat("a piece of a tape ", 200000) // 3.6 MB
	for _, text := range []string{"one", large} {
		b := piece(text)
		if has, err := s.Has(ctx, b); has || err != nil {
			t.Fatalf("it has what was not put: %v, %v", has, err)
		}
		if _, err := s.Get(ctx, b); !errors.Is(err, blob.ErrNotFound) {
			t.Fatalf("it gives what was not put: %v", err)
		}
		for range 2 { // it may be there
			if err := s.Put(ctx, b, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if has, err := s.Has(ctx, b); !has || err != nil {
			t.Fatalf("it has not what was put: %v, %v", has, err)
		}
		gives(t, s, b, text)
	}
	tape := blob.Blob{
		Kind: blob.Index, Digest: blob.DigestOf([]byte("the file of a tape")),
		Pieces: []blob.Blob{piece("one"), piece(large)},
	}
	if has, err := s.Has(ctx, tape); has || err != nil {
		t.Fatalf("it has a tape that was not put: %v, %v", has, err)
	}
	if _, err := s.Get(ctx, tape); !errors.Is(err, blob.ErrNotFound) {
		t.Fatalf("it gives a tape that was not put: %v", err)
	}
	for _, text := range []string{"an index", "the same, compressed otherwise"} {
		tape.Size = int64(len(text))
		if err := s.Put(ctx, tape, []byte(text)); err != nil {
			t.Fatal(err)
		}
		tape.Size = 0
		if has, err := s.Has(ctx, tape); !has || err != nil {
			t.Fatalf("it has not a tape that was put: %v, %v", has, err)
		}
		gives(t, s, tape, text)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Put(ended, piece("late"), []byte("late")); err == nil {
		t.Error("it takes what nobody waits for")
	}
	if has, err := s.Has(ctx, piece("late")); has || err != nil {
		t.Errorf("it has what nobody waited for: %v, %v", has, err)
	}
}

func gives(t *testing.T, s blob.Store, b blob.Blob, want string) {
	t.Helper()
	in, err := s.Get(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if got, err := io.ReadAll(in); err != nil || string(got) != want {
		t.Fatalf("%d bytes came, %v", len(got), err)
	}
}

// denies wants a store to refuse other credentials, and an error that does not repeat them.
func denies(t *testing.T, location, variable, value string) {
	t.Helper()
	t.Setenv(variable, value)
	s := open(t, location)
	_, getting := s.Get(t.Context(), piece("one"))
	_, asking := s.Has(t.Context(), piece("one"))
	for _, err := range []error{getting, asking, s.Put(t.Context(), piece("two"), []byte("two"))} {
		if !errors.Is(err, blob.ErrDenied) || strings.Contains(err.Error(), value) {
			t.Errorf("got %v", err)
		}
	}
}

// A folder is published by any web server.
func TestWeb(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	if err := open(t, "dir:"+dir).Put(ctx, piece("one"), []byte("one")); err != nil {
		t.Fatal(err)
	}
	files := http.StripPrefix("/shop", http.FileServer(http.Dir(dir)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		if name != "me" || password != "not a secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	netrc := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(netrc, []byte("machine 127.0.0.1\n  login me\n  password \"not a secret\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NETRC", netrc)
	s := open(t, server.URL+"/shop")
	gives(t, s, piece("one"), "one")
	if has, err := s.Has(ctx, piece("one")); !has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
	if has, err := s.Has(ctx, piece("two")); has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
	if _, err := s.Get(ctx, piece("two")); !errors.Is(err, blob.ErrNotFound) {
		t.Error(err)
	}
	if err := s.Put(ctx, piece("two"), []byte("two")); !errors.Is(err, blob.ErrReadOnly) {
		t.Error(err)
	}
	denies2(t, server.URL+"/shop")
}

// denies2 is denies for a store that takes nothing.
func denies2(t *testing.T, location string) {
	t.Helper()
	t.Setenv("NETRC", filepath.Join(t.TempDir(), "none"))
	if _, err := open(t, location).Get(t.Context(), piece("one")); !errors.Is(err, blob.ErrDenied) {
		t.Error(err)
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

// Credentials stay with the server that they are for, and nothing goes without TLS to another machine.
func TestRedirects(t *testing.T) {
	var came atomic.Pointer[http.Header]
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came.Store(&r.Header)
		_, _ = io.WriteString(w, "one")
	}))
	defer target.Close()
	var to string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/moved/") {
			came.Store(&r.Header)
			_, _ = io.WriteString(w, "one")
			return
		}
		http.Redirect(w, r, to+"/moved"+r.URL.Path, http.StatusFound)
	}))
	defer server.Close()
	netrc := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(netrc, []byte("machine 127.0.0.1 login me password hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NETRC", netrc)
	for where, keeps := range map[string]bool{
		server.URL: true, target.URL: false,
		strings.Replace(server.URL, "127.0.0.1", "localhost", 1): false,
	} {
		to = where
		gives(t, open(t, server.URL), piece("one"), "one")
		if _, has := (*came.Load())["Authorization"]; has != keeps {
			t.Errorf("to %s: credentials %v, want %v", where, has, keeps)
		}
	}
	to = "http://tapes.example"
	if _, err := open(t, server.URL).Get(t.Context(), piece("one")); !errors.Is(err, blob.ErrPermanent) {
		t.Error(err)
	}
}

// A certificate that is not trusted is not trusted a second later either.
func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of clients that go away
	server.StartTLS()
	defer server.Close()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_ACCESS_KEY_ID", "me")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "not a secret")
	for _, location := range []string{
		server.URL, "s3://tapes?region=x&endpoint=" + server.URL,
	} {
		_, err := open(t, location).Get(t.Context(), piece("one"))
		if !errors.Is(err, blob.ErrPermanent) ||
			!strings.HasSuffix(err.Error(), "its certificate is not trusted: x509: certificate signed by unknown authority") {
			t.Errorf("%s: %v", location[:5], err)
		}
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	s, err := kinds.Open(server.URL, kinds.Options{Roots: roots})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), piece("one")); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// A server that names a time is understood whoever speaks with it.
func TestRetryAfter(t *testing.T) {
	var status int
	var after string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after)
		w.WriteHeader(status)
	}))
	defer server.Close()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	t.Setenv("AWS_ACCESS_KEY_ID", "me")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "not a secret")
	host := strings.TrimPrefix(server.URL, "http://")
	for _, test := range []struct {
		status int
		after  string
		least  time.Duration // 0: it is not busy
		most   time.Duration
	}{
		{429, "7", 7 * time.Second, 7 * time.Second},
		{503, "600", 10 * time.Minute, 10 * time.Minute},
		{503, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 50 * time.Minute, time.Hour},
		{503, time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 0, 0},
		{503, "0", 0, 0}, {503, "-1", 0, 0}, {503, "soon", 0, 0}, {503, "99999999999999999999", 0, 0},
		{500, "7", 0, 0},
	} {
		status, after = test.status, test.after
		for _, location := range []string{
			server.URL, "oci://" + host + "/shop/tapes", "s3://tapes?region=x&endpoint=" + server.URL,
		} {
			s := open(t, location)
			_, has := s.Has(t.Context(), piece("one"))
			_, get := s.Get(t.Context(), piece("one"))
			errs := []error{has, get}
			if location != server.URL {
				errs = append(errs, s.Put(t.Context(), piece("one"), []byte("one")))
			}
			for _, err := range errs {
				busy, ok := errors.AsType[*blob.BusyError](err)
				if err == nil || ok != (test.least > 0) ||
					ok && (busy.After < test.least || busy.After > test.most || busy.Status != test.status) {
					t.Errorf("%s, %d, %q: %v", location[:3], test.status, test.after, err)
				}
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct{ location, want string }{
		{"", "expected dir:PATH, oci://REGISTRY/REPOSITORY, s3://BUCKET/PREFIX, https://HOST/PATH"},
		{"tapes", "expected dir:PATH"},
		{"dir:", "expected dir:PATH"},
		{"dir:https://me:hunter2@host/tapes", "expected dir:PATH, or a URL without dir:"},
		{"occi://host/tapes", `"occi": oci is meant, perhaps`},
		{"oci:host/tapes", "expected oci://REGISTRY/REPOSITORY"},
		{"oci://host", "expected oci://REGISTRY/REPOSITORY"},
		{"oci://host/tapes:v1", "expected oci://REGISTRY/REPOSITORY"},
		{"oci://host/Tapes and more", "expected oci://REGISTRY/REPOSITORY"},
		{"oci://me:hunter2@host/tapes", "it may hold no credentials"},
		{"oci://me%40x:hunter2@host/%zz", "it may hold no credentials"},
		{"s3://", "expected s3://BUCKET/PREFIX"},
		{"s3://me:hunter2@bucket", "it may hold no credentials"},
		{"s3://bucket?secret=hunter2", "may be endpoint=URL and region=NAME"},
		{"s3://bucket?endpoint=https://me:hunter2@host", "without credentials"},
		{"s3://bucket?endpoint=http://host", "expected https"},
		{"https://me@host/tapes", "it may hold no credentials"},
		{"https://host/tapes?token=hunter2", "without anything behind a ?"},
		{"https://host/tapes#hunter2", "expected https://HOST/PATH"},
		{"http://host/tapes", "expected https: without TLS only this machine is spoken to"},
		{"https://[::1/hunter2", "expected https://HOST/PATH"},
		{"hunter2:secret", "expected dir:PATH"},
	} {
		_, err := kinds.Open(test.location, kinds.Options{})
		if !errors.Is(err, kinds.ErrURL) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v", test.location, err)
		}
	}
	for _, location := range []string{"dir:tapes", "oci://host:5000/shop/tapes", "s3://bucket", "s3://bucket/a/b",
		"https://host", "http://localhost:80/x", "s3://b?endpoint=http://[::1]:90"} {
		if _, err := kinds.Open(location, kinds.Options{}); err != nil {
			t.Errorf("%q: %v", location, err)
		}
	}
}

// FuzzOpen wants no panic, and no error that repeats what stands before an @.
func FuzzOpen(f *testing.F) {
	for _, location := range []string{"dir:x", "oci://me:hunter2@host/x", "s3://b/c?region=x&endpoint=http://::", "https://h/%41"} {
		f.Add(location)
	}
	f.Fuzz(func(t *testing.T, location string) {
		_, err := kinds.Open(strings.ReplaceAll(location, "hunter2", "")+"hunter2@x", kinds.Options{})
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v", err)
		}
	})
}
