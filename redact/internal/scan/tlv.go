package scan

import (
	"iter"
	"strings"

	"github.com/paytape/paytape/internal/pan"
)

// The tags of EMV under which card data travels (EMV Book 3, annex A). Private tags begin with
// DF and have a second byte, or a third.
const (
	tagPAN      = 0x5a
	tagTrack2   = 0x57
	tagMagTrack = 0x6b // behind tagLong
	tagLong     = 0x9f
	tagPrivate  = 0xdf
)

// Lengths of a value with a card number in packed digits, in bytes: 13 digits, and a whole
// track of 37 characters.
const minBCD, maxBCD = 7, 19

// cardTLVs yields the values in bytes that a tag and a length announce as card data and that
// are a card number, alone or at the beginning of track 2. A value is taken by its own
// arithmetic, so the lengths around it need not agree: it may lie in a template that was cut.
func cardTLVs(b []byte) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i+minBCD < len(b); i++ {
			at := valueOf(b, i)
			if at == 0 || at >= len(b) {
				continue
			}
			n := int(b[at-1])
			if n < minBCD || n > maxBCD || at+n > len(b) || !cardBCD(b[at:at+n]) {
				continue
			}
			if !yield(at, at+n) {
				return
			}
		}
	}
}

// valueOf returns where the value lies of the tag for card data at b[i:], behind a length of
// one byte; 0 if there is no such tag.
func valueOf(b []byte, i int) int {
	switch b[i] {
	case tagPAN, tagTrack2:
		return i + 2
	case tagLong:
		if b[i+1] == tagMagTrack {
			return i + 3
		}
	case tagPrivate:
		if b[i+1]&0x80 != 0 {
			return i + 4 // a third byte
		}
		return i + 3
	}
	return 0
}

// cardBCD reports whether packed digits are a card number, padded with F, or track 2 with D for
// its separator.
func cardBCD(b []byte) bool {
	digits, rest, _ := strings.Cut(bcdText(b), "=")
	return pan.IsCard(digits) && strings.Trim(rest, "0123456789") == ""
}

// bcdText writes packed digits as text: D becomes the separator of track 2, and the padding
// goes. What is no digit shows as a point.
func bcdText(b []byte) string {
	text := make([]byte, 0, 2*len(b))
	for _, c := range b {
		for _, nibble := range []byte{c >> 4, c & 15} {
			switch {
			case nibble <= 9:
				text = append(text, '0'+nibble)
			case nibble == 0xd:
				text = append(text, '=')
			case nibble == 0xf:
				text = append(text, 'F')
			default:
				text = append(text, '.')
			}
		}
	}
	return strings.TrimRight(string(text), "F")
}
