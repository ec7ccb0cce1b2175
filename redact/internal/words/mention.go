package words

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// Mention is a value that stands beside a keyword in a text.
type Mention struct {
	From, To int                 // where the value is, in bytes
	Kind     profile.Sensitivity // of secret
	Word     string              // the keyword; empty for the password of a URL
}

// Mentions returns the values that stand beside a keyword in s: password=x, "cvc": "1",
// <pin>1</pin>, PIN: 1234, "the PIN is 1234", /pin/1234, Authorization: Basic x, and the same over
// two lines of YAML; and the passwords of URLs.
func Mentions(s string) []Mention {
	var found []Mention
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c > '>' || c < '0' { // most characters of most texts
			continue
		}
		var m Mention
		ok := false
		switch {
		case c == '=':
			m, ok = assigned(s, i)
		case c == ':':
			if m, ok = urlPassword(s, i); !ok {
				m, ok = assigned(s, i)
			}
		case c == '>':
			m, ok = element(s, i)
		case c <= '9' && i > 0 && s[i-1] == '/':
			m, ok = inPath(s, i)
		case c <= '9' && i > 0 && s[i-1]-'0' > 9:
			m, ok = inSentence(s, i)
		}
		if ok && m.From < m.To && canBe(m.Kind, s[m.From:m.To]) {
			found = append(found, m)
			i = m.To - 1
		}
	}
	return found
}

// assigned returns the value that the sign at s[at] gives to the keyword before it.
func assigned(s string, at int) (Mention, bool) {
	key := nameBefore(s, at)
	if key == "" || key[len(key)-1] < utf8.RuneSelf && !keyEndings.mayEnd(key) && !isValueKey(key) {
		return Mention{}, false // as most
	}
	if isPadding(s, at) {
		return Mention{}, false
	}
	n := NameOf(key)
	switch {
	case strings.Contains(key, surrogate.Prefix):
		return Mention{}, false // an escape may stand before the marker: "%3BREDACTED-token-1"
	case n.Kind == profile.NotSecret && isValueKey(key):
		n = NameOf(nameBeside(s, at))
	case n.Kind == profile.NotSecret && ambiguousWord(key) != "":
		n = NameFor(key, strings.TrimRight(textAfter(s, at), ".!?"))
	}
	if n.Kind == profile.NotSecret {
		return Mention{}, false
	}
	m, ok := valueAfter(s, at, n.Kind)
	if !ok || isProgramWord(s, m, key) || !n.fits(s[m.From:m.To]) {
		return Mention{}, false
	}
	if strings.HasSuffix(strings.ToLower(key), "authorization") {
		m.From += len(Scheme(s[m.From:m.To]))
	}
	m.Word = n.Word
	return m, true
}

// isPadding reports whether the sign at s[at] ends a quoted text in base64, of which the last letters
// may spell a keyword: in value="...9Pins="> the quote behind the sign closes what the quote in front
// opened, and what follows it is markup. A shorter text is no more than a keyword. Where a form was
// decoded, a space is what was '+': such a text must be of groups of four, and no sentence.
func isPadding(s string, at int) bool {
	const shortest = 16
	const plus = "&#43;" // as pages write it
	end := at + 1
	for end < len(s) && s[end] == '=' {
		end++
	}
	from, spaces := at, 0
	for ; from > 0; from-- {
		if strings.HasSuffix(s[:from], plus) {
			from -= len(plus) - 1
		} else if s[from-1] == ' ' {
			spaces++
		} else if !scan.IsAlphanumeric(s[from-1]) && strings.IndexByte("+/-_", s[from-1]) < 0 {
			break
		}
	}
	if from == 0 || end == len(s) || s[from-1] != s[end] || s[end] != '"' && s[end] != '\'' {
		return false
	}
	run := s[from:at]
	packed := strings.ContainsAny(run, "0123456789") && strings.ToLower(run) != run &&
		(end-from)%4 == 0 && spaces*16 < len(run)
	return len(run) >= shortest && (spaces == 0 || packed)
}

// nameBefore returns the key that ends at s[:at], without quotes, brackets and the spaces
// after them; of "card[cvc]" the part that says what it is. One that is too long for a key
// is none. Of another alphabet it may be several words.
func nameBefore(s string, at int) string {
	s = s[max(0, at-2*longestKeyword):at]
	for {
		for s != "" && strings.IndexByte(" \"'[]", s[len(s)-1]) >= 0 {
			s = s[:len(s)-1]
		}
		if s != "" && s[len(s)-1] >= utf8.RuneSelf {
			return s
		}
		from := len(s)
		for from > 0 && (scan.IsAlphanumeric(s[from-1]) || s[from-1] == '_' || s[from-1] == '-') {
			from--
		}
		name := s[from:]
		if len(name) > longestKeyword {
			return ""
		}
		if from > 0 && s[from-1] == '\\' {
			name = name[escapeLength(name):]
		}
		index := name != "" && scan.IsNumeric(name)
		if !index || from == 0 || s[from-1] != '[' {
			return name
		}
		s = s[:from]
	}
}

