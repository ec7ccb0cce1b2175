package words

import (
	"slices"
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

// chosen are parts of the names of what people choose, which may be any word.
var chosen = []string{"pass", "pw", "pswd", "answer", "secretword", "parol", "парол"}

// namesPassword reports whether a key names something that people choose.
func namesPassword(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(chosen, func(part string) bool { return strings.Contains(key, part) })
}

// IsHarmless reports whether a value holds no secret though its key, or a key above it, names a token: a
// flag ("false") or another word that stands where a token would, or the mask of a card number.
func IsHarmless(name, value string) bool {
	return !namesPassword(name) && (IsPlain(value) || scan.IsMask(value))
}

// IsCount reports whether a value in an object that a key names a token is a number too short to be a
// code: how often, or which. The digits of what people say may stand one by one.
func IsCount(name, value string) bool {
	return len(value) < MinCode && scan.IsNumeric(value) && !spokenCredentials[strings.ToLower(name)]
}
