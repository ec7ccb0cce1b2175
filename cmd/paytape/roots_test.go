package main

import (
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestSystemRoots looks for authorities with and without those of the system, which are read once in a
// process: a process of its own has none.
func TestSystemRoots(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("this system is asked itself, and always has authorities")
	}
	if os.Getenv("PAYTAPE_TEST_NO_ROOTS") == "" {
		none := filepath.Join(t.TempDir(), "none")
		if err := os.WriteFile(none, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		test := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSystemRoots$")
		test.Env = append(os.Environ(), "PAYTAPE_TEST_NO_ROOTS=1", "SSL_CERT_FILE="+none,
			"SSL_CERT_DIR="+t.TempDir())
		if out, err := test.CombinedOutput(); err != nil {
			t.Errorf("without authorities of the system: %v\n%s", err, out)
		}
		return
	}
	roots, own, err := systemRoots()
	if err != nil || !own || roots.Equal(x509.NewCertPool()) {
		t.Errorf("own %v, error %v", own, err)
	}
	secure := upstreamTLS{asks: true}
	if err := secure.check(); err != nil || secure.config.RootCAs == nil {
		t.Errorf("an upstream is trusted by nobody: %v", err)
	}
	if secure = (upstreamTLS{}); secure.check() != nil || secure.config.RootCAs != nil {
		t.Error("a replay reads authorities")
	}
}
