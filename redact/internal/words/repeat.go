package words

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// Repeats reports whether s[from:to] is a short secret that a text says again, rather than a part
// of something else. The secret is of digits alone, or else a password.
func Repeats(s string, from, to int, digits bool) bool {
	if from > 0 && scan.IsLetter(s[from-1]) || to < len(s) && scan.IsLetter(s[to]) {
		return false
	}
	if !digits {
		return (from == 0 || s[from-1] != '-') && (to == len(s) || s[to] != '-')
	}
	return !partOfNumber(s, from-1, -1) && !partOfNumber(s, to, 1) && aboutCode(s, from, to)
}

// partOfNumber reports whether the sign at s[at] makes the digits beside it a part of an amount, a
// time, an address or the number of something: 1.00, 10:30, #7, n=7. step leads away from
// the digits.
func partOfNumber(s string, at, step int) bool {
	if at < 0 || at >= len(s) {
		return false
	}
	if strings.IndexByte("#$%*+=&", s[at]) >= 0 {
		return true
	}
	beyond := at + step
	return strings.IndexByte("-./,:", s[at]) >= 0 &&
		beyond >= 0 && beyond < len(s) && scan.IsLetter(s[beyond])
}

// contextSize is how far beside a code its meaning is looked for, in bytes.
const contextSize = 200

// aboutCode reports whether digits in prose can be a CVC, a PIN or a password: behind a word
// that names a code, or in a sentence that is not about money, addresses or markup.
func aboutCode(s string, from, to int) bool {
	before, after := s[max(0, from-contextSize):from], s[to:min(len(s), to+contextSize)]
	last, next := lastWord(before), firstWord(after)
	switch {
	case KindOf(last) != profile.NotSecret:
		return true
	case countWords[strings.ToLower(last)], countWords[next],
		isCurrency(last), isCurrency(next):
		return false
	case strings.LastIndexByte(before, '<') > strings.LastIndexByte(before, '>'):
		return false // inside a tag
	}
	url := strings.LastIndex(before, "://")
	if url >= 0 && !strings.ContainsAny(before[url:], " \t\r\n\"'<>") {
		return false
	}
	return last != "" && (next != "" || strings.ContainsAny(strings.TrimSpace(before), " \t"))
}

// lastWord returns the word before the end of s, with the signs after it left out.
func lastWord(s string) string {
	s = strings.TrimRightFunc(s, func(r rune) bool { return !wordRune(r) })
	return s[strings.LastIndexFunc(s, func(r rune) bool { return !wordRune(r) })+1:]
}

// firstWord returns the word that follows at the beginning of s behind spaces.
func firstWord(s string) string {
	s = strings.TrimLeft(s, " ")
	if end := strings.IndexFunc(s, func(r rune) bool { return !wordRune(r) }); end >= 0 {
		return s[:end]
	}
	return s
}

func wordRune(r rune) bool { return r >= 0x80 || scan.IsAlphanumeric(byte(r)) }

// isCurrency reports whether a word looks like the code of a currency (ISO 4217).
func isCurrency(word string) bool {
	return len(word) == 3 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
