package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/paytape/paytape/internal/leaf"
)

// Safe is text that has been cleaned. Only this package can make one that is not empty, so
// a writer that takes a Safe cannot be handed anything else.
type Safe struct{ text string }

// String returns the text, for the moment of writing it.
func (s Safe) String() string { return s.text }

// MarshalText writes the text into JSON and structured logs.
func (s Safe) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// Clean is an exchange that holds no secret: what a journal, a cassette and an inspector
// take. It is made by cleaning, or by reopening content whose checksum is ours.
type Clean struct {
	x       *leaf.Exchange
	learned int // how much was known when it was cleaned
}

// Exchange returns the exchange, which is shared and must not be changed. It is nil for the
// zero Clean.
func (c Clean) Exchange() *leaf.Exchange { return c.x }

// ErrUnsealed is returned for content whose checksum does not agree: it was cut, edited,
// merged, or written by another program.
var ErrUnsealed = errors.New("checksum does not agree")

// Seal is proof that content is as paytape wrote it.
type Seal struct{ checked bool }

// Sum returns the checksum that goes with content: SHA-256, four bits a letter from a to p. In
// decimal or hexadecimal digits it would look like a card number now and then.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	letters := make([]byte, 0, 2*len(sum))
	for _, b := range sum {
		letters = append(letters, 'a'+b>>4, 'a'+b&15)
	}
	return string(letters)
}

// CheckSeal compares content with the checksum stored beside it. The first tapes have it in
// hexadecimal digits.
func CheckSeal(content []byte, sum string) (Seal, error) {
	hexadecimal := sha256.Sum256(content)
	if Sum(content) != sum && hex.EncodeToString(hexadecimal[:]) != sum {
		return Seal{}, ErrUnsealed
	}
	return Seal{checked: true}, nil
}

// Reopen returns an exchange that was read from sealed content as clean. Without a seal it
// returns the zero Clean.
func (s Seal) Reopen(x *leaf.Exchange) Clean {
	if !s.checked {
		return Clean{}
	}
	return Clean{x: x}
}
