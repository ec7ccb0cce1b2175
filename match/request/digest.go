package request

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"
)

// seed is that of all digests of the process.
var seed = maphash.MakeSeed()

// folds has for each byte what stands for it in what is digested: the small letter for a capital.
var folds = func() (to [256]byte) {
	for c := range to {
		switch to[c] = byte(c); {
		case c >= utf8.RuneSelf:
			to[c] = beyondASCII
		case c == '-':
			to[c] = dashed
		case IsCapital(byte(c)):
			to[c] += 'a' - 'A'
		}
	}
	return to
}()

// What stands for nothing.
const (
	dashed      = 0xfe
	beyondASCII = 0xff
)

// Folded is the digest of what all ways of writing an id have in common: small letters, no
// dashes, no zeros in front of a number.
func Folded(id string) uint64 {
	var room [64]byte // nearly all ids are shorter
	if len(id) > len(room) {
		return foldedLong(id)
	}
	n := 0
	for i := range len(id) {
		c := folds[id[i]]
		if c == dashed {
			continue
		}
		if c == beyondASCII {
			return foldedLong(id)
		}
		room[n] = c
		n++
	}
	return foldedBytes(room[:n])
}

// foldedLong is Folded for any text.
func foldedLong(id string) uint64 {
	if !isASCII(id) {
		id = strings.ToUpper(id)
	}
	id = strings.ReplaceAll(strings.ToLower(id), "-", "")
	return foldedBytes([]byte(id))
}

func foldedBytes(b []byte) uint64 {
	other := func(c byte) bool { return !IsDigit(c) }
	if len(b) > 0 && b[0] == '0' && !slices.ContainsFunc(b, other) {
		b = bytes.TrimLeft(b, "0")
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
