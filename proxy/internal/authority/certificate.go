package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"
)

// newCertificate returns a key and a certificate that it has signed itself.
func newCertificate(hosts []string, now time.Time) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	template := &x509.Certificate{
		// A word of its own tells one install's authority from another's in a list.
		Subject: pkix.Name{
			Organization: []string{"paytape"}, CommonName: "paytape " + rand.Text()[:8],
		},
		SerialNumber: serial(),
		NotBefore:    now.Add(-authorityLife), NotAfter: now.Add(authorityLife),
		KeyUsage:              x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
	}
	if err := limit(template, hosts); err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("signing the authority: %w", err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding the key: %w", err)
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: pemCertificate, Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: pemKey, Bytes: secret})...), nil
}

// serial returns a random positive number of 127 bits (RFC 5280, section 4.1.2.2).
func serial() *big.Int {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[0] = b[0]&0x7f | 0x40
	return new(big.Int).SetBytes(b[:])
}

// limit permits the hosts alone (RFC 5280, section 4.2.1.10). A permitted name says nothing
// of IP addresses and the other way round, so the kind that is not permitted is excluded.
func limit(c *x509.Certificate, hosts []string) error {
	if len(hosts) == 0 {
		return nil
	}
	for _, host := range hosts {
		ip := net.ParseIP(strings.Trim(host, "[]"))
		switch {
		case ip.To4() != nil:
			c.PermittedIPRanges = append(c.PermittedIPRanges, single(ip.To4()))
		case ip != nil:
			c.PermittedIPRanges = append(c.PermittedIPRanges, single(ip))
		case !HostName(host):
			return fmt.Errorf("%q is neither the name of a host nor an IP address", host)
		default:
			c.PermittedDNSDomains = append(c.PermittedDNSDomains, strings.ToLower(host))
		}
	}
	c.PermittedDNSDomainsCritical = true
	if len(c.PermittedIPRanges) == 0 {
		for _, all := range []string{"0.0.0.0/0", "::/0"} {
			_, everything, err := net.ParseCIDR(all)
			if err != nil {
				return err
			}
			c.ExcludedIPRanges = append(c.ExcludedIPRanges, everything)
		}
	}
	if len(c.PermittedDNSDomains) == 0 {
		c.PermittedDNSDomains = []string{"invalid"} // which no host has (RFC 6761, section 6.4)
	}
	return nil
}

func single(ip net.IP) *net.IPNet {
	return &net.IPNet{IP: ip, Mask: net.CIDRMask(8*len(ip), 8*len(ip))}
}
