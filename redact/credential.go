package redact

import "strings"

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
	jwtStart    = "eyJ" // {" in base64
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
func (f Search) credentials(s string) []hit {
	var found []hit
	for i := 0; i < len(s); i++ {
		if !firstBytes[s[i]] || i > 0 && tokenByte(s[i-1]) && s[i] != '-' {
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
func (f Search) credentialAt(s string, i int) hit {
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
		to := endOfToken(s, i)
		if to-i >= len(shape.prefix)+shape.least && !sample(s[i:to]) {
			return hit{i, to, kindCredential}
		}
	}
	return hit{}
}

// tokenByte reports whether c can stand inside a credential.
func tokenByte(c byte) bool { return alphanumeric(c) || c == '_' || c == '-' || c == '.' }

func endOfToken(s string, i int) int {
	for i < len(s) && tokenByte(s[i]) {
		i++
	}
	return i
}

// sample reports whether a value of the form of a credential says itself that it is none, counts
// up, or is one character over and over.
func sample(s string) bool {
	lower := strings.ToLower(s)
	return strings.Contains(lower, "example") || strings.Contains(lower, "xxxx") ||
		strings.Contains(lower, "0123456789") ||
		distinct(s[len(s)/2:]) < 4
}

// minKey is how much of a private key has to be there, in characters of its base64.
const minKey = 40

// privateKey finds a private key in PEM; the line of dashes alone is none.
func privateKey(s string, i int) hit {
	const longest, between = 60, 24
	if !strings.HasPrefix(s[i:], pemStart) {
		return hit{}
	}
	end := strings.Index(s[i:min(len(s), i+longest)], pemEnd)
	if end < 0 {
		return hit{}
	}
	from := i + end + len(pemEnd)
	for at := from; at < min(len(s), from+between); at++ {
		if to := endOfRun(s, at); to-at >= minKey {
			return hit{i, to, kindKey}
		}
	}
	return hit{}
}

// jwt finds a signed or an encrypted token whose header names its algorithm (RFC 7515, section
// 4.1.1).
func jwt(s string, i int) hit {
	if !strings.HasPrefix(s[i:], jwtStart) {
		return hit{}
	}
	to := endOfToken(s, i)
	header, rest, _ := strings.Cut(s[i:to], ".")
	claims, signature, _ := strings.Cut(rest, ".")
	if len(claims) < minPacked || len(signature) < minPacked {
		return hit{}
	}
	if text, ok := decodeBase64(header); !ok || !strings.Contains(text, `"alg"`) {
		return hit{}
	}
	return hit{i, to, kindCredential}
}

// schemed finds what follows the name of a scheme as in an Authorization header, wherever it
// stands: "Basic " and a pair in base64, "Bearer " and a token.
func (f Search) schemed(s string, i int) hit {
	word := scheme(s[i:])
	if word == "" {
		return hit{}
	}
	from := i + len(word)
	to := from
	for to < len(s) && (tokenByte(s[to]) || strings.IndexByte("+/=~", s[to]) >= 0) {
		to++
	}
	value := s[from:to]
	switch strings.ToLower(word) {
	case basicStart:
		password, ok := basicPassword(value)
		if !ok || ownValue(password) || placeholder(password) ||
			f.Source && (f.Tests || !random(password)) {
			return hit{}
		}
	case bearerStart:
		if len(value) < 2*minRandom || !random(value) || ownMark(value) || sample(value) {
			return hit{}
		}
	default:
		return hit{}
	}
	return hit{from, to, kindCredential}
}

// basicPassword returns the password of a pair in base64, as Basic has it (RFC 7617).
func basicPassword(value string) (string, bool) {
	pair, ok := decodeBase64(value)
	_, password, found := strings.Cut(pair, ":")
	return password, ok && found && password != "" && textLength(pair) == len(pair)
}

// textLength returns how many bytes of s are text before the first that is none.
func textLength(s string) int {
	b := []byte(s)
	i := 0
	for i < len(b) {
		n := textAt(b, i)
		if n == 0 {
			break
		}
		i += n
	}
	return i
}
