package cluster

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// LeastKey is how many bytes a key has at least.
const LeastKey = 32

// sealer closes what goes to NATS, and opens what comes from there.
type sealer struct {
	aead  cipher.AEAD
	names []byte // the key of digests of names
	id    string // of the decks that have this key

	connections []byte // the key of connections of clients that end at another deck
}

// newSealer returns a sealer with keys that are derived from a key.
func newSealer(key []byte) (*sealer, error) {
	if len(key) < LeastKey {
		return nil, fmt.Errorf("expected a key of %d bytes or more, found %d", LeastKey, len(key))
	}
	block, err := aes.NewCipher(Derive(key, "messages", 32))
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &sealer{
		aead: aead, names: Derive(key, "sessions", 32), id: hex.EncodeToString(Derive(key, "name", 6)),
		connections: Derive(key, "connections", 32),
	}, nil
}

// Derive returns n bytes for a purpose, which all decks with a key have and nobody else.
func Derive(key []byte, purpose string, n int) []byte {
	derived, err := hkdf.Key(sha256.New, key, nil, "paytape cluster 1: "+purpose, n)
	if err != nil {
		panic("deriving keys: " + err.Error()) // n is wrong
	}
	return derived
}

// token returns what stands for a name in keys and subjects.
func (s *sealer) token(name string) string {
	mac := hmac.New(sha256.New, s.names)
	mac.Write([]byte(name))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// close seals a value. What it is for is sealed with it: a message that is put in another's place
// cannot be opened there.
func (s *sealer) close(purpose string, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("a message cannot be written") // the cause may repeat values
	}
	return s.aead.Seal(nil, nil, text, []byte(purpose)), nil
}

// open is the opposite of close.
func (s *sealer) open(purpose string, sealed []byte, v any) error {
	text, err := s.aead.Open(nil, nil, sealed, []byte(purpose))
	if err != nil {
		return errors.New("a message was not sealed with the key of these decks")
	}
	if json.Unmarshal(text, v) != nil {
		return errors.New("a message cannot be read: it is of another version of paytape")
	}
	return nil
}
