package redact

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// part is a stretch of a value that is secret, where the rest of the value is not.
type part struct {
	leaf.Unprinted
	from, to int
	text     string // the secret in it
	pair     bool   // the text is the pair of a Basic credential
	common   bool   // as in fieldValue
}

// structuredHeaders hold more than a secret. These headers are secret whatever a profile says.
var structuredHeaders = []struct {
	name  string // in lower case
	parts func(string) []part
}{
	{"authorization", authorization},
	{"proxy-authorization", authorization},
	{"cookie", cookies},
	{"set-cookie", setCookie},
	{"etag", entityTags},
	{"if-match", entityTags},
	{"if-none-match", entityTags},
}

// structured returns what finds the secrets in a header that holds more than a secret; nil for
// other headers.
func structured(name string) func(string) []part {
	for _, h := range structuredHeaders {
		if strings.EqualFold(name, h.name) {
			return h.parts
		}
	}
	return nil
}

// authorization finds the secret of an Authorization header, behind the name of its scheme.
func authorization(value string) []part {
	from := strings.IndexByte(value, ' ') + 1
	return []part{{
		from: from, to: len(value), text: strings.TrimLeft(value[from:], " "),
		pair: strings.EqualFold(value[:from], "Basic "),
	}}
}

// pemDashes stand around a key in PEM, whose padding is no sign behind the name of a cookie.
const pemDashes = "-----"

// cookies finds the values of a Cookie header. What has no name is all value.
func cookies(value string) []part {
	var parts []part
	for from := 0; from <= len(value); {
		to := len(value)
		if n := strings.IndexByte(value[from:], ';'); n >= 0 {
			to = from + n
		}
		pair := value[from:to]
		at := strings.IndexByte(pair, '=') + 1
		if at == 0 || strings.Contains(pair[:at], pemDashes) {
			at = len(pair) - len(strings.TrimLeft(pair, " "))
		}
		parts = append(parts, part{from: from + at, to: to, text: pair[at:], common: true})
		from = to + 1
	}
	return parts
}

// setCookie finds the value of a Set-Cookie header, and leaves the attributes.
func setCookie(value string) []part {
	pair, _, _ := strings.Cut(value, ";")
	return cookies(pair)
}

// entityTags finds the opaque text of each entity-tag (RFC 9110 section 8.8.3), which may be a hash of a body
// with a card number. What stands in its place is an entity-tag again: W/"x" becomes
// W/"REDACTED-token-1". A value that is no list of entity-tags is all secret, such as a tag without
// quotes; "*" stands for any tag.
func entityTags(value string) []part {
	parts, from := []part{}, 0
	if strings.TrimSpace(value) == "*" {
		return parts
	}
	pieces := strings.Split(value, `"`) // every other one is a tag
	whole := len(pieces)%2 == 0
	for i, piece := range pieces {
		if i%2 == 1 {
			parts = append(parts, part{from: from, to: from + len(piece), text: piece, common: true})
		} else if between := strings.Trim(piece, " \t,"); between != "" && between != "W/" {
			whole = true
		}
		from += len(piece) + 1
	}
	if whole {
		return []part{{to: len(value), text: value, common: true}}
	}
	return parts
}

// replaceParts returns a value without its secrets: "Basic x" becomes "Basic REDACTED-token-1". The
// pair of Basic is learned whole and by its password.
func (c *cleaning) replaceParts(value string, parts []part) (string, []string) {
	var found []span
	var notes []string
	for _, p := range parts {
		got := c.replace(profile.Token, fieldValue{text: p.text, common: p.common})
		if got.Note == "" {
			continue
		}
		if p.pair {
			c.learnPair(p.text)
		}
		found = append(found, span{from: p.from, to: p.to, Value: got})
		notes = append(notes, got.Note)
	}
	return splice(value, found), notes
}

// learnPair learns the two halves of a Basic pair. The user name is no secret, but it may
// be a card number.
func (c *cleaning) learnPair(encoded string) {
	pair, ok := scan.DecodeBase64(encoded)
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
