package kinds_test

import (
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/kinds"
)

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
