package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"time"
)

// ownerOnly tells whether the modes of files say who may read them.
const ownerOnly = runtime.GOOS != "windows"

// maxLeaves bounds the certificates that are kept. A deck has few hosts.
const maxLeaves = 256

// ErrExpired is returned where an authority is needed whose life is over.
var ErrExpired = errors.New("the certificate authority has expired")

// Signer makes and keeps certificates of hosts. All certificates have one key, which lives as long
// as the process. It is safe for concurrent use.
type Signer struct {
	by     *Authority
	clocks []func() time.Time

	mu     sync.Mutex // guards all below
	key    *ecdsa.PrivateKey
	leaves map[string]*tls.Certificate // by host
}

// NewSigner returns a signer for an authority, or ErrExpired. Its certificates are valid by each of
// the clocks, of which there is one at least, as far as the authority is.
func NewSigner(by *Authority, clocks ...func() time.Time) (*Signer, error) {
	s := &Signer{by: by, clocks: clocks, leaves: map[string]*tls.Certificate{}}
	if first, _ := s.now(); !first.Before(by.cert.NotAfter) {
		return nil, ErrExpired
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	s.key = key
	return s, nil
}

// now returns what the slowest and the fastest clock show.
func (s *Signer) now() (first, last time.Time) {
	for i, clock := range s.clocks {
		at := clock()
		if i == 0 || at.Before(first) {
			first = at
		}
		if i == 0 || at.After(last) {
			last = at
		}
	}
	return first, last
}

// certificate returns the certificate of a host, a name or an IP address. It is made anew before a
// client whose clock is clockSkew ahead would refuse it.
func (s *Signer) certificate(host string) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, last := s.now()
	if leaf, ok := s.leaves[host]; ok && last.Add(clockSkew).Before(leaf.Leaf.NotAfter) {
		return leaf, nil
	}
	leaf, err := s.signLocked(host, first, last)
	if err != nil {
		return nil, err
	}
	if len(s.leaves) >= maxLeaves {
		clear(s.leaves)
	}
	s.leaves[host] = leaf
	return leaf, nil
}

func (s *Signer) signLocked(host string, first, last time.Time) (*tls.Certificate, error) {
	ca := s.by.cert
	if !first.Before(ca.NotAfter) {
		return nil, ErrExpired
	}
	template := &x509.Certificate{
		Subject:      pkix.Name{Organization: []string{"paytape"}},
		SerialNumber: serial(),
		NotBefore:    latest(first.Add(-clockSkew), ca.NotBefore),
		NotAfter:     earliest(last.Add(leafLife), ca.NotAfter),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	template.BasicConstraintsValid = true
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca, s.key.Public(), s.by.key)
	if err != nil {
		return nil, fmt.Errorf("signing a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading a new certificate: %w", err)
	}
	// Clients hold the root; sending it as well helps those that look for it in the chain.
	return &tls.Certificate{
		Certificate: [][]byte{der, ca.Raw}, PrivateKey: s.key, Leaf: leaf,
	}, nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Config returns how TLS is spoken in a tunnel to a host. A client that asks for another name than
// that of the tunnel gets no certificate.
func (s *Signer) Config(host string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if name := hello.ServerName; name != "" && !strings.EqualFold(name, host) {
				return nil, errors.New("the client asks for another host than that of the tunnel")
			}
			return s.certificate(host)
		},
	}
}

// HostName reports whether a text can be the name of a host.
func HostName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789.-"
	const longest = 253 // RFC 1035, section 2.3.4, without the dot at the end
	s = strings.ToLower(s)
	return s != "" && len(s) <= longest && strings.Trim(s, letters) == "" &&
		strings.Trim(s, ".-") == s && !strings.Contains(s, "..")
}
