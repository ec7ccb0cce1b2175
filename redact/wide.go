package redact

import (
	"bytes"
	"iter"
	"unicode/utf16"
)

// wideRuns yields the stretches of bytes that are UTF-16 of ASCII text, in either byte order,
// and where they begin. Of bytes that begin with a byte order mark it is all that follows.
func wideRuns(b []byte) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		if order, ok := byteOrder(b); ok {
			yield(decodeWide(b[2:], order), 2)
			return
		}
		for i := 0; i+1 < len(b); {
			zero := bytes.IndexByte(b[i:], 0)
			if zero < 0 {
				return
			}
			zero += i
			text, from := wideAt(b, max(zero-1, i), 1), max(zero-1, i)
			if len(text) < minText {
				text, from = wideAt(b, zero, 0), zero
			}
			if i = zero + 1; len(text) < minText {
				continue
			}
			if !yield(text, from) {
				return
			}
			i = from + 2*len(text)
		}
	}
}

// wideAt reads two-byte characters from b[i:], of which the byte at index zero is 0.
func wideAt(b []byte, i, zero int) string {
	var text []byte
	for ; i+1 < len(b) && b[i+zero] == 0 && plainText(b[i+1-zero]); i += 2 {
		text = append(text, b[i+1-zero])
	}
	return string(text)
}

// byteOrder reads the byte order mark of UTF-16: where in a character its high byte lies.
func byteOrder(b []byte) (high int, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return 1, true
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return 0, true
	}
	return 0, false
}

// decodeWide decodes UTF-16 whose high bytes lie at an index.
func decodeWide(b []byte, high int) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i+high])<<8 | uint16(b[2*i+1-high])
	}
	return string(utf16.Decode(units))
}
