package request

import (
	"bytes"
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

// seed is that of all digests of the process.
var seed = maphash.MakeSeed()

// folds has for each byte of ASCII the small letter, and dashed for a dash.
var folds = func() (to [utf8.RuneSelf]byte) {
	for c := range to {
		to[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			to[c] += 'a' - 'A'
		}
	}
	to['-'] = dashed
	return to
}()

// dashed is no byte of ASCII.
const dashed = 0xff

// Folded is the digest of what all ways of writing an id have in common: small letters, no
// dashes, no zeros in front of a number.
func Folded(id string) uint64 {
	var room [64]byte // nearly all ids are shorter
	if len(id) > len(room) {
		return foldedLong(id)
	}
	n, number := 0, true
	for i := range len(id) {
		if id[i] >= utf8.RuneSelf {
			return foldedLong(id)
		}
		c := folds[id[i]]
		if c == dashed {
			continue
		}
		number = number && IsDigit(c)
		room[n] = c
		n++
	}
	return foldedBytes(room[:n], number)
}

// foldedLong is Folded for any text.
func foldedLong(id string) uint64 {
	if !isASCII(id) {
		id = strings.ToUpper(id)
	}
	id = strings.ReplaceAll(strings.ToLower(id), "-", "")
	return foldedBytes([]byte(id), strings.Trim(id, "0123456789") == "")
}

func foldedBytes(b []byte, number bool) uint64 {
	if number {
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
