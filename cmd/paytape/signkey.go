package main

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
)

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
			"openssl pkey -pubout -in %s", word(file))
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
