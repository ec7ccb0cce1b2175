package gateway

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
)

// The headers of a signed call (domain facts, Signing).
const (
	headerHash      = "X-Hash"
	headerSignature = "X-Signature"
)

// checkSignature checks a call when the shop's public key is known. OCT integrations must sign
// their calls (document 3, Authentication, 2); the calls of other areas may come unsigned, but
// a signature that they bear must be right. What is wrong is denied like a wrong password.
func (op operation) checkSignature(key *rsa.PublicKey, c call) error {
	hash, signature := c.header.Get(headerHash), c.header.Get(headerSignature)
	unsigned := hash == "" && signature == ""
	if key == nil || unsigned && !op.signed {
		return nil
	}
	sum := sha256.Sum256(c.body)
	if !isBase64Of(hash, sum[:]) {
		return errDenied.about(headerHash)
	}
	sealed, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return errDenied.about(headerSignature)
	}
	// RSA-SHA256 signs the 32 bytes of the hash, which are hashed once more for that.
	twice := sha256.Sum256(sum[:])
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, twice[:], sealed) != nil {
		return errDenied.about(headerSignature)
	}
	return nil
}

func isBase64Of(s string, want []byte) bool {
	got, err := base64.StdEncoding.DecodeString(s)
	return err == nil && bytes.Equal(got, want)
}
