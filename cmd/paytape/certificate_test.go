package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writePair writes a certificate for 127.0.0.1, which vouches for itself, and its key.
func writePair(t *testing.T) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	public, err := x509.CreateCertificate(rand.Reader, about, about, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(dir, name)
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", public), write("key.pem", "PRIVATE KEY", private)
}

// serving runs a command until the test ends and returns what its ready file says.
func serving(t *testing.T, args ...string) ready {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	file := filepath.Join(t.TempDir(), "ready.json")
	args = append(args, "--listen", "127.0.0.1:0", "--ready-file", file)
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, Env{
			Args: args, Lookup: func(string) (string, bool) { return "", false },
			Stdout: io.Discard, Stderr: io.Discard,
		})
	}()
	t.Cleanup(func() {
		stop()
		if got := <-code; got != exitDone {
			t.Errorf("%s ended with %d", args[0], got)
		}
	})
	var r ready
	eventually(func() bool {
		data, _ := os.ReadFile(file)
		return json.Unmarshal(data, &r) == nil || len(code) > 0
	})
	return r
}

// A deck speaks TLS at both of its sides if it is told with what.
func TestTLSAtBothSides(t *testing.T) {
	cert, key := writePair(t)
	up := serving(t, "sandbox", "--tls-cert", cert, "--tls-key", key)
	trusting := []string{
		"--upstream", up.Sandbox, "--upstream-ca", cert, "--upstream-cert", cert,
		"--upstream-key", key, "--tls-cert", cert, "--tls-key", key,
	}
	dir := t.TempDir()
	passing := serving(t, append([]string{"pass"}, trusting...)...)
	recording := serving(t, append([]string{"record", "--dir", dir, "tape"}, trusting...)...)
	suspicious := serving(t, "pass", "--upstream", up.Sandbox)

	roots := x509.NewCertPool()
	text, err := os.ReadFile(cert)
	if err != nil || !roots.AppendCertsFromPEM(text) {
		t.Fatalf("reading the certificate: %v", err)
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	for name, want := range map[string]struct {
		url  string
		code int
	}{
		"pass":                    {passing.Proxy, http.StatusOK},
		"record":                  {recording.Proxy, http.StatusOK},
		"a deck that trusts none": {suspicious.Proxy, http.StatusBadGateway},
	} {
		if strings.HasPrefix(want.url, "https:") != (want.code == http.StatusOK) {
			t.Errorf("%s is at %s", name, want.url)
		}
		res, err := client.Get(want.url + "/payment/rest/getOrderStatusExtended.do?orderId=x")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		res.Body.Close()
		if res.StatusCode != want.code {
			t.Errorf("%s: got %d, want %d", name, res.StatusCode, want.code)
		}
	}
}

func TestCertificatesThatAreNone(t *testing.T) {
	t.Parallel()
	cert, key := writePair(t)
	record := []string{"record", "--upstream", "sandbox", "--dir", t.TempDir(), "tape"}
	for _, test := range []struct {
		name string
		args []string
		code int
		said string
	}{
		{"a certificate alone", []string{"--tls-cert", cert}, exitUsage,
			"--tls-cert and --tls-key belong together"},
		{"a key alone", []string{"--upstream-key", key}, exitUsage,
			"--upstream-cert and --upstream-key belong together"},
		{"a key for a certificate", []string{"--tls-cert", key, "--tls-key", key}, exitFailed,
			"reading the certificate of --tls-cert: the files hold no certificate and key, in PEM, " +
				"that belong together"},
		{"a file that is not there", []string{"--upstream-cert", "none", "--upstream-key", key},
			exitFailed, "reading the certificate of --upstream-cert: open none: "},
		{"no authorities", []string{"--upstream-ca", key}, exitFailed, "holds no certificate in PEM"},
		{"authorities that are not there", []string{"--upstream-ca", "none"}, exitFailed,
			"reading authorities: open none: "},
		{"a limit of nothing", []string{"--max-body", "0"}, exitUsage, "--max-body"},
	} {
		code, _, said := inProcess(t, append(record, test.args...)...)
		if code != test.code || !strings.Contains(said, test.said) {
			t.Errorf("%s: exit code %d: %s", test.name, code, said)
		}
	}
}
