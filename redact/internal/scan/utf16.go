package scan

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf16"
)

// utf16Runs yields the stretches of bytes that are UTF-16 of ASCII text, in either byte order,
// and where they begin. Where the character before belongs to something else, both orders make
// sense, but for the first or the last character: both are yielded if the second says more.
func utf16Runs(b []byte) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for i := 0; i+1 < len(b); {
			zero := bytes.IndexByte(b[i:], 0)
			if zero < 0 {
				return
			}
			zero += i
			low, high := utf16At(b, max(zero-1, i), 1), utf16At(b, zero, 0)
			next := zero + 1
			if len(low) >= minTextRun {
				next = max(zero-1, i) + 2*len(low)
				if !yield(low, max(zero-1, i)) {
					return
				}
			}
			if len(high) >= minTextRun && !strings.HasSuffix(low, high) {
				next = max(next, zero+2*len(high))
				if !yield(high, zero) {
					return
				}
			}
			i = next
		}
	}
}

// utf16At reads two-byte characters from b[i:], of which the byte at index zero is 0.
func utf16At(b []byte, i, zero int) string {
	var text []byte
	for ; i+1 < len(b) && b[i+zero] == 0 && isPlainText(b[i+1-zero]); i += 2 {
		text = append(text, b[i+1-zero])
	}
	return string(text)
}

// byteOrder reads the byte order mark of UTF-16: where in a character its high byte lies.
func byteOrder(b []byte) (high int, ok bool) {
	if len(b) < 2 {
		return 0, false
	}
	switch uint16(b[0])<<8 | uint16(b[1]) {
	case 0xfffe:
		return 1, true
	case 0xfeff:
		return 0, true
	}
	return 0, false
}

// decodeUTF16 decodes UTF-16 whose high bytes lie at an index.
func decodeUTF16(b []byte, high int) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i+high])<<8 | uint16(b[2*i+1-high])
	}
	return string(utf16.Decode(units))
}
