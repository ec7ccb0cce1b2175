package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
)

// ErrUnsealed is returned for content whose checksum does not agree: it was cut, edited,
// merged, or written by another program.
var ErrUnsealed = errors.New("checksum does not agree")

// Seal is proof that content is as paytape wrote it.
type Seal struct{ checked bool }

// Sum returns the checksum that goes with content: SHA-256, four bits a letter from a to p. In
// decimal or hexadecimal digits it would look like a card number now and then.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return letters(sum[:])
}

// CheckSeal compares content with the checksum stored beside it. The first tapes have it in
// hexadecimal digits.
func CheckSeal(content []byte, sum string) (Seal, error) {
	got := sha256.Sum256(content)
	return checkSum(got[:], sum)
}

// Summer sums up content that is not held in memory: what is written to it is what Sum and
// CheckSeal would be given.
type Summer struct{ hash hash.Hash }

// NewSummer returns a Summer that was given nothing yet.
func NewSummer() *Summer { return &Summer{sha256.New()} }

// Write adds to the content. It does not fail.
func (s *Summer) Write(p []byte) (int, error) { return s.hash.Write(p) }

// Sum returns the checksum of the content so far.
func (s *Summer) Sum() string { return letters(s.hash.Sum(nil)) }

// CheckSeal compares the content so far with the checksum stored beside it.
func (s *Summer) CheckSeal(sum string) (Seal, error) { return checkSum(s.hash.Sum(nil), sum) }

func checkSum(got []byte, sum string) (Seal, error) {
	if letters(got) != sum && hex.EncodeToString(got) != sum {
		return Seal{}, ErrUnsealed
	}
	return Seal{checked: true}, nil
}

func letters(sum []byte) string {
	out := make([]byte, 0, 2*len(sum))
	for _, b := range sum {
		out = append(out, 'a'+b>>4, 'a'+b&15)
	}
	return string(out)
}
