package leaf

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// Bounds of a packed document. What is over them stays one leaf, which says so (Closed).
const (
	MaxPacked    = 1 << 20 // bytes of one document
	maxExpansion = 64      // bytes of a document for each byte of its value
	maxInflated  = 4 << 20 // bytes of all compressed documents of a message
)

// chars are the characters in which bytes are packed.
type chars uint8

const (
	nothing chars = iota
	base64Std
	base64Bare // without padding
	base64URL
	base64URLBare
	hexLower
	hexUpper
)

// packing is how a document lies in a value. The zero packing is none.
type packing struct {
	chars  chars
	stream stream
	level  int    // of a zlib stream, as its header tells
	width  int    // characters of a line, where the value is broken into lines; else 0
	eol    string // the end of a line, where there are lines
	ended  bool   // the last line has an end too

	charset coding // plain for UTF-8
}

// shortestPacked is the length of the shortest value that is looked at: base64 of <a/>.
const shortestPacked = 6

// unpack returns the document that a value packs. Only a value that packs again to the same
// characters counts, so that a document which nobody edits is in the same bytes as before; a
// compressed one may be in others once it is edited. A token of three dotted parts has
// characters of no alphabet and is none.
//
// fits is false for a document that is over the bounds.
func unpack(value string, want unpacking) (p packing, text string, fits bool) {
	p, packed := characters(value)
	if p.chars == nothing || len(packed) < 3 {
		return packing{}, "", true
	}
	doc := packed
	if p.stream = streamOf(packed, want.any); p.stream != stored {
		p.level = zlibLevel(packed)
		limit := min(MaxPacked, maxExpansion*len(value), want.budget)
		if doc, fits = inflate(p.stream, packed, inflating{limit, want.any}); !fits {
			return packing{}, "", false
		}
	}
	if !want.any && !startsDocument(doc) {
		return packing{}, "", true
	}
	if text = string(doc); !isText(text) {
		text, p.charset = decodeCharset(text, want.label)
		if p.charset == plain || !want.any && !startsDocument([]byte(text)) {
			return packing{}, "", true
		}
	}
	return p, text, len(doc) <= MaxPacked
}

// unpacking says what may be unpacked.
type unpacking struct {
	label  string // of the charset that text is in which is no UTF-8
	budget int    // how many bytes a compressed document may have
	any    bool   // text of any kind, not documents alone
}

// maybePacked looks at the first characters of a value, which tell nearly every id and word
// from a packed document.
func maybePacked(value string) bool {
	var buf [headLength]byte
	high, low := Hex(value[0]), Hex(value[1])
	if high >= 0 && low >= 0 && plausible(byte(high<<4|low), len(value)/2) &&
		promising(hexHead(buf[:0], value), len(value)/2) {
		return true
	}
	first, second := sextet(value[0]), sextet(value[1])
	return first >= 0 && second >= 0 && plausible(byte(first<<2|second>>4), len(value)/4*3) &&
		promising(base64Head(buf[:0], value), len(value)/4*3)
}

// plausible reports whether a first byte may be one of a document or a stream of n bytes.
func plausible(b byte, n int) bool {
	switch b {
	case '{', '[', '<', ' ', '\n', '\t', '\r', mark[0], 0xfe, 0xff, 0x1f, 0, 1, 0xb2, 0xb3, 0xaa,
		0xab, 0x8a, 0x8b:
		return true
	}
	return b&0x0f == 8 && b <= 0x78 || n >= shortestDeflated && b>>1&3 == dynamicCodes
}

// MayPack reports whether some value of a message, of which s is the text, may pack a
// document: so that most messages need not be taken apart for what is packed in them.
func MayPack(s string) bool {
	if strings.Contains(s, "%2") || strings.Contains(s, `\/`) {
		s = strings.NewReplacer("%2B", "+", "%2b", "+", "%2F", "/", "%2f", "/", `\/`, "/").Replace(s)
	}
	for from := 0; from+shortestPacked <= len(s); {
		to := from
		for to < len(s) && inBase64[s[to]] {
			to++
		}
		if to-from >= shortestPacked && maybePacked(s[from:to]) {
			return true
		}
		// What follows an escape may be the beginning of a value, as after "%3D" or "\n".
		switch from = to + 1; {
		case to+3 < len(s) && s[to] == '%':
			from = to + 3
		case to+2 < len(s) && s[to] == '\\':
			from = to + 2
		}
	}
	return false
}

// inBase64 has the characters of base64 of either alphabet.
var inBase64 = func() (in [256]bool) {
	for c := range in {
		in[c] = sextet(byte(c)) >= 0
	}
	return in
}()

// headLength is how many bytes of a packed value are looked at before the rest is.
const headLength = 12

// hexHead decodes the beginning of a value as hex.
func hexHead(head []byte, value string) []byte {
	for i := 0; i+1 < len(value) && len(head) < headLength; i += 2 {
		high, low := Hex(value[i]), Hex(value[i+1])
		if high < 0 || low < 0 {
			break
		}
		head = append(head, byte(high<<4|low))
	}
	return head
}

