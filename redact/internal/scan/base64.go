package scan

import (
	"encoding/base32"
	"encoding/base64"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
)

// Shortest stretches that are decoded. A card number of 13 digits is 18 characters of base64,
// and a TLV with such a number in hex has as many.
const (
	minBase64  = 16 // of base64, in characters
	minHex     = 18
	minTextRun = 12 // of text in what was decoded, in characters: noise has no such runs
)

// base64Values has the six bits that a character stands for in either alphabet, -1 for other
// characters. A run may mix the alphabets: a slash or a hyphen may stand before what is encoded.
var base64Values = func() (values [256]int8) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for i := range values {
		values[i] = -1
	}
	for i := range len(letters) {
		values[letters[i]] = int8(i)
	}
	values['+'], values['-'] = 62, 62
	values['/'], values['_'] = 63, 63
	return values
}()

// base64Run is a stretch of characters of base64 in a text.
type base64Run struct {
	leaf.Unprinted
	text     string // without line ends
	from, to int    // in the text
	wrapped  string // the text that it is a part of, if it goes over lines
}

// minWrapped is the length from which on a line of base64 may go on in the next line: MIME has 76
// characters, PEM 64, YAML 70.
const minWrapped = 60

// runAt returns the run that begins at s[i:].
func runAt(s string, i int) base64Run {
	r := base64Run{from: i, to: EndOfBase64(s, i)}
	if r.to-i < minWrapped {
		r.text = s[i:r.to]
		return r
	}
	var joined []byte
	for from := i; ; {
		joined = append(joined, s[from:r.to]...)
		next := nextLine(s, r.to)
		if next < 0 || r.to-from < minWrapped {
			break
		}
		from, r.to = next, EndOfBase64(s, next)
	}
	if r.text = string(joined); len(joined) < r.to-r.from {
		r.wrapped = s
	}
	return r
}

// nextLongRun returns where the next run of minBase64 characters or more is, at or behind s[i], and
// the end of s if there is none. s[i] must be no inner part of a run. Of a shorter run nextLongRun
// need not see more than the end.
func nextLongRun(s string, i int) (from, to int) {
	for i+minBase64 <= len(s) {
		at := i + minBase64 - 1
		for at >= i && base64Values[s[at]] >= 0 {
			at--
		}
		if at < i {
			return i, EndOfBase64(s, i+minBase64)
		}
		i = at + 1
	}
	return len(s), len(s)
}

// EndOfBase64 returns where the characters of base64, of either alphabet, end from s[i:] on.
func EndOfBase64(s string, i int) int {
	for i < len(s) && base64Values[s[i]] >= 0 {
		i++
	}
	return i
}

// maxIndent bounds what stands between two lines of a run, in bytes.
const maxIndent = 64

// nextLine returns where a run goes on behind the line end at s[i:], -1 if it does not.
func nextLine(s string, i int) int {
	between := s[i:min(len(s), i+maxIndent)]
	rest := strings.TrimLeft(between, "\r\n\t ")
	if rest == "" || base64Values[rest[0]] < 0 {
		return -1
	}
	between = between[:len(between)-len(rest)]
	if strings.IndexByte(between, '\n') < 0 {
		return -1
	}
	return i + len(between)
}

// worthDecoding reports whether a run may hold anything: the run is long enough, no identifier, and
// not of small letters alone.
func (r base64Run) worthDecoding() bool {
	if len(r.text) < minBase64 || len(r.text) == dashedLength && isDashedID(r.text) {
		return false
	}
	if hasCapital(r.text) {
		return true
	}
	for range hexRuns(r.text) {
		return true
	}
	return false
}

// mayHold reports whether a run that is worth decoding and shorter than minWrapped may hold
// anything in some decoding.
func (r base64Run) mayHold() bool {
	var room [minWrapped]byte
	var list [someDecodings]decoding
	for _, d := range r.decodings(list[:0]) {
		if mayRead(d.appendTo(room[:0], r), d.first) {
			return true
		}
	}
	return false
}

// hasCapital reports whether a run has a capital letter. Words, paths and names of programs mostly
// have none; base64 of digits has a capital in every four characters, and base64 of other text
// hardly fewer.
func hasCapital(s string) bool {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return true
		}
	}
	return false
}

// place returns the stretch of the text in which the characters [from, to) of a run lie.
func (r base64Run) place(from, to int) (int, int) {
	from, to = min(from, len(r.text)), min(to, len(r.text))
	if r.wrapped == "" {
		return r.from + from, r.from + to
	}
	return r.at(from), r.at(max(to-1, 0)) + 1
}

