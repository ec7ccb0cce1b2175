package words

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// Lengths of what is taken for a code in prose. A PIN has up to twelve digits (ISO 9564-1).
const (
	longestCVC   = 4
	shortestPIN  = 4
	longestPIN   = 12
	maxBetween   = 3 // words between the name and the code
	proseWindow  = 64
	sentenceSign = " \t:\"'(-–—№#*"
)

// inSentence returns the code that begins with the digit s[at], if the words before it name a code:
// "PIN is 7728", "CVV 784". A word such as "code" alone names nothing: errors have codes. Nor do the
// digits of an entity say a code: "PIN &#1074;" goes on with a letter.
func inSentence(s string, at int) (Mention, bool) {
	if strings.IndexByte(sentenceSign, s[at-1]) < 0 || strings.HasSuffix(s[:at], "&#") {
		return Mention{}, false
	}
	to := at
	for to < len(s) && s[to]-'0' <= 9 && to-at <= longestPIN {
		to++
	}
	if to-at < MinCode || to-at > longestPIN || !endsNumber(s, to) {
		return Mention{}, false
	}
	before, told := s[max(0, at-proseWindow):at], false
	before = before[strings.LastIndexByte(before, '\n')+1:] // lines say things of their own
	for between := 0; between <= maxBetween; between++ {
		bare := strings.TrimRight(before, sentenceSign)
		told = told || between > 0 || strings.ContainsRune(before[len(bare):], ':')
		before = bare
		n := NameOf(before)
		if n.Kind != profile.NotSecret {
			ok := fitsName(n, to-at, told) && !n.Shaped && !isCompound(before, n)
			return Mention{at, to, n.Kind, n.Word}, ok
		}
		word := lastWord(before)
		if word == "" || !connectives[strings.ToLower(word)] {
			return Mention{}, false
		}
		before = strings.TrimSuffix(before, word)
	}
	return Mention{}, false
}

// isCompound reports whether the last word of s only ends with what names a code, as the names of
// operations do: "generateCVC2".
func isCompound(s string, n Name) bool {
	from, letters := len(s), 0
	for from > 0 && (scan.IsAlphanumeric(s[from-1]) || s[from-1] == '-' || s[from-1] == '_') {
		from--
		if scan.IsAlphanumeric(s[from]) {
			letters++
		}
	}
	if letters == len(n.Word) || strings.EqualFold(s[from:min(len(s), from+len("card"))], "card") {
		return false // "cardCvc" is the code of a card
	}
	return NameOf(s[from:]).Kind != profile.NotSecret
}

// fitsName reports whether digits can be what their name says. A password of digits has to be told
// by a word or a sign: "password is 123456" says a password, "password 123456" may be a step.
func fitsName(n Name, length int, told bool) bool {
	switch n.Kind {
	case profile.CVC:
		return length <= longestCVC
	case profile.PIN:
		return length >= shortestPIN
	case profile.Token:
		return length >= shortestPIN && told && spokenCredentials[n.Word]
	}
	return false
}

// endsNumber reports whether the digits that end at s[:to] are a number of their own, and no part
// of a date, an amount or an id.
func endsNumber(s string, to int) bool {
	if to == len(s) {
		return true
	}
	c := s[to]
	if scan.IsLetter(c) || c == '%' {
		return false
	}
	return strings.IndexByte(".,-/:", c) < 0 || to+1 == len(s) || !scan.IsLetter(s[to+1])
}

// besideWindow is how far before and behind a value its name is looked for, in bytes.
const besideWindow = 160

// nameBeside returns what an object of which only a text is there calls the value at s[at:]:
// {"field":"cvc","rejectedValue":"784". It is empty if nothing does.
func nameBeside(s string, at int) string {
	from, to := max(0, at-besideWindow), min(len(s), at+besideWindow)
	if open := strings.LastIndexByte(s[from:at], '{'); open >= 0 {
		from += open
	}
	if shut := strings.IndexByte(s[at:to], '}'); shut >= 0 {
		to = at + shut
	}
	object := s[from:to]
	for _, key := range nameKeys {
		_, rest, found := strings.Cut(object, `"`+key+`"`)
		if !found {
			continue
		}
		rest = strings.TrimLeft(rest, " \t\r\n:")
		if strings.HasPrefix(rest, `"`) {
			return rest[1 : 1+quotedLength(rest[1:], '"')]
		}
	}
	return ""
}
