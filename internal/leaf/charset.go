package leaf

import (
	"bytes"
	"errors"
	"mime"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// ErrCharset is returned for text in a charset that is not known, or for bytes that are not
// in it.
var ErrCharset = errors.New("charset cannot be undone")

// charset is a set of characters that text may be in besides UTF-8.
type charset struct {
	name  string // as Meta notes it
	width int    // bytes of one unit
	big   bool   // the high byte comes first
	table *charmap.Charmap
	// labels are what servers call it, besides its name and the labels that the index of the WHATWG
	// has for it.
	labels []string
}

// charsets are those that servers send: UTF-16 and UTF-32, and those of one byte for each
// character. Those of several bytes for one are not decoded. By the index of the WHATWG, iso-8859-1
// and ASCII are windows-1252: who declares them and sends more means that.
var charsets = []charset{
	{name: "utf-16le", width: 2, labels: []string{"utf-16", "ucs-2", "unicode"}},
	{name: "utf-16be", width: 2, big: true, labels: []string{"utf-16", "unicodefffe"}},
	{name: "utf-32le", width: 4, labels: []string{"utf-32"}},
	{name: "utf-32be", width: 4, big: true, labels: []string{"utf-32"}},
	{name: "windows-1250", width: 1, table: charmap.Windows1250},
	{name: "windows-1251", width: 1, table: charmap.Windows1251,
		labels: []string{"win1251", "ansi-1251"}},
	{name: "windows-1252", width: 1, table: charmap.Windows1252},
	{name: "windows-1253", width: 1, table: charmap.Windows1253},
	{name: "windows-1254", width: 1, table: charmap.Windows1254},
	{name: "windows-1255", width: 1, table: charmap.Windows1255},
	{name: "windows-1256", width: 1, table: charmap.Windows1256},
	{name: "windows-1257", width: 1, table: charmap.Windows1257},
	{name: "windows-1258", width: 1, table: charmap.Windows1258},
	{name: "iso-8859-2", width: 1, table: charmap.ISO8859_2},
	{name: "iso-8859-4", width: 1, table: charmap.ISO8859_4},
	{name: "iso-8859-5", width: 1, table: charmap.ISO8859_5},
	{name: "iso-8859-7", width: 1, table: charmap.ISO8859_7},
	{name: "iso-8859-13", width: 1, table: charmap.ISO8859_13},
	{name: "iso-8859-15", width: 1, table: charmap.ISO8859_15, labels: []string{"latin9"}},
	{name: "iso-8859-16", width: 1, table: charmap.ISO8859_16},
	{name: "koi8-r", width: 1, table: charmap.KOI8R},
	{name: "koi8-u", width: 1, table: charmap.KOI8U},
	{name: "ibm866", width: 1, table: charmap.CodePage866},
	{name: "ibm437", width: 1, table: charmap.CodePage437, labels: []string{"cp437"}},
	{name: "ibm850", width: 1, table: charmap.CodePage850, labels: []string{"cp850"}},
	{name: "ibm037", width: 1, table: charmap.CodePage037,
		labels: []string{"cp037", "ebcdic-cp-us"}},
	{name: "ibm1047", width: 1, table: charmap.CodePage1047, labels: []string{"cp1047"}},
	{name: "macintosh", width: 1, table: charmap.Macintosh},
	{name: "x-mac-cyrillic", width: 1, table: charmap.MacintoshCyrillic},
}

// shifted are the charsets that write other characters in those of ASCII. Their bytes are
// UTF-8, and say something else than they seem to.
var shifted = []string{"utf-7", "unicode-1-1-utf-7", "hz-gb-2312", "iso-2022-"}

// firstCharset is the coding of the first of charsets; the others follow.
const firstCharset coding = 32

// namedCharsets returns the codings of the charsets that a label means.
func namedCharsets(label string) []coding {
	label = strings.ToLower(strings.TrimSpace(label))
	table, _ := htmlindex.Get(label)
	var list []coding
	for i := range charsets {
		c := &charsets[i]
		if c.table != nil && table == c.table || c.isCalled(label) {
			list = append(list, firstCharset+coding(i))
		}
	}
	return list
}

// isCalled reports whether a label in lower case is one of the charset's own, beside those that the
// index of the WHATWG has for it.
func (c *charset) isCalled(label string) bool {
	return c.name == label || slices.Contains(c.labels, label)
}

// charset returns the charset that a coding is.
func (c coding) charset() *charset { return &charsets[c-firstCharset] }

// declared returns the charset parameter of a Content-Type header, as far as it can be read.
func declared(contentType string) string {
	if !strings.Contains(contentType, "=") {
		return "" // nearly always
	}
	if _, label, ok := simpleType(contentType); ok {
		return label
	}
	_, params, err := mime.ParseMediaType(contentType)
	if label := params["charset"]; err == nil || label != "" {
		return label
	}
	_, label, _ := strings.Cut(strings.ToLower(contentType), "charset=")
	label, _, _ = strings.Cut(label, ";")
	return strings.Trim(label, `"' `)
}

// DecodeText returns a body as UTF-8 and the name of the charset that it was in, "" if that is
// UTF-8. Bytes that are UTF-8 are taken for it whatever is declared. Of others the byte order
// mark tells, the Content-Type header, the declaration in XML and HTML, or the zeros that JSON
// and XML have in their first characters. What does not encode to the same bytes again is an
// error, and so is text with zeros in it.
func DecodeText(contentType, body string) (text, charset string, err error) {
	label := declared(contentType)
	if isText(body) && !seemingText(body, label) {
		for _, s := range shifted {
			if strings.HasPrefix(strings.ToLower(label), s) {
				return "", "", ErrCharset
			}
		}
		return body, "", nil
	}
	text, c := decodeCharset(body, label)
	if c == plain {
		return "", "", ErrCharset
	}
	return text, c.charset().name, nil
}

// seemingText reports whether bytes are UTF-8 by chance: UTF-16 without any character of ASCII has
// no zeros, but it has control characters in plenty.
func seemingText(s, label string) bool {
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' }
	return wide(label) && strings.ContainsFunc(s, control)
}

// wide reports whether a label is that of a charset whose units have several bytes. No index of other
// labels knows one.
func wide(label string) bool {
	if label == "" {
		return false // nearly always
	}
	label = strings.ToLower(strings.TrimSpace(label))
	for i := range charsets {
		if charsets[i].width > 1 && charsets[i].isCalled(label) {
			return true
		}
	}
	return false
}

// EncodeText returns text in a charset that DecodeText named. A character that is not in it
// becomes a question mark.
func EncodeText(charset, text string) (string, error) {
	if charset == "" {
		return text, nil
	}
	for i := range charsets {
		if charsets[i].name == charset {
			return charsets[i].encode(text), nil
		}
	}
	return "", ErrCharset
}

// isText reports whether bytes are text as files hold it.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// decodeCharset decodes bytes that are no UTF-8; it returns plain if they are in no charset
// that they or the label tell of.
func decodeCharset(s, label string) (string, coding) {
	for _, c := range slices.Concat(
		marked(s), inOrder(s, namedCharsets(label)), widths(s), namedCharsets(selfDeclared(s)),
	) {
		if text, ok := c.charset().text(s); ok && isText(text) {
			return text, c
		}
	}
	return "", plain
}

// inOrder puts the byte order first that is likelier where a label leaves it open: that of the
// first character if it is one of ASCII, else the high byte first (RFC 2781, section 4.3).
func inOrder(s string, list []coding) []coding {
	if len(list) > 1 && len(s) > 1 && (s[0] == 0 || s[1] != 0) {
		slices.Reverse(list)
	}
	return list
}

// marked returns the charsets whose byte order mark stands before s.
func marked(s string) []coding {
	var list []coding
	for _, m := range []struct{ mark, label string }{
		{"\xff\xfe\x00\x00", "utf-32le"}, {"\x00\x00\xfe\xff", "utf-32be"},
		{"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
	} {
		if strings.HasPrefix(s, m.mark) {
			list = append(list, namedCharsets(m.label)...)
		}
	}
	return list
}

// widths returns the charsets in which the first two characters of s begin a document, by the
// zeros around them (RFC 4627, section 3; XML 1.0, appendix F).
func widths(s string) []coding {
	for _, p := range []struct {
		label string
		at    int // of the byte that is none
		width int
	}{{"utf-32le", 0, 4}, {"utf-32be", 3, 4}, {"utf-16le", 0, 2}, {"utf-16be", 1, 2}} {
		if len(s) < 2*p.width || strings.Count(s[:2*p.width], "\x00") != 2*(p.width-1) {
			continue
		}
		if first := []byte{s[p.at], s[p.at+p.width]}; startsNarrow(first) || first[0] == '"' {
			return namedCharsets(p.label)
		}
	}
	return nil
}

// maxDeclaration is how far into a document its declaration of a charset is looked for.
const maxDeclaration = 1024

// selfDeclared returns the charset that XML or HTML declares in itself.
func selfDeclared(s string) string {
	head := []byte(strings.ToLower(s[:min(len(s), maxDeclaration)]))
	for _, key := range []string{"encoding=", "charset="} {
		_, rest, found := bytes.Cut(head, []byte(key))
		if !found || !bytes.ContainsRune(head, '<') {
			continue
		}
		rest = bytes.TrimLeft(rest, `"' `)
		if end := bytes.IndexAny(rest, "\"' ?;>/"); end > 0 {
			return string(rest[:end])
		}
	}
	return ""
}

// text decodes s and reports whether it encodes to the same bytes again.
func (c *charset) text(s string) (string, bool) {
	if len(s)%c.width != 0 {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := c.rune(s[i:])
		b.WriteRune(r)
		i += n
	}
	text := b.String()
	return text, c.encode(text) == s
}

// decode is text for a coding: with the offsets of the characters.
func (c *charset) decode(s string) (string, []int) {
	b := make([]byte, 0, len(s))
	offs := make([]int, 0, len(s)+1)
	for i := 0; i < len(s); {
		r, n := c.rune(s[i:])
		before := len(b)
		b = utf8.AppendRune(b, r)
		for range len(b) - before {
			offs = append(offs, i)
		}
		i += n
	}
	return string(b), append(offs, len(s))
}

// rune reads the character that s begins with and says how many bytes it takes. s holds whole
// units.
func (c *charset) rune(s string) (rune, int) {
	switch c.width {
	case 1:
		return c.table.DecodeByte(s[0]), 1
	case 4:
		return c.unit(s), 4
	}
	first := c.unit(s)
	if utf16.IsSurrogate(first) && len(s) >= 4 {
		if r := utf16.DecodeRune(first, c.unit(s[2:])); r != utf8.RuneError {
			return r, 4
		}
	}
	return first, 2
}

// unit reads a unit of two or four bytes.
func (c *charset) unit(s string) rune {
	var v rune
	for i := range c.width {
		at := i
		if !c.big {
			at = c.width - 1 - i
		}
		v = v<<8 | rune(s[at])
	}
	return v
}

func (c *charset) encode(text string) string {
	b := make([]byte, 0, len(text)*c.width)
	for _, r := range text {
		switch {
		case c.width == 1:
			one, ok := c.table.EncodeRune(r)
			if !ok {
				one, _ = c.table.EncodeRune('?')
			}
			b = append(b, one)
		case c.width == 2 && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = c.appendUnit(c.appendUnit(b, high), low)
		default:
			b = c.appendUnit(b, r)
		}
	}
	return string(b)
}

func (c *charset) appendUnit(b []byte, v rune) []byte {
	for i := range c.width {
		shift := 8 * i
		if c.big {
			shift = 8 * (c.width - 1 - i)
		}
		b = append(b, byte(v>>shift))
	}
	return b
}