// at returns the offset of a character of a run that goes over lines.
func (r base64Run) at(n int) int {
	for i := r.from; i < r.to; i++ {
		if base64Values[r.wrapped[i]] < 0 {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return r.to
}

// maxStarts bounds how often a compressed stream is looked for inside a run.
const maxStarts = 8

// streamStarts yields where a compressed stream in base64 may begin inside a run: behind the
// slashes of a path of small letters, and anywhere behind a slash or a hyphen if it begins like
// zlib, whose first byte is 0x78 and whose second byte is one of four.
func streamStarts(s string) iter.Seq[int] {
	return func(yield func(int) bool) {
		left, path := maxStarts, true
		for i := 1; i+minBase64 <= len(s) && left > 0; i++ {
			before := s[i-1]
			path = path && (before < 'A' || before > 'Z')
			zlib := s[i] == 'e' && strings.IndexByte("JNAF", s[i+1]) >= 0 &&
				strings.IndexByte("/-_+", before) >= 0
			if !zlib && !(path && before == '/') {
				continue
			}
			if left--; !yield(i) {
				return
			}
		}
	}
}

// hexRuns yields where a run has minHex hex digits or more and nothing else. Of a shorter stretch it looks
// at no more than the last character.
func hexRuns(s string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i+minHex <= len(s); {
			at := i + minHex - 1
			for at >= i && leaf.Hex(s[at]) >= 0 {
				at--
			}
			if at >= i {
				i = at + 1
				continue
			}
			to := i + minHex
			for to < len(s) && leaf.Hex(s[to]) >= 0 {
				to++
			}
			if !yield(i, to) {
				return
			}
			i = to + 1
		}
	}
}

// minBase32 is the length of the shortest run that is decoded as base32: a card number of 13 digits.
const minBase32 = 21

// isBase32 reports whether a run is base32 (RFC 4648, section 6): nearly all have other characters at
// their beginning.
func isBase32(s string) bool {
	if len(s) < minBase32 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// appendBase32 appends the bytes that base32 stands for. Bits at the end that make no byte are left out.
func appendBase32(b []byte, s string) []byte {
	const bits = 5
	whole := len(s) / 8 * 8
	rest := (len(s) - whole) * bits / 8 // bytes that the last characters make
	decoded, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(s[:whole+(8*rest+bits-1)/bits])
	return append(b, decoded...)
}

// appendHex appends the bytes of a run of hex digits. A last digit without a second is left out.
func appendHex(b []byte, s string) []byte {
	for i := 1; i < len(s); i += 2 {
		b = append(b, byte(leaf.Hex(s[i-1])<<4|leaf.Hex(s[i])))
	}
	return b
}

// appendBase64 appends the bytes that base64 of either alphabet stands for. Bits at the end that make no
// byte are left out. With the decoder of encoding/base64, which wants one alphabet,
// BenchmarkFindHostile/nested takes 14 percent longer.
func appendBase64(b []byte, s string) []byte {
	i := 0
	for ; i+4 <= len(s); i += 4 {
		v := uint32(base64Values[s[i]])<<18 | uint32(base64Values[s[i+1]])<<12 |
			uint32(base64Values[s[i+2]])<<6 | uint32(base64Values[s[i+3]])
		b = append(b, byte(v>>16), byte(v>>8), byte(v))
	}
	v := uint32(0)
	for k := range len(s) - i {
		v |= uint32(base64Values[s[i+k]]) << (18 - 6*k)
	}
	switch len(s) - i {
	case 2:
		b = append(b, byte(v>>16))
	case 3:
		b = append(b, byte(v>>16), byte(v>>8))
	}
	return b
}

// textRuns yields the stretches of bytes that are text.
func textRuns(b []byte) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i < len(b); i++ {
			from := i
			for i < len(b) {
				n := textAt(b, i)
				if n == 0 {
					break
				}
				i += n
			}
			if i-from >= minTextRun && !yield(from, i) {
				return
			}
		}
	}
}

// textAt returns the size of the character at b[i:] if a text may have it, 0 otherwise.
func textAt(b []byte, i int) int {
	if c := b[i]; c < utf8.RuneSelf {
		if isPlainText(c) {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRune(b[i:])
	if r == utf8.RuneError {
		return 0
	}
	return n
}

func isPlainText(c byte) bool {
	return c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t'
}

// AroundBase64 widens [from, to) to the base64 text around it. A slash ends the text: most slashes
// are of a path.
func AroundBase64(s string, from, to int) (int, int) {
	in := func(c byte) bool { return IsAlphanumeric(c) || c == '+' || c == '-' || c == '_' }
	for from > 0 && in(s[from-1]) {
		from--
	}
	for to < len(s) && in(s[to]) {
		to++
	}
	for to < len(s) && s[to] == '=' {
		to++
	}
	return from, to
}

// DecodeBase64 decodes any of the four alphabets.
func DecodeBase64(s string) (string, bool) {
	s = strings.TrimRight(s, "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(s); err == nil {
			return string(b), true
		}
	}
	return "", false
}

// IsText reports whether all of s is text.
func IsText(s string) bool {
	return !isBinary(s) && !strings.ContainsAny(s, "\x7f\ufffd")
}
