package credential

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// Occurrence is a credential in a text.
type Occurrence struct {
	From, To int                 // where it is, in bytes
	Kind     profile.Sensitivity // Key for a private key, else Token
}

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

// shortest is the length of the shortest text that may hold a credential: a scheme, and a pair in
// base64.
const shortest = len("Basic ") + 4

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

// Find returns the credentials in a text, in their order.
func Find(s string) []Occurrence {
	if len(s) < shortest {
		return nil
	}
	var found []Occurrence
	for i := 0; i < len(s); i++ {
		if !firstBytes[s[i]] || i > 0 && scan.IsTokenByte(s[i-1]) && s[i] != '-' {
			continue
		}
		if o := at(s, i); o.Kind != profile.NotSecret {
			found = append(found, o)
			i = o.To - 1
		}
	}
	return found
}

// at returns the credential that begins at s[i:]; it has no kind if there is none.
func at(s string, i int) Occurrence {
	switch s[i] {
	case '-':
		return privateKey(s, i)
	case 'e':
		return jwt(s, i)
	case 'B', 'b':
		return schemed(s, i)
	}
	for _, shape := range tokenShapes {
		if !strings.HasPrefix(s[i:], shape.prefix) {
			continue
		}
		to := scan.EndOfToken(s, i)
		if to-i >= len(shape.prefix)+shape.least && !IsSample(s[i:to]) {
			return Occurrence{i, to, profile.Token}
		}
	}
	return Occurrence{}
}

// IsSample reports whether a value of the form of a credential says itself that it is none, counts
// up, or is one character over and over.
func IsSample(s string) bool {
	lower := strings.ToLower(s)
	return strings.Contains(lower, "example") || strings.Contains(lower, "xxxx") ||
		strings.Contains(lower, "0123456789") ||
		scan.Distinct(s[len(s)/2:]) < 4
}

// minPart is the length of the shortest claims or signature of a JWT, in characters.
const minPart = 16

// jwt finds a signed or an encrypted token whose header names its algorithm (RFC 7515, section
// 4.1.1).
func jwt(s string, i int) Occurrence {
	if !strings.HasPrefix(s[i:], scan.JWTStart) {
		return Occurrence{}
	}
	to := scan.EndOfToken(s, i)
	header, rest, _ := strings.Cut(s[i:to], ".")
	claims, signature, _ := strings.Cut(rest, ".")
	if len(claims) < minPart || len(signature) < minPart {
		return Occurrence{}
	}
	if text, ok := scan.DecodeBase64(header); !ok || !strings.Contains(text, `"alg"`) {
		return Occurrence{}
	}
	return Occurrence{i, to, profile.Token}
}

// minBearer is the length of the shortest token behind the word Bearer that no header names.
const minBearer = 2 * minRandom

// schemed finds what follows the name of a scheme as in an Authorization header, wherever it
// stands: "Basic " and a pair in base64, "Bearer " and a token.
func schemed(s string, i int) Occurrence {
	word := words.Scheme(s[i:])
	from := i + len(word)
	to := endOfToken68(s, from)
	value := s[from:to]
	switch strings.ToLower(word) {
	case "basic ":
		password, ok := BasicPassword(value)
		if !ok || surrogate.Is(password) || IsPlaceholder(password) {
			return Occurrence{}
		}
	case "bearer ":
		if len(value) < minBearer || !IsRandom(value) || surrogate.IsMarker(value) || IsSample(value) {
			return Occurrence{}
		}
	default:
		return Occurrence{}
	}
	return Occurrence{from, to, profile.Token}
}

// endOfToken68 returns where the token ends that s[i:] begins with, padding included (RFC 9110,
// section 11.2). A sign of equality with a token behind it is no padding.
func endOfToken68(s string, i int) int {
	in := func(c byte) bool { return scan.IsTokenByte(c) || strings.IndexByte("+/~", c) >= 0 }
	for i < len(s) && in(s[i]) {
		i++
	}
	end := i
	for end < len(s) && s[end] == '=' {
		end++
	}
	if end < len(s) && in(s[end]) {
		return i
	}
	return end
}

// BasicPassword returns the password of a pair in base64, as Basic has it (RFC 7617).
func BasicPassword(value string) (string, bool) {
	pair, ok := scan.DecodeBase64(value)
	_, password, found := strings.Cut(pair, ":")
	return password, ok && found && password != "" && scan.IsText(pair)
}
