package main

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// identity is a certificate with its key, in two files of PEM.
type identity struct {
	cert, key string // both or none

	certificate *tls.Certificate // made by load; nil if no files are named
}

// flags adds --PREFIX-cert and --PREFIX-key.
func (i *identity) flags(fs *pflag.FlagSet, prefix, purpose string) {
	fs.StringVar(&i.cert, prefix+"-cert", "", "`FILE` of the certificate "+purpose)
	fs.StringVar(&i.key, prefix+"-key", "", "`FILE` of its key")
}

// load reads the files. Its errors repeat nothing of them.
func (i *identity) load(prefix string) error {
	switch {
	case i.cert == "" && i.key == "":
		return nil
	case i.cert == "" || i.key == "":
		return misused(fmt.Errorf("--%s-cert and --%s-key belong together", prefix, prefix))
	}
	pair, err := tls.LoadX509KeyPair(i.cert, i.key)
	if err != nil {
		return fmt.Errorf("reading the certificate of --%s-cert: %w", prefix, withoutText(err))
	}
	i.certificate = &pair
	return nil
}

// withoutText drops the words of an error that might quote a file, unless it is one of
// opening it.
func withoutText(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path
	}
	return errors.New("the files hold no certificate and key, in PEM, that belong together")
}

// upstreamTLS is what TLS to upstreams is agreed on with. Certificates of upstreams are always
// verified.
type upstreamTLS struct {
	ca   string // file of authorities; empty means those of the system alone
	asks bool   // the command has upstreams; one that has none needs no authorities
	identity

	config *tls.Config // made by check; nil means what the system has
}

func (t *upstreamTLS) flags(fs *pflag.FlagSet) {
	t.asks = true
	fs.StringVar(&t.ca, "upstream-ca", "", "`FILE` of authorities, in PEM, to trust beside those of "+
		"the system")
	t.identity.flags(fs, "upstream", "to show to the upstream")
}

// check reads the files.
func (t *upstreamTLS) check() error {
	if err := t.load("upstream"); err != nil {
		return err
	}
	t.config = &tls.Config{}
	if t.certificate != nil {
		t.config.Certificates = []tls.Certificate{*t.certificate}
	}
	if t.ca == "" && !t.asks {
		return nil
	}
	roots, own, err := systemRoots()
	if err != nil {
		return err
	}
	if t.ca == "" {
		if own { // without them the system is asked, which on some is more than a list
			t.config.RootCAs = roots
		}
		return nil
	}
	text, err := os.ReadFile(t.ca)
	if err != nil {
		return fmt.Errorf("reading authorities: %w", err)
	}
	if !roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("reading authorities: %s holds no certificate in PEM", t.ca)
	}
	t.config.RootCAs = roots
	return nil
}

var (
	errNoPEM      = errors.New("expected a public RSA key or a certificate in PEM")
	errPrivateKey = errors.New("the file holds a private key, which belongs to the shop alone")
)

// readSignKey reads the public key that a shop signs its calls by: as openssl and most programs
// write it, in the older form of RSA alone, or in a certificate, of which nothing but the key
// counts.
func readSignKey(file string) (*rsa.PublicKey, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, misused(fmt.Errorf("--sign-key: %w", err))
	}
	key, err := parseSignKey(data)
	switch {
	case errors.Is(err, errPrivateKey):
		return nil, withHint(misused(fmt.Errorf("--sign-key: %w", err)),
			"openssl pkey -pubout -in %s", shellWord(file))
	case err != nil:
		return nil, misused(fmt.Errorf("--sign-key: %w", err))
	}
	return key, nil
}

// parseSignKey does not pass on the errors of the parsers, which may repeat what they read.
func parseSignKey(data []byte) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errNoPEM
	}
	if strings.HasSuffix(block.Type, "PRIVATE KEY") {
		return nil, errPrivateKey
	}
	parsed, err := parsePublic(block)
	if err != nil {
		return nil, errNoPEM
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return nil, errNoPEM
	}
	return key, nil
}

func parsePublic(block *pem.Block) (any, error) {
	switch block.Type {
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case "CERTIFICATE":
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return certificate.PublicKey, nil
	}
	return nil, errNoPEM
}
