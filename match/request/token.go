package request

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/fresh"
)

// Token is a part of a text that may be an id.
type Token struct {
	Text string
	At   int  // offset in the text
	Run  bool // it is a whole run of characters that ids are made of
	// Within says that it is a part of an address, and too plain to be found in other text.
	Within bool
}

// Tokens returns what may be an id inside s: all of it if it is base64 of random bytes, every run of
// letters, digits, '-' and '_' that is Embeddable, and what may be one inside a Run: what lies between its
// '_' or '-', a UUID, a number. They overlap; a longer one comes before those it holds.
func Tokens(s string) []Token { return AppendTokens(nil, s) }

// AppendTokens appends what Tokens returns.
func AppendTokens(ts []Token, s string) []Token {
	if !HasDigit(s) {
		return ts // none is Embeddable, as of most texts of a page
	}
	if isBase64ID(s) {
		ts = append(ts, Token{Text: s, Run: true})
	}
	for from := 0; from < len(s); {
		from = behindEscapes(s, from)
		to := from
		for to < len(s) && idByte(s[to]) {
			to++
		}
		if Embeddable(s[from:to]) {
			ts = append(ts, Token{Text: s[from:to], At: from, Run: true})
			ts = appendInner(ts, s[from:to], from)
		}
		from = to + 1
	}
	return ts
}

// isBase64ID reports whether a text is base64 of a few bytes, in the alphabet that has characters which no
// run has: the transaction of 3-D Secure 1, "VCydZeLaJmlEP6mz9I91VUxslZ0=". What has a slash and neither
// of the other two may be a path.
func isBase64ID(s string) bool {
	const shortest, longest = 16, 88 // of 11 to 64 bytes
	if len(s) < shortest || len(s) > longest || len(s)%4 != 0 {
		return false
	}
	digits := strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	if digits == s && strings.IndexByte(s, '+') < 0 {
		return false
	}
	for i := range len(digits) {
		if c := digits[i]; !idByte(c) && c != '+' && c != '/' || c == '-' || c == '_' {
			return false
		}
	}
	return true
}

// NameBefore returns the name in front of what stands at an offset of a text of pairs, as "id" in "ok=1&id=7"
// at 8; "" where there is none.
func NameBefore(text string, at int) string {
	if at == 0 || text[at-1] != '=' {
		return ""
	}
	from := at - 1
	for from > 0 && idByte(text[from-1]) {
		from--
	}
	return text[from : at-1]
}

// behindEscapes returns the offset behind percent escapes, so that "%3D" in front of an id
// does not become part of it. An escaped percent sign begins another escape.
func behindEscapes(s string, at int) int {
	for escaped := at > 0 && s[at-1] == '%'; escaped && at+2 <= len(s); at += 2 {
		if leaf.Hex(s[at]) < 0 || leaf.Hex(s[at+1]) < 0 {
			break
		}
		escaped = s[at:at+2] == "25"
	}
	return at
}

// appendInner appends the tokens inside a run that begins at an offset.
func appendInner(ts []Token, run string, at int) []Token {
	for i := 0; i+fresh.UUIDLength < len(run)+1; i++ {
		if t := run[i : i+fresh.UUIDLength]; len(run) > fresh.UUIDLength && fresh.IsUUID(t) {
			ts = append(ts, Token{Text: t, At: at + i})
		}
	}
	for _, part := range []func(byte) bool{isNot('_'), isNot('-'), IsDigit} {
		ts = appendParts(ts, run, at, part)
	}
	return ts
}

// appendParts appends the Embeddable stretches of a run, shorter than itself, whose
// characters belong together.
func appendParts(ts []Token, run string, at int, belongs func(byte) bool) []Token {
	for from := 0; from < len(run); from++ {
		to := from
		for to < len(run) && belongs(run[to]) {
			to++
		}
		if to-from < len(run) && Embeddable(run[from:to]) {
			ts = append(ts, Token{Text: run[from:to], At: at + from})
		}
		from = to
	}
	return ts
}

func isNot(c byte) func(byte) bool { return func(b byte) bool { return b != c } }

func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// HasDigit reports whether a text has a digit.
func HasDigit(text string) bool {
	for i := range len(text) {
		if IsDigit(text[i]) {
			return true
		}
	}
	return false
}

// IsDigits reports whether a text has nothing but digits.
func IsDigits(text string) bool {
	for i := range len(text) {
		if !IsDigit(text[i]) {
			return false
		}
	}
	return true
}

func idByte(c byte) bool {
	return IsDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'
}

// OneRun reports whether a text is nothing but the bytes of ids.
func OneRun(s string) bool {
	for i := range len(s) {
		if !idByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// Embeddable reports whether a value is long and odd enough to be recognised inside text.
func Embeddable(text string) bool {
	return len(text) >= EmbedLength && HasDigit(text)
}

// Inner returns the tokens inside a token.
func (t Token) Inner() []Token { return appendInner(nil, t.Text, 0) }
