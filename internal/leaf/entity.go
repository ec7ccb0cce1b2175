package leaf

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// longestEntity is the length of the longest entity that is read, "&#x10FFFF;" or one with a
// few zeros before its digits.
const longestEntity = 16

// unentity decodes the five entities of XML and those that are numbers. Others, and what only
// begins like one, stand for themselves.
func unentity(raw string) (string, []int) {
	b := make([]byte, 0, len(raw))
	offs := make([]int, 0, len(raw)+1)
	for i := 0; i < len(raw); {
		if r, n := entityAt(raw[i:]); n > 0 {
			before := len(b)
			b = utf8.AppendRune(b, r)
			for range len(b) - before {
				offs = append(offs, i)
			}
			i += n
			continue
		}
		b, offs, i = append(b, raw[i]), append(offs, i), i+1
	}
	return string(b), append(offs, len(raw))
}

// entityAt reads the entity that s begins with and returns its length, 0 if there is none.
func entityAt(s string) (rune, int) {
	if s[0] != '&' {
		return 0, 0
	}
	end := strings.IndexByte(s[:min(len(s), longestEntity)], ';')
	if end < 2 {
		return 0, 0
	}
	name := s[1:end]
	if name[0] != '#' {
		r, known := entities[name]
		if !known {
			return 0, 0
		}
		return r, end + 1
	}
	digits, base := name[1:], 10
	if rest := strings.TrimLeft(digits, "xX"); len(rest)+1 == len(digits) {
		digits, base = rest, 16
	}
	v, err := strconv.ParseUint(digits, base, 21)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return 0, 0
	}
	return rune(v), end + 1
}

var entities = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// escapeEntities writes text for an element or between quotes of either kind. Older HTML does
// not know &apos;.
func escapeEntities(text string) string {
	if !strings.ContainsAny(text, `&<>"'`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '"':
			b.WriteString("&quot;")
		case '\'':
			b.WriteString("&#39;")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapeBare writes text for an attribute without quotes: what ends one there is written as a
// number too.
func escapeBare(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c == '=' || c == '`' {
			b.WriteString("&#" + strconv.Itoa(int(c)) + ";")
			continue
		}
		b.WriteString(escapeEntities(text[i : i+1]))
	}
	return b.String()
}

// escapeVerbatim writes text where no entity is read (comments, CDATA, scripts): only what
// would end it is written otherwise, and reads otherwise too.
func escapeVerbatim(text string) string {
	return strings.NewReplacer("-->", "--&gt;", "]]>", "]]&gt;", "</", `<\/`).Replace(text)
}
