package redact

import (
	"encoding/base64"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// structured returns the cleaner of a header that holds more than a secret; nil for others.
// These headers are secret whatever a profile says.
func structured(name string) func(*cleaning, string) (string, []string) {
	for _, h := range structuredHeaders {
		if strings.EqualFold(name, h.name) {
			return h.clean
		}
	}
	return nil
}

var structuredHeaders = []struct {
	name  string
	clean func(*cleaning, string) (string, []string)
}{
	{"authorization", credential},
	{"proxy-authorization", credential},
	{"cookie", cookies},
	{"set-cookie", setCookie},
}

// credential cleans the value of an Authorization header: "Basic x" becomes
// "Basic REDACTED-token-1". The pair of Basic is learned whole and by its password.
func credential(c *cleaning, value string) (string, []string) {
	word, secret, found := strings.Cut(value, " ")
	if !found {
		word, secret = "", value
	} else {
		word += " "
	}
	rest := strings.TrimLeft(secret, " ")
	got := c.replace(profile.Token, fieldValue{text: rest})
	if got.note == "" {
		return value, nil
	}
	if strings.EqualFold(word, "Basic ") {
		c.learnPair(rest)
	}
	return word + got.text, []string{got.note}
}

// learnPair learns the two halves of a Basic pair. The user name is no secret, but it may
// be a card number.
func (c *cleaning) learnPair(encoded string) {
	pair, ok := decodeBase64(encoded)
	if !ok {
		return
	}
	c.learnNumbers(pair)
	password := pair
	if _, after, found := strings.Cut(pair, ":"); found {
		password = after
	}
	c.replace(profile.Token, fieldValue{text: password})
}

// decodeBase64 decodes any of the four alphabets.
func decodeBase64(s string) (string, bool) {
	s = strings.TrimRight(s, "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(s); err == nil {
			return string(b), true
		}
	}
	return "", false
}

// cookies cleans a Cookie header and keeps the names.
func cookies(c *cleaning, value string) (string, []string) {
	parts := strings.Split(value, ";")
	var notes []string
	for i, part := range parts {
		var note []string
		parts[i], note = cookie(c, part)
		notes = append(notes, note...)
	}
	return strings.Join(parts, ";"), notes
}

// setCookie cleans a Set-Cookie header and keeps the name and the attributes.
func setCookie(c *cleaning, value string) (string, []string) {
	pair, attributes, found := strings.Cut(value, ";")
	pair, notes := cookie(c, pair)
	if found {
		pair += ";" + attributes
	}
	return pair, notes
}

// cookie cleans one "name=value"; what has no name is all value.
func cookie(c *cleaning, pair string) (string, []string) {
	name, value, found := strings.Cut(pair, "=")
	if !found {
		bare := strings.TrimLeft(pair, " ")
		name, value = pair[:len(pair)-len(bare)], bare
	} else {
		name += "="
	}
	got := c.replace(profile.Token, fieldValue{text: value, common: true})
	if got.note == "" {
		return pair, nil
	}
	return name + got.text, []string{got.note}
}