// base64Head decodes the beginning of a value as base64 of either alphabet.
func base64Head(head []byte, value string) []byte {
	bits, n := 0, 0
	for i := 0; i < len(value) && len(head) < headLength; i++ {
		six := sextet(value[i])
		if six < 0 {
			break
		}
		bits, n = bits<<6|six, n+6
		if n >= 8 {
			n -= 8
			head = append(head, byte(bits>>n))
		}
	}
	return head
}

// sextet returns the value of a character of base64, or -1.
func sextet(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}

// promising reports whether the first bytes of n may begin a document or a compressed one.
func promising(head []byte, n int) bool {
	return len(head) >= 3 && (startsDocument(head) || streamStart(head, n) != stored)
}

// startsDocument reports whether b begins as JSON or markup do; of a few bytes, whether it
// may.
func startsDocument(b []byte) bool {
	return startsNarrow(b) || len(b) > 3 && wideStart(string(b[:min(len(b), 2*4)]))
}

// wideStart reports whether the first bytes of a text tell that it is in UTF-16 or UTF-32.
func wideStart(head string) bool {
	zero := strings.IndexByte(head, 0) >= 0
	return (zero || head[0] >= 0xfe) && (marked(head) != nil || widths(head) != nil)
}

// startsNarrow is startsDocument for UTF-8.
func startsNarrow(b []byte) bool {
	i := 0
	if len(b) >= len(mark) && string(b[:len(mark)]) == mark {
		i = len(mark)
	}
	for i < len(b) && space(b[i]) {
		i++
	}
	if i == len(b) {
		return i > 0
	}
	if i+1 == len(b) {
		return strings.IndexByte("{[<", b[i]) >= 0
	}
	next := b[i+1]
	switch b[i] {
	case '{':
		return space(next) || next == '"' || next == '}'
	case '[':
		return space(next) || strings.IndexByte(`{["]-0123456789tfn`, next) >= 0
	case '<':
		return letter(next) || strings.IndexByte("!?/", next) >= 0
	}
	return false
}

// mark is the byte order mark of UTF-8.
const mark = "\ufeff"

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func letter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

// characters undoes base64 or hex, in lines or not, and says which it was.
func characters(value string) (packing, []byte) {
	p := packing{}
	joined := value
	if end := strings.IndexByte(value, '\n'); end > 0 {
		p.eol, p.width, p.ended = "\n", end, strings.HasSuffix(value, "\n")
		if value[end-1] == '\r' {
			p.eol, p.width = "\r\n", end-1
		}
		joined = strings.ReplaceAll(value, p.eol, "")
	}
	var b []byte
	var err error
	if p.chars = alphabet(joined); p.chars >= hexLower {
		b, err = hex.DecodeString(joined)
	} else if p.chars != nothing {
		b, err = p.encoding().DecodeString(joined)
	}
	if p.chars == nothing || err != nil || p.characters(b) != value {
		return packing{}, nil
	}
	return p, b
}

// alphabet returns the characters that a text is of. Text that could be of both alphabets of
// base64 is taken for the one that goes with its padding: a URL has none.
func alphabet(s string) chars {
	if digits := hexAlphabet(s); digits != nothing {
		return digits
	}
	bare := !strings.HasSuffix(s, "=") && len(s)%4 != 0
	url := strings.ContainsAny(s, "-_")
	either := !url && !strings.ContainsAny(s, "+/") && !strings.HasSuffix(s, "=")
	switch {
	case bare && (url || either):
		return base64URLBare
	case bare:
		return base64Bare
	case url:
		return base64URL
	}
	return base64Std
}

// hexAlphabet returns the alphabet of hex that a text is of, small letters if it has no letters. It is nothing
// for a text of odd length, with both small and capital letters, or with any other character.
func hexAlphabet(s string) chars {
	upper, lower := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
		case c >= 'a' && c <= 'f':
			lower = true
		case c >= 'A' && c <= 'F':
			upper = true
		default:
			return nothing
		}
	}
	switch {
	case len(s)%2 != 0, upper && lower:
		return nothing
	case upper:
		return hexUpper
	}
	return hexLower
}

// encoding returns the base64 of the characters.
func (p packing) encoding() *base64.Encoding {
	return [...]*base64.Encoding{
		base64Std: base64.StdEncoding, base64Bare: base64.RawStdEncoding,
		base64URL: base64.URLEncoding, base64URLBare: base64.RawURLEncoding,
	}[p.chars]
}

// pack packs a document.
func (p packing) pack(text string) string {
	text = p.charset.encode(text)
	if p.stream == stored {
		return p.characters([]byte(text))
	}
	return p.characters(deflate(p, text))
}

// characters writes bytes in the characters and lines of p.
func (p packing) characters(b []byte) string {
	s := ""
	switch p.chars {
	case hexLower:
		s = hex.EncodeToString(b)
	case hexUpper:
		s = strings.ToUpper(hex.EncodeToString(b))
	default:
		s = p.encoding().EncodeToString(b)
	}
	if p.width == 0 {
		return s
	}
	var out strings.Builder
	for len(s) > p.width {
		out.WriteString(s[:p.width])
		out.WriteString(p.eol)
		s = s[p.width:]
	}
	out.WriteString(s)
	if p.ended {
		out.WriteString(p.eol)
	}
	return out.String()
}
