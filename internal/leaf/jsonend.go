package leaf

import (
	"math/bits"
	"strings"
)

// documentEnd returns where the JSON object or array ends that begins at s[at]; -1 if none does that is
// well formed (RFC 8259) and nests no deeper than MaxDepth. Who walks the document asks nothing of that
// again. Characters above ASCII are not looked at.
func documentEnd(s string, at int) int {
	if at == len(s) || s[at] != '{' && s[at] != '[' {
		return -1
	}
	return containerEnd(s, at, 1)
}

// containerEnd is documentEnd for a container in others: depth counts it and them.
func containerEnd(s string, at, depth int) int {
	if depth > MaxDepth {
		return -1
	}
	closing, object := byte(']'), s[at] == '{'
	if object {
		closing = '}'
	}
	if at = skip(s, at+1); at < len(s) && s[at] == closing {
		return at + 1
	}
	for at < len(s) {
		if object {
			at = valueStart(s, keyEnd(s, at))
		}
		if at = valueEnd(s, at, depth); at < 0 {
			return -1
		}
		if at = skip(s, at); at == len(s) || s[at] != ',' {
			break
		}
		at = skip(s, at+1)
	}
	return closed(s, at, closing)
}

// closed returns what is behind the bracket at s[at], with which a container ends; -1 if it is not there.
func closed(s string, at int, bracket byte) int {
	if at < len(s) && s[at] == bracket {
		return at + 1
	}
	return -1
}

// keyEnd returns where the key ends that begins at s[at]; -1 if none does.
func keyEnd(s string, at int) int {
	if s[at] != '"' {
		return -1
	}
	return stringEnd(s, at)
}

// valueStart returns where the value begins of the member whose key ends at s[at]; -1 if there is none.
func valueStart(s string, at int) int {
	if at < 0 {
		return -1
	}
	if at = skip(s, at); at == len(s) || s[at] != ':' {
		return -1
	}
	if at = skip(s, at+1); at == len(s) {
		return -1
	}
	return at
}

// valueEnd returns where the value ends that begins at s[at], in depth containers; -1 if none does.
func valueEnd(s string, at, depth int) int {
	if at < 0 || at == len(s) {
		return -1
	}
	if s[at] == '{' || s[at] == '[' {
		return containerEnd(s, at, depth+1)
	}
	return scalarEnd(s, at)
}

// scalarEnd returns where the string, number or word ends that begins at s[at]; -1 if none does.
func scalarEnd(s string, at int) int {
	switch c := s[at]; {
	case c == '"':
		return stringEnd(s, at)
	case c == '-', c >= '0' && c <= '9':
		if end := numberEnd(s, at); isNumber(s[at:end]) {
			return end
		}
		return -1
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(s[at:], word) {
			return at + len(word)
		}
	}
	return -1
}

// inString has the bytes that stand for themselves in a JSON string.
var inString = func() (in [256]bool) {
	for c := range in {
		in[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return in
}()

// plainEnd returns where the bytes end that stand for themselves in a JSON string, from s[at] on. It looks
// at eight of them together: in a word of eight bytes, what is to be found is made the least that a byte can
// be, and whatever is below a limit borrows from its highest bit.
func plainEnd(s string, at int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(s); at += 8 {
		b := s[at : at+8]
		word := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, escape := word^('"'*ones), word^('\\'*ones)
		found := ((word-' '*ones)&^word | (quote-ones)&^quote | (escape-ones)&^escape) & highs
		if found != 0 { // the lowest is right, whatever it has borrowed from those above
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(s) && inString[s[at]] {
		at++
	}
	return at
}

// stringEnd returns where the JSON string ends that begins at s[at]; -1 if it has no end, an
// escape that there is not, or a control character.
func stringEnd(s string, at int) int {
	for i := plainEnd(s, at+1); i < len(s); i = plainEnd(s, i+1) {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			if i++; i == len(s) || strings.IndexByte(`"\/bfnrtu`, s[i]) < 0 {
				return -1
			}
			if s[i] != 'u' {
				continue
			}
			for range 4 {
				if i++; i == len(s) || Hex(s[i]) < 0 {
					return -1
				}
			}
		default:
			return -1
		}
	}
	return -1
}

// numberEnd returns where the characters end of the number that begins at s[at].
func numberEnd(s string, at int) int {
	for at < len(s) && (s[at] >= '0' && s[at] <= '9' || strings.IndexByte("+-.eE", s[at]) >= 0) {
		at++
	}
	return at
}

// isNumber reports whether characters are a JSON number.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || s[0] == '0' && whole > 1 {
		return false
	}
	if s = s[whole:]; s != "" && s[0] == '.' {
		n := digits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return s == ""
	}
	if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

// digits returns how many digits a text begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
