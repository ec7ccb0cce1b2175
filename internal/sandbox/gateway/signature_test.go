package gateway

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"testing"
)

// The vector of the domain facts, Signing.
func TestSignatureVector(t *testing.T) {
	t.Parallel()
	const hash = "eYkMUF+xaYJhsETTIGsctl6DBNZha1ITN8muCcWQtZk="
	body := []byte("amount=10000&password=" + "gcjgcW1&returnUrl=http&userName=signature-api")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatalf("making a key: %v", err)
	}
	raw, err := base64.StdEncoding.DecodeString(hash)
	if err != nil {
		t.Fatalf("reading the vector: %v", err)
	}
	sum := sha256.Sum256(raw) // RSA-SHA256 over the 32 bytes
	signed, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatalf("signing: %v", err)
	}
	c := call{body: body, header: http.Header{}}
	c.header.Set(headerHash, hash)
	c.header.Set(headerSignature, base64.StdEncoding.EncodeToString(signed))
	if err := (operation{signed: true}).checkSignature(&key.PublicKey, c); err != nil {
		t.Errorf("the vector is refused: %v", err)
	}
	c.body = append(body, ' ')
	if (operation{signed: true}).checkSignature(&key.PublicKey, c) == nil {
		t.Error("the vector is taken for another body")
	}
}
