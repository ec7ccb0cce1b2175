package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

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
	ca string // file of authorities; empty means those of the system alone
	identity

	config *tls.Config // made by check; nil means what the system has
}

func (t *upstreamTLS) flags(fs *pflag.FlagSet) {
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
	if t.ca == "" {
		return nil
	}
	text, err := os.ReadFile(t.ca)
	if err != nil {
		return fmt.Errorf("reading authorities: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // a system without any
	}
	if !roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("reading authorities: %s holds no certificate in PEM", t.ca)
	}
	t.config.RootCAs = roots
	return nil
}
