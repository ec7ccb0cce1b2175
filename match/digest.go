package match

import (
	"bytes"
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

// folded is the digest of what all ways of writing an id have in common: small letters, no
// dashes, no zeros in front of a number.
func folded(id string) uint64 {
	var room [64]byte
	b, number := room[:0], true
	if strings.IndexFunc(id, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		id = strings.ToLower(strings.ToUpper(id))
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c == '-':
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		number = number && isDigit(c)
		b = append(b, c)
	}
	if number {
		b = bytes.TrimLeft(b, "0")
	}
	return maphash.Bytes(keySeed, b)
}

// digest stands for texts. That two of a cassette have one by chance is less likely than
// that a disk forgets one.
func digest(texts ...string) uint64 {
	if len(texts) == 1 {
		return maphash.String(keySeed, texts[0])
	}
	var h maphash.Hash
	h.SetSeed(keySeed)
	for _, t := range texts {
		_, _ = h.WriteString(t) // a hash takes everything
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}
