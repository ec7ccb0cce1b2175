package scan

import (
	"bytes"
	"unicode/utf8"
)

// decoding is one way to read a stretch of a run: in which encoding, and from which character on. What
// stands before the encoded stretch may be of the same letters, so a run has several decodings.
type decoding struct {
	as       encoding
	first    bool  // an encoded stretch may begin here
	from, to int32 // in the text of the run
}

// encoding is how bytes are written in letters and digits.
type encoding uint8

const (
	inBase64 encoding = iota
	inHex
	inBase32
)

// someDecodings is how many decodings a run has at most that has no hex.
const someDecodings = 4 + maxStarts

// decodings appends the ways to read a run. A run that is hex as a whole is no base64.
func (r base64Run) decodings(list []decoding) []decoding {
	end, covered := int32(len(r.text)), false
	for from, to := range hexRuns(r.text) {
		covered = covered || from == 0 && to == len(r.text)
		list = append(list, decoding{inHex, true, int32(from), int32(to)},
			decoding{inHex, false, int32(from) + 1, int32(to)})
	}
	if isBase32(r.text) {
		list = append(list, decoding{inBase32, true, 0, end})
	}
	if covered || !hasCapital(r.text) {
		return list
	}
	for shift := range 4 {
		list = append(list, decoding{inBase64, shift == 0, int32(shift), end})
	}
	for at := range streamStarts(r.text) {
		list = append(list, decoding{inBase64, true, int32(at), end})
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
	begin := int(d.from)
	switch d.as {
	case inHex:
		return func(from, to int) (int, int) { return r.place(begin+2*from, begin+2*to) }
	case inBase32:
		return func(from, to int) (int, int) { return r.place(8*from/5, (8*to+4)/5) }
	}
	return func(from, to int) (int, int) { return r.place(begin+4*from/3, begin+(4*to+2)/3) }
}

// byteClass is what a byte may be in a text.
type byteClass uint8

const (
	inASCII byteClass = iota
	inRest            // a byte of a character behind its first byte
	inLead            // the first byte of several
	inNoText
)

// classOf has the class of every byte.
var classOf = func() (classes [256]byteClass) {
	for i := range classes {
		switch c := byte(i); {
		case c >= 0xc0:
			classes[i] = inLead
		case c >= utf8.RuneSelf:
			classes[i] = inRest
		case !isPlainText(c):
			classes[i] = inNoText
		}
	}
	return classes
}()

// inRow reports whether two bytes may stand side by side in a text.
func inRow(a, b byte) bool {
	switch x, y := classOf[a], classOf[b]; {
	case x == inNoText || y == inNoText:
		return false
	case y == inRest:
		return x != inASCII
	default:
		return x != inLead
	}
}

// isPacked reports whether a byte is two packed digits.
func isPacked(c byte) bool { return c>>4 <= 9 && c&15 <= 9 }

// mayRead reports whether decoded bytes may hold anything that is read in them: text, UTF-16, card data
// in TLV, or a compressed stream, of which some begin only where the bytes do. Most runs of letters are
// names, and make noise when they are decoded: mayRead turns noise away at a few bytes. It errs on the
// side of doubt.
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
	if mayHaveText(b) || bytes.IndexByte(b, gzipMagic[0]) >= 0 && bytes.Contains(b, []byte(gzipMagic[:2])) {
		return true
	}
	if mayHavePacked(b) {
		for range cardTLVs(b) {
			return true
		}
	}
	if len(b) >= 2*minTextRun && bytes.Count(b, []byte{0}) >= minTextRun {
		for range utf16Runs(b) { // unless it is an id with zeros before its number
			return true
		}
	}
	return false
}

// mayHaveText reports whether there may be minTextRun bytes of text. It looks backwards from where such
// a stretch would end: where two bytes are no text, all stretches that have both are ruled out.
func mayHaveText(b []byte) bool {
	for end := minTextRun - 1; end < len(b); {
		i := end
		for i > end-minTextRun+1 && inRow(b[i-1], b[i]) {
			i--
		}
		if i == end-minTextRun+1 {
			return true
		}
		end = i + minTextRun - 1
	}
	return false
}

// mayHavePacked reports whether there may be the packed digits of a card number, of which the last byte
// may be half a digit.
func mayHavePacked(b []byte) bool {
	const least = minBCD - 1
	for end := least - 1; end < len(b); {
		i := end
		for i > end-least && isPacked(b[i]) {
			i--
		}
		if i == end-least {
			return true
		}
		end = i + least
	}
	return false
}
