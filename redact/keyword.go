package redact

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// keywords are the keys that name a secret in any API, in lower case and without
// punctuation. They speak where the profile has no row for a leaf, and in text. A word that
// also names harmless things ("key", "number") is not among them.
var keywords = map[string]profile.Sensitivity{
	"pan": profile.PAN, "cardnumber": profile.PAN, "cardno": profile.PAN,
	"ccnumber": profile.PAN, "creditcardnumber": profile.PAN,
	"primaryaccountnumber": profile.PAN,

	"cvc": profile.CVC, "cvc2": profile.CVC, "cvv": profile.CVC, "cvv2": profile.CVC,
	"csc": profile.CVC, "securitycode": profile.CVC, "cardsecuritycode": profile.CVC,
	"cvccode": profile.CVC, "cvvcode": profile.CVC,

	"pin": profile.PIN, "pinblock": profile.PIN, "pindata": profile.PIN,
	"pinvalue": profile.PIN, "newpin": profile.PIN, "oldpin": profile.PIN,
	"newpindata": profile.PIN, "encryptedpin": profile.PIN,
	"encryptedpinvalue": profile.PIN, "encryptedpinblock": profile.PIN,

	"track1": profile.Track, "track2": profile.Track, "trackdata": profile.Track,
	"track1data": profile.Track, "track2data": profile.Track,

	"password": profile.Token, "passwd": profile.Token, "pwd": profile.Token,
	"passphrase": profile.Token, "secret": profile.Token, "token": profile.Token,
	"apikey": profile.Token, "xapikey": profile.Token, "authorization": profile.Token,
	"cavv": profile.Token, "otp": profile.Token, "privatekey": profile.Token,
}

// keywordEnds are the ends of longer keys that name a secret: "userPassword",
// "x-session-token", "cardCvc".
var keywordEnds = []string{
	"password", "passwd", "secret", "token", "apikey", "cvc", "cvc2", "cvv", "cvv2",
	"authorization",
}

// longestKeyword bounds the keys that are looked at, in bytes.
const longestKeyword = 40

// keyword returns the kind of secret that a key names, NotSecret if none.
func keyword(key string) profile.Sensitivity {
	if key == "" || len(key) > longestKeyword || !keywordEnd(key[len(key)-1]) {
		return profile.NotSecret
	}
	var buf [longestKeyword]byte
	n := 0
	for i := range len(key) {
		switch c := key[i]; {
		case c >= 'A' && c <= 'Z':
			buf[n], n = c|0x20, n+1
		case alphanumeric(c):
			buf[n], n = c, n+1
		}
	}
	bare := buf[:n]
	if kind, ok := keywords[string(bare)]; ok {
		return kind
	}
	for _, end := range keywordEnds {
		if strings.HasSuffix(string(bare), end) {
			return keywords[end]
		}
	}
	return profile.NotSecret
}

// keywordEnd reports whether some keyword ends with c: most keys are turned away by it.
func keywordEnd(c byte) bool { return strings.IndexByte("acdeknoprtvy12ACDEKNOPRTVY", c) >= 0 }

// mention is a value that stands beside a keyword in a text.
type mention struct {
	from, to int
	kind     profile.Sensitivity
}

// mentions returns the values that stand beside a keyword in s: password=x, "cvc": "1",
// <pin>1</pin>, PIN: 1234, Authorization: Basic x, and the same over two lines of YAML.
func mentions(s string) []mention {
	var found []mention
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '=', ':', '>':
		default:
			continue
		}
		name := nameBefore(s, i)
		kind := keyword(name)
		if kind == profile.NotSecret || ownMark(name) {
			continue
		}
		m, ok := valueAfter(s, i, kind)
		if !ok {
			continue
		}
		if strings.HasSuffix(strings.ToLower(name), "authorization") {
			m.from += len(scheme(s[m.from:m.to]))
		}
		if s[i] == '>' && !strings.HasSuffix(s[:i-len(name)], "<") {
			continue // a closing tag, or an attribute
		}
		if m.from < m.to && tells(m.kind, s[m.from:m.to]) {
			found = append(found, m)
			i = m.to - 1
		}
	}
	return found
}

// nameBefore returns the key that ends at s[:at], without quotes and the spaces after them.
func nameBefore(s string, at int) string {
	begin := max(0, at-2*longestKeyword)
	at = begin + len(strings.TrimRight(s[begin:at], " \"'"))
	from := at
	for from > 0 && at-from <= longestKeyword &&
		(alphanumeric(s[from-1]) || s[from-1] == '_' || s[from-1] == '-') {
		from--
	}
	return s[from:at]
}

// valueAfter returns the value that the sign at s[at] gives to a keyword. After a colon,
// text without quotes is prose, unless bareValue knows better.
func valueAfter(s string, at int, kind profile.Sensitivity) (mention, bool) {
	if s[at] == '>' {
		to := at + 1 + max(0, strings.IndexByte(s[at+1:], '<'))
		return mention{at + 1, to, kind}, strings.TrimSpace(s[at+1:to]) != ""
	}
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
	return asciiDigits(value) == value
}

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
