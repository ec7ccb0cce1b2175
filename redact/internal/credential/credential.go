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

// What credentials of two schemes begin with, in any case.
const (
	basicStart  = "basic "
	bearerStart = "bearer "
)

// shortest is the length of the shortest text that may hold a credential: a scheme, and a pair in
// base64.
const shortest = len(basicStart) + 4

// beginnings are the pairs of bytes with which credentials begin, as bits: nearly every place of a text is
// turned away by one look at its pair. Without it BenchmarkBodies takes 30 percent longer for text.
var beginnings = func() (pairs [1 << 16 / 64]uint64) {
	insert := func(a, b byte) { at := pair(a, b); pairs[at>>6] |= 1 << (at & 63) }
	for _, s := range tokenShapes {
		insert(s.prefix[0], s.prefix[1])
	}
	insert(pemStart[0], pemStart[1])
	insert(scan.JWTStart[0], scan.JWTStart[1])
	for _, scheme := range []string{basicStart, bearerStart} {
		for _, a := range []byte{scheme[0], scheme[0] - 'a' + 'A'} {
			insert(a, scheme[1])
			insert(a, scheme[1]-'a'+'A')
		}
	}
	return pairs
}()

func pair(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// Find returns the credentials in a text, in their order.
func Find(s string) []Occurrence {
	if len(s) < shortest {
		return nil
	}
	var found []Occurrence
	p := uint16(s[0])
	for i := 1; i < len(s); i++ {
		p = p<<8 | uint16(s[i])
		if beginnings[p>>6]&(1<<(p&63)) == 0 {
			continue
		}
		if from := i - 1; from == 0 || !scan.IsTokenByte(s[from-1]) || s[from] == '-' {
			if o := at(s, from); o.Kind != profile.NotSecret {
				found = append(found, o)
				i = o.To - 1
				p = uint16(s[i])
			}
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
		to := endOfToken(s, i)
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
	to := endOfToken(s, i)
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
	if word == "" {
		return Occurrence{}
	}
	from := i + len(word)
	to := endOfToken68(s, from)
	value := s[from:to]
	switch strings.ToLower(word) {
	case basicStart:
		password, ok := BasicPassword(value)
		if !ok || surrogate.Is(password) || IsPlaceholder(password) {
			return Occurrence{}
		}
	case bearerStart:
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
	if end == i || end < len(s) && in(s[end]) {
		return i - trailingDots(s[:i])
	}
	return end
}

// endOfToken returns where the token ends that s[i:] begins with: a dot behind it ends a sentence.
func endOfToken(s string, i int) int {
	to := scan.EndOfToken(s, i)
	return to - trailingDots(s[:to])
}

func trailingDots(s string) int { return len(s) - len(strings.TrimRight(s, ".")) }

// BasicPassword returns the password of a pair in base64, as Basic has it (RFC 7617).
func BasicPassword(value string) (string, bool) {
	pair, ok := scan.DecodeBase64(value)
	_, password, found := strings.Cut(pair, ":")
	return password, ok && found && password != "" && scan.IsText(pair)
}
