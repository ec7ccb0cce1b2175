package words

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// plainWords are words that stand where a token would and are none.
var plainWords = []string{
	"none", "null", "nil", "true", "false", "undefined", "function", "new", "await",
	"bearer", "basic", "required", "optional", "sms", "email", "push",
}

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
	return strings.Contains(key, "pass") || strings.Contains(key, "pwd")
}

// IsSetting reports whether a field for one-time passwords says how they travel: otp=sms.
func IsSetting(key, value string) bool {
	w := split(key[max(0, len(key)-longestKeyword):])
	return w.n > 0 && string(w.last(1)) == "otp" && slices.Contains(plainWords, value)
}

// IsPlain reports whether a value is a word that stands where a token would and is none.
func IsPlain(value string) bool { return slices.Contains(plainWords, strings.ToLower(value)) }
