package authority_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy/internal/authority"
)

// certificate reads what clients of an authority are given.
func certificate(t testing.TB, a *authority.Authority) *x509.Certificate {
	t.Helper()
	block, rest := pem.Decode(a.PEM())
	if block == nil || len(rest) > 0 {
		t.Fatal("the certificate is not one block of PEM")
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAuthorityIsMadeOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if _, err := authority.Load(dir); !errors.Is(err, authority.ErrNone) {
		t.Fatalf("loading what is not there: %v", err)
	}
	// Processes that start at the same time must agree: clients trust one certificate.
	var racers sync.WaitGroup
	prints := make([]string, 16)
	for i := range prints {
		racers.Go(func() {
			a, err := authority.Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			prints[i] = a.Fingerprint()
		})
	}
	racers.Wait()
	for _, p := range prints {
		if p != prints[0] || len(p) != 32*3-1 {
			t.Errorf("fingerprint %s, want %s", p, prints[0])
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	info, err := files[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := authority.Create(dir, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second one was made: %v", err)
	}
}

func TestAuthoritySignsForServersAlone(t *testing.T) {
	t.Parallel()
	a, err := authority.Create(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := certificate(t, a)
	if !c.IsCA || c.MaxPathLen != 0 || !c.MaxPathLenZero || c.KeyUsage != x509.KeyUsageCertSign {
		t.Errorf("authority %t, path length %d, usage %b", c.IsCA, c.MaxPathLen, c.KeyUsage)
	}
	if diff := cmp.Diff([]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, c.ExtKeyUsage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if c.PublicKeyAlgorithm != x509.ECDSA || c.NotBefore.After(time.Now().Add(-time.Hour)) {
		t.Errorf("algorithm %v, valid from %v", c.PublicKeyAlgorithm, c.NotBefore)
	}
	if block, rest := pem.Decode(a.PEM()); block.Type != "CERTIFICATE" || len(bytes.TrimSpace(rest)) > 0 {
		t.Error("more than the certificate is given away")
	}
}

func TestReplaceAuthority(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, err := authority.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := authority.Replace(dir, []string{"Pay.test", "192.0.2.1", "[2001:db8::1]"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Fingerprint() == old.Fingerprint() || a.Name() == old.Name() {
		t.Error("it is the same as before")
	}
	want := []string{"pay.test", "192.0.2.1", "2001:db8::1"}
	if diff := cmp.Diff(want, a.Hosts()); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
}

func TestLoadAuthorityRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, err := authority.Create(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(a.File())
	if err != nil {
		t.Fatal(err)
	}
	other, err := authority.Create(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, _ := bytes.Cut(good, []byte("-----BEGIN PRIVATE"))
	key = append([]byte("-----BEGIN PRIVATE"), key...)
	tests := []struct {
		name, want string
		data       []byte
		mode       fs.FileMode
	}{
		{"a file that others read", "others may read its key", good, 0o644},
		{"nothing", "no certificate with its key", nil, 0o600},
		{"no key", "no certificate with its key", cert, 0o600},
		{"no certificate", "no certificate with its key", key, 0o600},
		{"the key of another", "no certificate with its key", append(other.PEM(), key...), 0o600},
		{"half a file", "no certificate with its key", good[:len(good)-40], 0o600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.mode != 0o600 && runtime.GOOS == "windows" {
				return // modes say nothing there
			}
			dir := t.TempDir()
			file := filepath.Join(dir, filepath.Base(a.File()))
			if err := os.WriteFile(file, tt.data, tt.mode); err != nil {
				t.Fatal(err)
			}
			_, err := authority.Open(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) ||
				strings.Contains(err.Error(), "PRIVATE") {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	link := t.TempDir()
	if err := os.Symlink(a.File(), filepath.Join(link, filepath.Base(a.File()))); err != nil {
		t.Fatal(err)
	}
	if _, err := authority.Load(link); err == nil {
		t.Error("a link was followed")
	}
}

func TestCreateAuthorityRefusesWhatIsNoHost(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"", "a b", "*.test", "a..test", "https://a.test", "a:443", ".a"} {
		dir := t.TempDir()
		if _, err := authority.Create(dir, []string{"good.test", host}); err == nil {
			t.Errorf("%q was taken for a host", host)
		}
		if files, _ := os.ReadDir(dir); len(files) > 0 {
			t.Errorf("%q left %v", host, files)
		}
	}
}
