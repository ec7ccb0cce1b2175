package leaf

import "strings"

// unquotePrintable decodes quoted-printable (RFC 2045, section 6.7). A '=' that nothing follows
// which it could belong to stays as it is.
func unquotePrintable(raw string) (string, []int) {
	b := make([]byte, 0, len(raw))
	offs := make([]int, 0, len(raw)+1)
	for i := 0; i < len(raw); {
		if raw[i] == '=' {
			if n := softBreak(raw[i:]); n > 0 {
				i += n
				continue
			}
			if i+2 < len(raw) && Hex(raw[i+1]) >= 0 && Hex(raw[i+2]) >= 0 {
				b = append(b, byte(Hex(raw[i+1])<<4|Hex(raw[i+2])))
				offs, i = append(offs, i), i+3
				continue
			}
		}
		b, offs, i = append(b, raw[i]), append(offs, i), i+1
	}
	return string(b), append(offs, len(raw))
}

// softBreak returns the length of the line end that s begins with and that is none of the text.
func softBreak(s string) int {
	at := 1
	for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	if strings.HasPrefix(s[at:], "\r\n") {
		return at + 2
	}
	if strings.HasPrefix(s[at:], "\n") {
		return at + 1
	}
	return 0
}

// quotePrintable writes text in quoted-printable, in lines as long as the text has them.
func quotePrintable(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c == '=' || c > '~' || c < ' ' && strings.IndexByte("\t\r\n", c) < 0 {
			b.WriteByte('=')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
