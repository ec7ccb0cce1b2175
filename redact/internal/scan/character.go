package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// IsAlphanumeric reports whether c is a letter or a digit of ASCII.
func IsAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// IsLetter reports whether c can be inside a word: alphanumeric, an underscore, or a byte of a
// character outside ASCII.
func IsLetter(c byte) bool { return IsAlphanumeric(c) || c == '_' || c >= 0x80 }

// Distinct counts the different bytes of s, up to four.
func Distinct(s string) int {
	var seen []byte
	for i := 0; i < len(s) && len(seen) < 4; i++ {
		if !slices.Contains(seen, s[i]) {
			seen = append(seen, s[i])
		}
	}
	return len(seen)
}

// IsWord reports whether s is made of ASCII letters alone.
func IsWord(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// IsTokenByte reports whether c can stand inside a credential.
func IsTokenByte(c byte) bool { return IsAlphanumeric(c) || c == '_' || c == '-' || c == '.' }

// EndOfToken returns where the bytes that can stand inside a credential end, from s[i:] on.
func EndOfToken(s string, i int) int {
	for i < len(s) && IsTokenByte(s[i]) {
		i++
	}
	return i
}

// JWTStart is how a JWT begins: {" in base64.
const JWTStart = "eyJ"

// Printable replaces bytes that are not UTF-8 and could be read as some other charset.
func Printable(s string) string {
	for i := 0; ; i++ {
		if i == len(s) {
			return s // of ASCII, as nearly all
		}
		if s[i] == 0 || s[i] >= utf8.RuneSelf {
			break
		}
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}