// escapeLength returns the length of the escape of JSON that s continues behind its backslash, 0 if it
// does not: "u0026" is no part of the name in "\\u0026password=".
func escapeLength(s string) int {
	const digits = 4
	if len(s) <= digits || s[0] != 'u' {
		return 0
	}
	for i := 1; i <= digits; i++ {
		if leaf.Hex(s[i]) < 0 {
			return 0
		}
	}
	return 1 + digits
}

// valueAfter returns the value that the sign at s[at] gives to a keyword. After a colon,
// text without quotes is prose, unless isUnquotedValue knows better.
func valueAfter(s string, at int, kind profile.Sensitivity) (Mention, bool) {
	i, listed := valueStart(s, at)
	if i >= len(s) {
		return Mention{}, false
	}
	if q := s[i]; q == '"' || q == '\'' {
		if s[at] == '=' && startsLine(s[i+1:]) {
			return Mention{}, false // the quote ends a text in which nothing comes after the sign
		}
		return Mention{From: i + 1, To: i + 1 + quotedLength(s[i+1:], q), Kind: kind}, true
	}
	credential := Scheme(s[i:])
	to := i + len(credential) + unquotedLength(s[i+len(credential):])
	sure := listed || s[at] == '=' || credential != "" || isUnquotedValue(s[:at], s[i:to], kind)
	if s[at] == ':' && kind == profile.Token {
		to = i + len(strings.TrimRight(s[i:to], ".!?")) // the end of a sentence
	}
	return Mention{From: i, To: to, Kind: kind}, sure
}

// valueStart returns where the value of the sign at s[at] begins, and whether it is the first of
// a list in YAML.
func valueStart(s string, at int) (int, bool) {
	i := at + 1 + spaces(s[at+1:])
	if s[at] == ':' {
		rest := strings.TrimLeft(s[i:], " \r\n")
		if strings.HasPrefix(rest, "- ") {
			return len(s) - len(rest) + len("- "), true
		}
	}
	return i, false
}

// textAfter returns the value of the sign at s[at], in quotes or without.
func textAfter(s string, at int) string {
	i, _ := valueStart(s, at)
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		return s[i+1 : i+1+quotedLength(s[i+1:], s[i])]
	}
	return s[i : i+unquotedLength(s[i:])]
}

// isUnquotedValue reports whether text without quotes after a colon is a value all the same: after
// a key in quotes, as the digits of a CVC or PIN, as an API key, or as what looks like a
// password and not like a word.
func isUnquotedValue(key, value string, kind profile.Sensitivity) bool {
	if value == "" {
		return false
	}
	last := key[len(key)-1]
	if strings.TrimRight(key, " ") != strings.TrimRight(key, " \"'") {
		return true
	}
	if kind == profile.Token {
		isKey := last == 'y' || last == 'Y'
		return isKey && len(value) >= minAPIKey && strings.ContainsAny(value, "0123456789") ||
			looksGenerated(value)
	}
	return scan.Digits(value) == value && len(value) >= MinCode
}

// Lengths of the shortest CVC or PIN, and of the shortest API key without quotes.
const (
	MinCode   = 3
	minAPIKey = 8
)

// startsLine reports whether a line break is all that s begins with.
func startsLine(s string) bool {
	return strings.HasPrefix(s, "\n") || strings.HasPrefix(s, "\r\n")
}

func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// Scheme returns the scheme word of a credential with the space after it, "" if there is
// none.
func Scheme(s string) string {
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

// unquotedLength returns the length of the value without quotes that s begins with. An escape
// of JSON ends it like the character that it stands for.
func unquotedLength(s string) int {
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

// canBe reports whether a value beside a keyword can be a secret of its kind: a number, or
// text that is no marker of ours.
func canBe(kind profile.Sensitivity, value string) bool {
	if kind == profile.PAN {
		n := scan.ReadNumber(value)
		return !n.Harmless && len(n.Digits) >= scan.MinDigits
	}
	if kind == profile.CVC || kind == profile.PIN {
		value, _, _ = strings.Cut(value, "/") // of a path, the segment
	}
	return !isOurs(value) && value != "null"
}

// isOurs reports whether a value is a marker or a constant of ours: alone, behind the name of a
// scheme that stays ("password=Bearer+REDACTED-token-1"), or before the sign that ends it in a path
// or a sentence ("/cvv=000/").
func isOurs(value string) bool {
	if surrogate.Is(value) {
		return true
	}
	if bare := strings.TrimRight(value, "/.!?:"); bare != value && surrogate.Is(bare) {
		return true
	}
	if !surrogate.Holds(value) {
		return false
	}
	plain := cmp.Or(scan.Unescape(value), value)
	return surrogate.Is(plain[len(Scheme(plain)):])
}
