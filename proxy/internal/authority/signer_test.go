package authority

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"testing"
	"time"
)

// newTestSigner returns a Signer whose clock is set by the test.
func newTestSigner(t *testing.T, hosts []string, now *time.Time) *Signer {
	t.Helper()
	a, err := Create(t.TempDir(), hosts)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSigner(a, func() time.Time { return *now })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verify checks a leaf as a client does that trusts the authority alone.
func verify(s *Signer, leaf *tls.Certificate, host string, at time.Time) error {
	roots := x509.NewCertPool()
	roots.AddCert(s.by.cert)
	_, err := leaf.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: at})
	return err
}

func TestLeavesAreForOneHost(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newTestSigner(t, nil, &now)
	for _, host := range []string{"pay.test", "192.0.2.1", "2001:db8::1", "localhost"} {
		leaf, err := s.certificate(host)
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(s, leaf, host, now); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		if verify(s, leaf, "other.test", now) == nil {
			t.Errorf("%s: it is good for another host", host)
		}
		// A client whose clock is off by weeks must still be served.
		for _, off := range []time.Duration{-40 * 24 * time.Hour, 40 * 24 * time.Hour} {
			if err := verify(s, leaf, host, now.Add(off)); err != nil {
				t.Errorf("%s: a clock that is off by %v: %v", host, off, err)
			}
		}
		if leaf.Leaf.IsCA || leaf.Leaf.NotAfter.After(now.Add(leafLife)) {
			t.Errorf("%s: authority %t, valid until %v", host, leaf.Leaf.IsCA, leaf.Leaf.NotAfter)
		}
	}
}

// An authority that was made for some hosts is worth nothing for others.
func TestLimitedAuthority(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, host string
		limits     []string
		good       bool
	}{
		{"its host", "pay.test", []string{"pay.test"}, true},
		{"below its host", "api.pay.test", []string{"pay.test"}, true},
		{"beside its host", "mypay.test", []string{"pay.test"}, false},
		{"an address where names are permitted", "192.0.2.1", []string{"pay.test"}, false},
		{"its address", "192.0.2.1", []string{"192.0.2.1"}, true},
		{"its long address", "2001:db8::1", []string{"2001:db8::1"}, true},
		{"another address", "192.0.2.2", []string{"192.0.2.1"}, false},
		{"a long address where a short is permitted", "2001:db8::1", []string{"192.0.2.1"}, false},
		{"a name where addresses are permitted", "pay.test", []string{"192.0.2.1"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			now := time.Now()
			s := newTestSigner(t, tt.limits, &now)
			leaf, err := s.certificate(tt.host)
			if err != nil {
				t.Fatal(err)
			}
			if err := verify(s, leaf, tt.host, now); (err == nil) != tt.good {
				t.Errorf("verified with %v", err)
			}
		})
	}
}

func TestLeavesAreKeptAndRenewed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newTestSigner(t, nil, &now)
	first, err := s.certificate("pay.test")
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(14 * 24 * time.Hour)
	if err := verify(s, first, "pay.test", now.Add(40*24*time.Hour)); err != nil {
		t.Errorf("two weeks later, and forty days ahead: %v", err)
	}
	if again, err := s.certificate("pay.test"); err != nil || again != first {
		t.Errorf("a young one is made anew: %v", err)
	}
	now = now.Add(2 * 24 * time.Hour)
	again, err := s.certificate("pay.test")
	if err != nil || again == first || verify(s, again, "pay.test", now) != nil {
		t.Errorf("an old one is kept: %v", err)
	}
	for i := range 2 * maxLeaves {
		if _, err := s.certificate(fmt.Sprintf("h%d.test", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.leaves) > maxLeaves {
		t.Errorf("%d are kept", len(s.leaves))
	}
	now = s.by.cert.NotAfter.Add(-time.Hour)
	last, err := s.certificate("late.test")
	if err != nil || last.Leaf.NotAfter.After(s.by.cert.NotAfter) {
		t.Errorf("one outlives the authority: %v", err)
	}
	now = s.by.cert.NotAfter
	if _, err := s.certificate("later.test"); err != ErrExpired {
		t.Errorf("an expired authority signs: %v", err)
	}
	if _, err := NewSigner(s.by, func() time.Time { return now }); err != ErrExpired {
		t.Errorf("an expired authority is taken: %v", err)
	}
}

// A replay has a clock of its own, and its clients may have that clock or the machine's.
func TestLeavesHoldByAllClocks(t *testing.T) {
	t.Parallel()
	a, err := Create(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	for _, off := range []time.Duration{0, 40 * day, 5 * 365 * day, -5 * 365 * day} {
		s, err := NewSigner(a, time.Now, func() time.Time { return time.Now().Add(off) })
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := s.certificate("pay.test")
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []time.Duration{0, off, 40 * day, off + 40*day} {
			if err := verify(s, leaf, "pay.test", time.Now().Add(at)); err != nil {
				t.Errorf("the deck's clock is %v ahead, the client's %v: %v", off, at, err)
			}
		}
	}
	if now := time.Now(); !a.Covers(now) || a.Covers(now.Add(11*365*day)) ||
		a.Covers(now.Add(-11*365*day)) {
		t.Error("the authority covers other years than its own")
	}
}

// goproxyKey is the SHA-256 of the public key of goproxy's built-in authority (v1.9.2), whose
// private key is there for all to read.
const goproxyKey = "c012de113a81789eb5c392c0580156bbc281f9f93e07f08cafa3329672e6993b"

func TestNoLeafIsSignedByGoproxy(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newTestSigner(t, nil, &now)
	leaf, err := s.certificate("pay.test")
	if err != nil {
		t.Fatal(err)
	}
	if len(leaf.Certificate) != 2 {
		t.Fatalf("a chain of %d", len(leaf.Certificate))
	}
	for _, der := range leaf.Certificate {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		if c.PublicKeyAlgorithm != x509.ECDSA || c.SignatureAlgorithm != x509.ECDSAWithSHA256 {
			t.Errorf("%s is signed with %v", c.Subject, c.SignatureAlgorithm)
		}
		if err := c.CheckSignatureFrom(s.by.cert); err != nil {
			t.Errorf("%s is signed by another: %v", c.Subject, err)
		}
		if sum := sha256.Sum256(c.RawSubjectPublicKeyInfo); hex.EncodeToString(sum[:]) == goproxyKey {
			t.Errorf("%s has goproxy's key", c.Subject)
		}
	}
	if public := s.by.cert.PublicKey.(*ecdsa.PublicKey); public.Equal(leaf.Leaf.PublicKey) {
		t.Error("a leaf has the key of the authority")
	}
}

func FuzzParseAuthority(f *testing.F) {
	good, err := newCertificate([]string{"pay.test"}, time.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := parse(data)
		if (a == nil) != (err != nil) {
			t.Fatal("an error comes with something, or nothing without one")
		}
		if err != nil && err.Error() != "it holds no certificate with its key" {
			t.Fatal("the error says more than it may")
		}
	})
}
