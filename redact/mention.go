package redact

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// mention is a value that stands beside a keyword in a text.
type mention struct {
	from, to int
	kind     profile.Sensitivity
}

// mentions returns the values that stand beside a keyword in s: password=x, "cvc": "1",
// <pin>1</pin>, PIN: 1234, Authorization: Basic x, and the same over two lines of YAML; and
// the passwords of URLs.
func mentions(s string) []mention {
	var found []mention
	for i := 0; i < len(s); i++ {
		var m mention
		ok := false
		switch s[i] {
		case '=':
			m, ok = assigned(s, i)
		case ':':
			if m, ok = userInfo(s, i); !ok {
				m, ok = assigned(s, i)
			}
		case '>':
			m, ok = element(s, i)
		}
		if ok && m.from < m.to && tells(m.kind, s[m.from:m.to]) {
			found = append(found, m)
			i = m.to - 1
		}
	}
	return found
}

// assigned returns the value that the sign at s[at] gives to the keyword before it.
func assigned(s string, at int) (mention, bool) {
	name := nameBefore(s, at)
	kind := keyword(name)
	if kind == profile.NotSecret || strings.Contains(name, markPrefix) {
		return mention{}, false // an escape may stand before the marker: "%3BREDACTED-token-1"
	}
	m, ok := valueAfter(s, at, kind)
	if !ok || programWord(s, m, name) {
		return mention{}, false
	}
	if strings.HasSuffix(strings.ToLower(name), "authorization") {
		m.from += len(scheme(s[m.from:m.to]))
	}
	return m, true
}

// nameBefore returns the key that ends at s[:at], without quotes, brackets and the spaces
// after them; of "card[cvc]" the part that says what it is. One that is too long for a key
// is none.
func nameBefore(s string, at int) string {
	s = s[max(0, at-2*longestKeyword):at]
	for {
		s = strings.TrimRight(s, " \"'[]")
		from := len(s)
		for from > 0 && (alphanumeric(s[from-1]) || s[from-1] == '_' || s[from-1] == '-') {
			from--
		}
		name := s[from:]
		if len(name) > longestKeyword {
			return ""
		}
		index := name != "" && strings.Trim(name, "0123456789") == ""
		if !index || from == 0 || s[from-1] != '[' {
			return name
		}
		s = s[:from]
	}
}

// valueAfter returns the value that the sign at s[at] gives to a keyword. After a colon,
// text without quotes is prose, unless bareValue knows better.
func valueAfter(s string, at int, kind profile.Sensitivity) (mention, bool) {
	i := at + 1 + spaces(s[at+1:])
	listed := false
	if s[at] == ':' {
		rest := strings.TrimLeft(s[i:], " \r\n")
		if listed = strings.HasPrefix(rest, "- "); listed {
			i = len(s) - len(rest) + len("- ")
		}
	}
	if i >= len(s) {
		return mention{}, false
	}
	if q := s[i]; q == '"' || q == '\'' {
		return mention{i + 1, i + 1 + quotedLength(s[i+1:], q), kind}, true
	}
	credential := scheme(s[i:])
	to := i + len(credential) + bareLength(s[i+len(credential):])
	sure := listed || s[at] == '=' || credential != "" || bareValue(s[:at], s[i:to], kind)
	return mention{i, to, kind}, sure
}

// bareValue reports whether text without quotes after a colon is a value all the same: after
// a key in quotes, as the digits of a CVC or PIN, or as an API key.
func bareValue(key, value string, kind profile.Sensitivity) bool {
	if value == "" {
		return false
	}
	last := key[len(key)-1]
	if strings.TrimRight(key, " ") != strings.TrimRight(key, " \"'") {
		return true
	}
	if kind == profile.Token {
		isKey := last == 'y' || last == 'Y'
		return isKey && len(value) >= minTaint && strings.ContainsAny(value, "0123456789")
	}
	return asciiDigits(value) == value && len(value) >= minCode
}

// minCode is the length of the shortest CVC or PIN.
const minCode = 3

func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// scheme returns the scheme word of a credential with the space after it, "" if there is
// none.
func scheme(s string) string {
	for _, known := range []string{"Basic ", "Bearer ", "Digest ", "Negotiate "} {
		if len(s) > len(known) && strings.EqualFold(s[:len(known)], known) {
			return s[:len(known)]
		}
	}
	return ""
}

// quotedLength returns the length of the value that s begins with, up to the quote that
// ends it or, in a text that was cut, to the end.
func quotedLength(s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case quote:
			return i
		case '\\':
			i++
		}
	}
	return len(s)
}

// bareLength returns the length of the value without quotes that s begins with. An escape
// of JSON ends it like the character that it stands for.
func bareLength(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case strings.IndexByte(" \t\r\n&;,<>\"'(){}[]|", s[i]) >= 0:
			return i
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`"\unrt`, s[i+1]) >= 0:
			return i
		}
	}
	return len(s)
}

// tells reports whether a value beside a keyword can be a secret of its kind: a number, or
// text that is no marker of ours.
func tells(kind profile.Sensitivity, value string) bool {
	if kind == profile.PAN {
		n := readNumber(value)
		return !n.keep && len(n.digits) >= minKnown
	}
	return !ownValue(value) && value != "null"
}
