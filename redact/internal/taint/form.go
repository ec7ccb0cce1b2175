package taint

import (
	"iter"
	"strings"
)

// alphabet is how a form writes the bytes of a value.
type alphabet uint8

const (
	asIs alphabet = iota
	lowerHex
	upperHex
	standardBase64
	urlBase64
)

// form is one way to write a value in a text. In base64 the value may begin at an offset of shift
// modulo 3 of what is encoded. A form has the characters that are the same whatever stands beside the
// value: other characters depend on the bytes there.
type form struct {
	as    alphabet
	shift uint8
}

// allForms are the forms of a value. The value itself is the first.
var allForms = [...]form{
	{as: asIs}, {as: lowerHex}, {as: upperHex},
	{standardBase64, 0}, {urlBase64, 0}, {standardBase64, 1}, {urlBase64, 1},
	{standardBase64, 2}, {urlBase64, 2},
}

// formsOf yields the forms of a value that differ from one another, by their places in allForms.
func formsOf(value string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, f := range allForms {
			if f.isOwn(value) && !yield(i) {
				return
			}
		}
	}
}

// forms returns a value and its encoded forms as texts.
func forms(value string) []string {
	var texts []string
	for i := range formsOf(value) {
		texts = append(texts, allForms[i].text(value))
	}
	return texts
}

// isOwn reports whether the form differs from the forms of a value before it.
func (f form) isOwn(value string) bool {
	switch f.as {
	case upperHex:
		for i := range len(value) {
			if value[i]>>4 > 9 || value[i]&15 > 9 {
				return true
			}
		}
		return false
	case urlBase64:
		for i := range f.length(value) {
			if f.sextet(value, i) >= 62 {
				return true
			}
		}
		return false
	}
	return true
}

// length returns how many characters the form of a value has.
func (f form) length(value string) int {
	switch f.as {
	case asIs:
		return len(value)
	case lowerHex, upperHex:
		return 2 * len(value)
	}
	return 8*(int(f.shift)+len(value))/6 - f.skipped()
}

// skipped returns how many characters of base64 hold bits of what stands before the value.
func (f form) skipped() int { return (8*int(f.shift) + 5) / 6 }

// sextet returns the six bits that a character of base64 stands for.
func (f form) sextet(value string, i int) byte {
	bit := 6*(f.skipped()+i) - 8*int(f.shift)
	at := bit / 8
	pair := uint16(value[at]) << 8
	if at+1 < len(value) {
		pair |= uint16(value[at+1])
	}
	return byte(pair>>(10-bit%8)) & 63
}

const (
	lowerDigits = "0123456789abcdef"
	upperDigits = "0123456789ABCDEF"
	letters     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	stdDigits   = letters + "+/"
	urlDigits   = letters + "-_"
)

// character returns a character of the form of a value.
func (f form) character(value string, i int) byte {
	switch f.as {
	case asIs:
		return value[i]
	case lowerHex:
		return lowerDigits[value[i/2]>>(4*(1-i%2))&15]
	case upperHex:
		return upperDigits[value[i/2]>>(4*(1-i%2))&15]
	case standardBase64:
		return stdDigits[f.sextet(value, i)]
	}
	return urlDigits[f.sextet(value, i)]
}

// text returns the form of a value.
func (f form) text(value string) string {
	if f.as == asIs {
		return value
	}
	b := make([]byte, f.length(value))
	for i := range b {
		b[i] = f.character(value, i)
	}
	return string(b)
}

// key returns the key that begins in the form of a value at an offset.
func (f form) key(value string, at int) uint64 {
	var k uint64
	for i := MinLength - 1; i >= 0; i-- {
		k = k<<8 | uint64(f.character(value, at+i))
	}
	return k
}

// begins reports whether s begins with the form of a value. It makes no text of the form: a secret has
// nine forms, and hardly any is ever met.
func (f form) begins(s, value string) bool {
	if f.as == asIs {
		return strings.HasPrefix(s, value)
	}
	n := f.length(value)
	if len(s) < n {
		return false
	}
	for i := range n {
		if s[i] != f.character(value, i) {
			return false
		}
	}
	return true
}
