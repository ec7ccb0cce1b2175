package scan

import "unicode/utf8"

// decoding is one way to read a stretch of a run: in which encoding, and from which character on. What
// stands before the encoded stretch may be of the same letters, so a run has several decodings.
type decoding struct {
	as       encoding
	from, to int  // in the text of the run
	first    bool // an encoded stretch may begin here
}

// encoding is how bytes are written in letters and digits.
type encoding uint8

const (
	inBase64 encoding = iota
	inHex
	inBase32
)

// someDecodings is more decodings than most runs have.
const someDecodings = 8

// decodings appends the ways to read a run. A run that is hex as a whole is no base64.
func (r base64Run) decodings(list []decoding) []decoding {
	end, covered := len(r.text), false
	for from, to := range hexRuns(r.text) {
		covered = covered || from == 0 && to == end
		list = append(list, decoding{inHex, from, to, true}, decoding{inHex, from + 1, to, false})
	}
	if isBase32(r.text) {
		list = append(list, decoding{inBase32, 0, end, true})
	}
	if covered || !hasCapital(r.text) {
		return list
	}
	for shift := range 4 {
		list = append(list, decoding{inBase64, shift, end, shift == 0})
	}
	for at := range streamStarts(r.text) {
		list = append(list, decoding{inBase64, at, end, true})
	}
	return list
}

// appendTo appends the bytes that a run has in the decoding.
func (d decoding) appendTo(b []byte, r base64Run) []byte {
	text := r.text[d.from:d.to]
	switch d.as {
	case inHex:
		return appendHex(b, text)
	case inBase32:
		return appendBase32(b, text)
	}
	return appendBase64(b, text)
}

// place returns the way from the bytes of the decoding back to the run.
func (d decoding) place(r base64Run) func(from, to int) (int, int) {
	switch d.as {
	case inHex:
		return func(from, to int) (int, int) { return r.place(d.from+2*from, d.from+2*to) }
	case inBase32:
		return func(from, to int) (int, int) { return r.place(8*from/5, (8*to+4)/5) }
	}
	return func(from, to int) (int, int) { return r.place(d.from+4*from/3, d.from+(4*to+2)/3) }
}

// byteSigns has what a byte may be a part of.
type byteSigns uint8

const (
	following byteSigns = 3 // how many bytes of the character follow a first byte
	inText    byteSigns = 1 << (iota + 1)
	inRest              // a byte of a character behind its first byte
	isZero
	isBCD // two packed digits
)

// signsOf has the signs of every byte.
var signsOf = func() (signs [256]byteSigns) {
	for i := range signs {
		c, s := byte(i), byteSigns(0)
		switch {
		case c < utf8.RuneSelf:
			if isPlainText(c) {
				s = inText
			}
		case c < 0xc0:
			s = inRest
		case c >= 0xf0:
			s = inText | 3
		case c >= 0xe0:
			s = inText | 2
		default:
			s = inText | 1
		}
		if c == 0 {
			s |= isZero
		}
		if c>>4 <= 9 && c&15 <= 9 {
			s |= isBCD
		}
		signs[i] = s
	}
	return signs
}()

// mayRead reports whether decoded bytes may hold anything that is read in them: text, UTF-16, card data
// in TLV, or a compressed stream, of which some begin only where the bytes do. Most runs of letters are
// names, and make noise when they are decoded: mayRead turns noise away in one pass. It errs on the side
// of doubt.
func mayRead(b []byte, first bool) bool {
	if mayReadAsIs(b) {
		return true
	}
	if !first {
		return false
	}
	_, stream := streamStart(b)
	return stream
}

// mayReadAsIs is mayRead for all but the streams that have no magic.
func mayReadAsIs(b []byte) bool {
	if _, marked := byteOrder(b); marked {
		return true
	}
	text, rest, zeros, digits, packed := 0, byteSigns(0), 0, 0, false
	for i, c := range b {
		s := signsOf[c]
		if s&isBCD == 0 {
			digits = 0
		} else if digits++; digits == minBCD-1 { // the last byte may be half a digit
			packed = true
		}
		switch {
		case s&inText != 0:
			if rest > 0 {
				text = 0
			}
			text, rest = text+1, s&following
		case s&inRest != 0 && rest > 0:
			text, rest = text+1, rest-1
		default:
			text, rest = 0, 0
		}
		if text == minTextRun {
			return true
		}
		if s&isZero != 0 {
			zeros++
		}
		if c == gzipMagic[1] && i > 0 && b[i-1] == gzipMagic[0] {
			return true
		}
	}
	if packed {
		for range cardTLVs(b) {
			return true
		}
	}
	if zeros >= minTextRun { // or it is an id with zeros before its number
		for range utf16Runs(b) {
			return true
		}
	}
	return false
}
