package main

import (
	"crypto/x509"
	"fmt"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// systemRoots returns the certificates of authorities that this system trusts. A system without any, as
// a container that holds paytape and nothing else, trusts those of Mozilla as of when paytape was built;
// own reports that.
func systemRoots() (roots *x509.CertPool, own bool, err error) {
	roots, err = x509.SystemCertPool()
	if err == nil && !roots.Equal(x509.NewCertPool()) {
		return roots, false, nil
	}
	roots = x509.NewCertPool()
	for root := range bundle.Roots() {
		cert, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, true, fmt.Errorf("reading our own authorities: %w", err)
		}
		if root.Constraint != nil {
			roots.AddCertWithConstraint(cert, root.Constraint)
			continue
		}
		roots.AddCert(cert)
	}
	return roots, true, nil
}
