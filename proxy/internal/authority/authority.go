// Package authority is the certificate authority of one install, and the certificates that it signs
// for the hosts which a forward door stands for.
//
// An example. A shop's client has the host pay.example hard-coded and trusts the authority:
//
//	a, err := authority.Open(dir)            // makes dir/authority.pem, if there is none
//	s, err := authority.NewSigner(a, time.Now)   // and the clock of a replay, if it has one
//	tls.Server(conn, s.Config("pay.example")) // with a certificate for pay.example alone
//
// The key of the authority is in its file and in this process, and nowhere else.
package authority

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// authorityFile holds key and certificate together, so that both are there or neither.
const authorityFile = "authority.pem"

// Times of certificates. A client has the machine's clock, or that of the deck: a replay may stand
// at the time of its tape, or years ahead. So an authority is good for years on both sides of its
// making, and the certificate of a host for all clocks of its deck. Clients may be clockSkew off.
const (
	authorityLife = 10 * 365 * 24 * time.Hour // before and after
	clockSkew     = 45 * 24 * time.Hour       // tests of payments look ahead by a month
	leafLife      = clockSkew + 15*24*time.Hour
)

// PEM block types (RFC 7468, sections 5 and 10).
const (
	pemCertificate = "CERTIFICATE"
	pemKey         = "PRIVATE KEY"
)

// ErrNone is returned where no certificate authority has been made yet.
var ErrNone = errors.New("there is no certificate authority yet")

// Authority is the certificate authority of one install, by which the forward door shows
// itself to clients as the hosts that it stands for. Its key never leaves its file, which
// only the owner can read. It signs for nothing but servers, and no authority below it.
//
// Whoever has the key can pose as any host to whoever trusts the certificate. An authority may
// therefore be limited to hosts when it is made. An authority that Open makes is not limited,
// because each deck has other hosts; the door signs for configured hosts alone.
type Authority struct {
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Create makes an authority in a folder and fails if there is one already. Where hosts are given,
// names or IP addresses, clients refuse its certificates for other hosts.
func Create(dir string, hosts []string) (*Authority, error) {
	if err := makeIn(dir, hosts, (*os.Root).Link); err != nil {
		return nil, fmt.Errorf("creating a certificate authority: %w", err)
	}
	return Load(dir)
}

// Open returns the authority in a folder and makes an authority if there is none. Processes that
// do so at the same time get the same authority.
func Open(dir string) (*Authority, error) {
	a, err := Load(dir)
	if !errors.Is(err, ErrNone) {
		return a, err
	}
	if a, err = Create(dir, nil); errors.Is(err, fs.ErrExist) {
		return Load(dir)
	}
	return a, err
}

// Replace makes a new authority in the place of that in a folder, if there is any; clients must be
// made to trust it anew.
func Replace(dir string, hosts []string) (*Authority, error) {
	if err := makeIn(dir, hosts, (*os.Root).Rename); err != nil {
		return nil, fmt.Errorf("replacing the certificate authority: %w", err)
	}
	return Load(dir)
}

// makeIn makes an authority in a folder, in which put gives its file the name it is found by.
func makeIn(dir string, hosts []string, put func(r *os.Root, from, to string) error) error {
	data, err := newCertificate(hosts, time.Now())
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, authorityFile), data, put)
}

// Load reads the authority in a folder; its error is ErrNone if there is none. A file that others
// can read is refused: they may have the key.
func Load(dir string) (*Authority, error) {
	file := filepath.Join(dir, authorityFile)
	data, err := ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %s", ErrNone, file)
	case err != nil:
		return nil, fmt.Errorf("reading the certificate authority: %w", err)
	}
	a, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate authority: %s: %w", file, err)
	}
	a.file = file
	return a, nil
}

// parse reads what newCertificate wrote. Errors of the parsers are not passed on:
// they may repeat what they read.
func parse(data []byte) (*Authority, error) {
	errBroken := errors.New("it holds no certificate with its key")
	first, rest := pem.Decode(data)
	second, _ := pem.Decode(rest)
	if first == nil || second == nil || first.Type != pemCertificate || second.Type != pemKey {
		return nil, errBroken
	}
	cert, err := x509.ParseCertificate(first.Bytes)
	if err != nil {
		return nil, errBroken
	}
	parsed, err := x509.ParsePKCS8PrivateKey(second.Bytes)
	if err != nil {
		return nil, errBroken
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	public, same := cert.PublicKey.(*ecdsa.PublicKey)
	if !ok || !same || !key.PublicKey.Equal(public) || !cert.IsCA {
		return nil, errBroken
	}
	return &Authority{cert: cert, key: key}, nil
}

// File returns where the authority is.
func (a *Authority) File() string { return a.file }

// Name returns the name by which clients list the authority.
func (a *Authority) Name() string { return a.cert.Subject.CommonName }

// Expires returns the end of the authority's life.
func (a *Authority) Expires() time.Time { return a.cert.NotAfter }

// Covers reports whether clients with a clock can trust the authority, and go on for a while.
func (a *Authority) Covers(at time.Time) bool {
	return at.After(a.cert.NotBefore) && at.Add(clockSkew).Before(a.cert.NotAfter)
}

// Hosts returns the hosts that the authority is limited to; none means no limit.
func (a *Authority) Hosts() []string {
	var hosts []string
	for _, name := range a.cert.PermittedDNSDomains {
		if name != "invalid" {
			hosts = append(hosts, name)
		}
	}
	for _, ip := range a.cert.PermittedIPRanges {
		hosts = append(hosts, ip.IP.String())
	}
	return hosts
}

// Fingerprint returns the SHA-256 of the certificate, in hex with colons as most programs
// print it.
func (a *Authority) Fingerprint() string {
	sum := sha256.Sum256(a.cert.Raw)
	digits := strings.ToUpper(hex.EncodeToString(sum[:]))
	parts := make([]string, 0, len(sum))
	for i := 0; i < len(digits); i += 2 {
		parts = append(parts, digits[i:i+2])
	}
	return strings.Join(parts, ":")
}

// PEM returns the certificate, without the key, for clients to trust.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: pemCertificate, Bytes: a.cert.Raw})
}
