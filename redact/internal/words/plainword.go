package words

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// isProgramWord reports whether a value without quotes is a word of a program or a setting rather
// than a secret: token=bearer, window.token = read(x), pin=ok. A password may be any word.
func isProgramWord(s string, m Mention, name string) bool {
	if q := s[m.From-1]; q == '"' || q == '\'' || namesPassword(name) {
		return false
	}
	value := s[m.From:m.To]
	switch m.Kind {
	case profile.CVC, profile.PIN:
		return scan.Digits(value) == ""
	case profile.Token:
		return IsPlain(value) ||
			strings.HasPrefix(s[m.To:], "(") && strings.TrimFunc(value, inIdentifier) == ""
	}
	return false
}

func inIdentifier(r rune) bool {
	return r|0x20 >= 'a' && r|0x20 <= 'z' || r == '_' || r == '$' || r == '.'
}

// namesPassword reports whether a key names something that people choose.
func namesPassword(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "pass") || strings.Contains(key, "pw") || strings.Contains(key, "pswd")
}
