package audit

import (
	"strings"

	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// tokenShape is the form of the credentials of one issuer: a prefix that nothing else begins
// with, and at least so many characters after it.
type tokenShape struct {
	prefix string
	least  int
}

// tokenShapes are issuers' published forms. Publishable keys ("pk_live_") are no secrets.
var tokenShapes = []tokenShape{
	{"sk_live_", 16}, {"sk_test_", 16}, {"rk_live_", 16}, {"rk_test_", 16}, {"whsec_", 24},
	{"ghp_", 36}, {"gho_", 36}, {"ghu_", 36}, {"ghs_", 36}, {"ghr_", 36}, {"github_pat_", 50},
	{"glpat-", 20}, {"npm_", 36}, {"pypi-AgE", 50},
	{"xoxb-", 20}, {"xoxp-", 20}, {"xoxa-", 20}, {"xoxs-", 20}, {"xoxr-", 20},
	{"AKIA", 16}, {"ASIA", 16}, // AWS; the key itself has no form
	{"AIza", 35}, {"ya29.", 30}, {"SG.", 40}, {"shpat_", 32}, {"dop_v1_", 64}, {"sq0atp-", 22},
	{"AGE-SECRET-KEY-1", 50},
}

// What else credentials begin with.
const (
	pemStart    = "-----BEGIN "
	pemEnd      = "PRIVATE KEY-----"
	basicStart  = "basic "
	bearerStart = "bearer "
)

// firstBytes are the bytes with which the search for a credential begins: everything else is
// passed over.
var firstBytes = func() (first [256]bool) {
	for _, s := range tokenShapes {
		first[s.prefix[0]] = true
	}
	for _, c := range []byte("-eBb") {
		first[c] = true
	}
	return first
}()

// credentials finds what is a credential by its form alone.
func (f Search) credentials(s string) []match {
	var found []match
	for i := 0; i < len(s); i++ {
		if !firstBytes[s[i]] || i > 0 && scan.IsTokenByte(s[i-1]) && s[i] != '-' {
			continue
		}
		h := f.credentialAt(s, i)
		if h.kind == "" {
			continue
		}
		found = append(found, h)
		i = h.to - 1
	}
	return found
}

// credentialAt returns the credential that begins at s[i:]; its kind is empty if there is none.
func (f Search) credentialAt(s string, i int) match {
	switch s[i] {
	case '-':
		return privateKey(s, i)
	case 'e':
		return jwt(s, i)
	case 'B', 'b':
		return f.schemed(s, i)
	}
	for _, shape := range tokenShapes {
		if !strings.HasPrefix(s[i:], shape.prefix) {
			continue
		}
		to := scan.EndOfToken(s, i)
		if to-i >= len(shape.prefix)+shape.least && !sample(s[i:to]) {
			return match{i, to, kindCredential}
		}
	}
	return match{}
}

// sample reports whether a value of the form of a credential says itself that it is none, counts
// up, or is one character over and over.
func sample(s string) bool {
	lower := strings.ToLower(s)
	return strings.Contains(lower, "example") || strings.Contains(lower, "xxxx") ||
		strings.Contains(lower, "0123456789") ||
		scan.Distinct(s[len(s)/2:]) < 4
}

// minKey is how much of a private key has to be there, in characters of its base64.
const minKey = 40

// privateKey finds a private key in PEM; the line of dashes alone is none.
func privateKey(s string, i int) match {
	const longest, between = 60, 24
	if !strings.HasPrefix(s[i:], pemStart) {
		return match{}
	}
	end := strings.Index(s[i:min(len(s), i+longest)], pemEnd)
	if end < 0 {
		return match{}
	}
	from := i + end + len(pemEnd)
	for at := from; at < min(len(s), from+between); at++ {
		if to := scan.EndOfBase64(s, at); to-at >= minKey {
			return match{i, to, kindKey}
		}
	}
	return match{}
}

// minPart is the length of the shortest claims or signature of a JWT, in characters.
const minPart = 16

// jwt finds a signed or an encrypted token whose header names its algorithm (RFC 7515, section
// 4.1.1).
func jwt(s string, i int) match {
	if !strings.HasPrefix(s[i:], scan.JWTStart) {
		return match{}
	}
	to := scan.EndOfToken(s, i)
	header, rest, _ := strings.Cut(s[i:to], ".")
	claims, signature, _ := strings.Cut(rest, ".")
	if len(claims) < minPart || len(signature) < minPart {
		return match{}
	}
	if text, ok := scan.DecodeBase64(header); !ok || !strings.Contains(text, `"alg"`) {
		return match{}
	}
	return match{i, to, kindCredential}
}

// schemed finds what follows the name of a scheme as in an Authorization header, wherever it
// stands: "Basic " and a pair in base64, "Bearer " and a token.
func (f Search) schemed(s string, i int) match {
	word := words.Scheme(s[i:])
	if word == "" {
		return match{}
	}
	from := i + len(word)
	to := from
	for to < len(s) && (scan.IsTokenByte(s[to]) || strings.IndexByte("+/=~", s[to]) >= 0) {
		to++
	}
	value := s[from:to]
	switch strings.ToLower(word) {
	case basicStart:
		password, ok := basicPassword(value)
		if !ok || surrogate.Is(password) || placeholder(password) ||
			f.Source && (f.Tests || !isRandomLiteral(password)) {
			return match{}
		}
	case bearerStart:
		if len(value) < 2*minRandom || !isRandomLiteral(value) || surrogate.IsMarker(value) || sample(value) {
			return match{}
		}
	default:
		return match{}
	}
	return match{from, to, kindCredential}
}

// basicPassword returns the password of a pair in base64, as Basic has it (RFC 7617).
func basicPassword(value string) (string, bool) {
	pair, ok := scan.DecodeBase64(value)
	_, password, found := strings.Cut(pair, ":")
	return password, ok && found && password != "" && scan.IsText(pair)
}
