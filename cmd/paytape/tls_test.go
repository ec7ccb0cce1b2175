package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inPEM writes what a marshaller of package x509 has made.
func inPEM(t *testing.T, kind string) func(der []byte, err error) []byte {
	t.Helper()
	return func(der []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
}

func TestParseSignKey(t *testing.T) {
	t.Parallel()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public := inPEM(t, "PUBLIC KEY")(x509.MarshalPKIXPublicKey(&private.PublicKey))
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	for name, row := range map[string]struct {
		data []byte
		want error
	}{
		"a public key": {public, nil},
		"the older form": {
			inPEM(t, "RSA PUBLIC KEY")(x509.MarshalPKCS1PublicKey(&private.PublicKey), nil), nil},
		"a certificate": {inPEM(t, "CERTIFICATE")(x509.CreateCertificate(rand.Reader, template,
			template, &private.PublicKey, private)), nil},
		"text before it": {append([]byte("a key\n"), public...), nil},
		"the private key": {
			inPEM(t, "PRIVATE KEY")(x509.MarshalPKCS8PrivateKey(private)), errPrivateKey},
		"the private key in the older form": {
			inPEM(t, "RSA PRIVATE KEY")(x509.MarshalPKCS1PrivateKey(private), nil), errPrivateKey},
		"a key of a curve": {
			inPEM(t, "PUBLIC KEY")(x509.MarshalPKIXPublicKey(&curve.PublicKey)), errNoPEM},
		"a key under another name": {
			inPEM(t, "RSA PUBLIC KEY")(x509.MarshalPKIXPublicKey(&private.PublicKey)), errNoPEM},
		"a broken certificate": {inPEM(t, "CERTIFICATE")([]byte("1"), nil), errNoPEM},
		"something else":       {inPEM(t, "MESSAGE")([]byte("1"), nil), errNoPEM},
		"no PEM":               {[]byte("MIIB"), errNoPEM},
		"nothing":              {nil, errNoPEM},
	} {
		key, err := parseSignKey(row.data)
		if !errors.Is(err, row.want) || (key == nil) != (row.want != nil) {
			t.Errorf("%s: error %v, want %v", name, err, row.want)
		}
		if key != nil && !key.Equal(&private.PublicKey) {
			t.Errorf("%s: it is another key", name)
		}
	}
}

// What is wrong with the file is wrong usage, told without what the file holds.
func TestReadSignKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key.pem")
	if _, err := readSignKey(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	text := "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := inProcess(t, "sandbox", "--listen", "127.0.0.1:0", "--sign-key", file)
	if code != exitUsage || !strings.Contains(stderr, "error: --sign-key: the file holds a private") ||
		!strings.Contains(stderr, "hint: openssl pkey -pubout -in ") || strings.Contains(stderr, "c2V") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

func FuzzParseSignKey(f *testing.F) {
	f.Add([]byte("-----BEGIN PUBLIC KEY-----\nMA==\n-----END PUBLIC KEY-----\n"))
	f.Add([]byte("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"))
	f.Add([]byte("-----BEGIN RSA PRIVATE KEY-----\n-----END RSA PRIVATE KEY-----\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if key, err := parseSignKey(data); (key == nil) == (err == nil) {
			t.Error("there is a key and an error, or neither")
		}
	})
}
