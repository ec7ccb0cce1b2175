package callback

import (
	"crypto"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"hash"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Key is what callbacks of an API are signed with: that of an account at a sandbox, or of a test.
// It never prints.
type Key struct {
	leaf.Unprinted
	// Profile is the name of the API. Empty: the key serves all that have none of their own.
	Profile string
	// Text is the key as its file has it: a text, or PEM. Space around it does not count.
	Text string
}

// Keys are the keys of a deck.
type Keys []Key

// Of returns the key for the callbacks of a profile; false if there is none.
func (ks Keys) Of(profile string) (Key, bool) {
	var common Key
	found := false
	for _, k := range ks {
		switch k.Profile {
		case profile:
			return k, true
		case "":
			common, found = k, true
		}
	}
	return common, found
}

// Why a key cannot be used. None of these errors repeats anything of the key.
var (
	errEmptyKey  = errors.New("the key is empty")
	errBase64Key = errors.New("the key is no base64")
	errPEM       = errors.New("the key is no PEM")
	errPrivate   = errors.New("the PEM holds no RSA private key, which signing takes")
	errPublic    = errors.New("the PEM holds no RSA key")
	errAlgorithm = errors.New("the algorithm is not known")
)

// algorithm is how a digest is signed.
type algorithm struct {
	digest     crypto.Hash
	new        func() hash.Hash
	asymmetric bool
}

var algorithms = map[string]algorithm{
	profile.HMACSHA256: {crypto.SHA256, sha256.New, false},
	profile.HMACSHA512: {crypto.SHA512, sha512.New, false},
	profile.RSASHA256:  {crypto.SHA256, sha256.New, true},
	profile.RSASHA512:  {crypto.SHA512, sha512.New, true},
}

// Check tells whether the key can sign as an API does. The error repeats nothing of the key.
func (k Key) Check(s *profile.Signature) error {
	_, err := k.sign(s, "")
	return err
}

// sign returns the signature of a text, as bytes.
func (k Key) sign(s *profile.Signature, text string) ([]byte, error) {
	a, known := algorithms[s.Algorithm]
	switch {
	case !known:
		return nil, errAlgorithm
	case !a.asymmetric:
		return k.mac(a, s.Key, text)
	}
	private, err := k.private()
	if err != nil {
		return nil, err
	}
	signed, err := rsa.SignPKCS1v15(nil, private, a.digest, a.sum(text))
	if err != nil {
		return nil, errPrivate // the key is too short
	}
	return signed, nil
}

// signs reports whether a signature is that of a text.
func (k Key) signs(s *profile.Signature, text string, signature []byte) (bool, error) {
	a, known := algorithms[s.Algorithm]
	switch {
	case !known:
		return false, errAlgorithm
	case !a.asymmetric:
		want, err := k.mac(a, s.Key, text)
		return hmac.Equal(signature, want), err
	}
	public, err := k.public()
	if err != nil {
		return false, err
	}
	return rsa.VerifyPKCS1v15(public, a.digest, a.sum(text), signature) == nil, nil
}

func (a algorithm) sum(text string) []byte {
	h := a.new()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	return h.Sum(nil)
}

// mac returns the message authentication code of a text. The key is written in the given way.
func (k Key) mac(a algorithm, written, text string) ([]byte, error) {
	key := []byte(strings.TrimSpace(k.Text))
	if written == profile.KeyBase64 {
		var err error
		key, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(string(key), "whsec_"))
		if err != nil {
			return nil, errBase64Key
		}
	}
	if len(key) == 0 {
		return nil, errEmptyKey
	}
	h := hmac.New(a.new, key)
	_, _ = h.Write([]byte(text))
	return h.Sum(nil), nil
}

// private reads a private key: PKCS #8 or PKCS #1.
func (k Key) private() (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(k.Text))
	if block == nil {
		return nil, errPEM
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		if key, ok := parsed.(*rsa.PrivateKey); ok {
			return key, nil
		}
	}
	return nil, errPrivate
}

// public reads a public key, of a certificate or of a private key too: whoever only checks need not
// have the private one.
func (k Key) public() (*rsa.PublicKey, error) {
	block, _ := pem.Decode([]byte(k.Text))
	if block == nil {
		return nil, errPEM
	}
	if parsed, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
		if key, ok := parsed.(*rsa.PublicKey); ok {
			return key, nil
		}
	}
	if key, err := x509.ParsePKCS1PublicKey(block.Bytes); err == nil {
		return key, nil
	}
	if c, err := x509.ParseCertificate(block.Bytes); err == nil {
		if key, ok := c.PublicKey.(*rsa.PublicKey); ok {
			return key, nil
		}
	}
	if key, err := k.private(); err == nil {
		return &key.PublicKey, nil
	}
	return nil, errPublic
}
