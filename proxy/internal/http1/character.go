package http1

import "strings"

// characters says of each byte where it may stand in a head.
var characters = classify()

// Where a byte may stand.
const (
	inToken     = 1 << iota // in the name of a field or of a method (RFC 9110, section 5.6.2)
	inTarget                // in a target: what is white space to some servers would end the target
	inValue                 // in the value of a field: no control character but the tab
	inHost                  // in a Host (RFC 3986, section 3.2.2)
	inPlainPath             // in a path, where net/url neither escapes it nor takes it for an escape
	digit
	hexDigit
)

func classify() (table [256]byte) {
	for i := range table {
		c := byte(i)
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		number := '0' <= c && c <= '9'
		token := letter || number || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
		set := func(class byte, is bool) {
			if is {
				table[c] |= class
			}
		}
		set(inToken, token)
		set(inTarget, c > ' ' && c != 0x7f)
		set(inValue, c >= ' ' && c != 0x7f || c == '\t')
		set(inHost, token && strings.IndexByte("#^`|", c) < 0 || strings.IndexByte("(),:;=[]", c) >= 0)
		set(inPlainPath, letter || number || strings.IndexByte("/-_.~", c) >= 0)
		set(digit, number)
		set(hexDigit, number || 'a' <= c|0x20 && c|0x20 <= 'f')
	}
	return table
}

// all reports whether each byte of a text may stand where a class says.
func all[T string | []byte](text T, class byte) bool {
	for i := range len(text) {
		if characters[text[i]]&class == 0 {
			return false
		}
	}
	return true
}

// IsToken reports whether a text is a token of RFC 9110, section 5.6.2.
func IsToken(text []byte) bool { return len(text) > 0 && all(text, inToken) }
