package request

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

// seed is that of all digests of the process.
var seed = maphash.MakeSeed()

// Folded is the digest of what all ways of writing an id have in common: small letters, no
// dashes, no zeros in front of a number.
func Folded(id string) uint64 {
	var room [64]byte
	b, number := room[:], true
	if len(id) > len(b) || !isASCII(id) {
		id = strings.ToLower(strings.ToUpper(id))
		b = make([]byte, len(id))
	}
	n := 0
	for i := range len(id) {
		c := id[i]
		switch {
		case IsDigit(c):
		case c == '-':
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
			fallthrough
		default:
			number = false
		}
		b[n] = c
		n++
	}
	b = b[:n]
	if number {
		for len(b) > 0 && b[0] == '0' {
			b = b[1:]
		}
	}
	return maphash.Bytes(seed, b)
}

// DigestBytes is Digest of one text.
func DigestBytes(text []byte) uint64 { return maphash.Bytes(seed, text) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Digest stands for texts. That two of a cassette have one by chance is less likely than
// that a disk forgets one.
func Digest(texts ...string) uint64 {
	if len(texts) == 1 {
		return maphash.String(seed, texts[0])
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, t := range texts {
		_, _ = h.WriteString(t) // a hash takes everything
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}
