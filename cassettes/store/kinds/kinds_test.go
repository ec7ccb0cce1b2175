package kinds_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

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
