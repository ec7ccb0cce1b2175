package redact

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// short is a secret that is too short to be searched for everywhere: "739" is a CVC, and an
// amount. It is looked for in the prose of the exchange that said it, and nowhere else.
type short struct {
	text   string
	digits bool // nothing but digits
	plain  bool // nothing but digits or nothing but letters
	stand  stand
}

// minShort is the length of the shortest password or token that is looked for in prose.
const minShort = 4

// maxShort bounds how many short secrets are looked for, so that the time stays in
// proportion to the text. Fields come first, and a message has few that are secret.
const maxShort = 16

// learnShort has a secret of a field looked for in the prose of this exchange.
func (c *cleaning) learnShort(kind profile.Sensitivity, text string, got stand) {
	digits := asciiDigits(text) == text
	switch kind {
	case profile.CVC, profile.PIN:
		if !digits || len(text) < minCode {
			return
		}
		got.text = constant(kind)
	case profile.Token:
		common := slices.Contains(dictionary, strings.ToLower(text))
		if len(text) < minShort || distinct(text) < 2 || common || ownMark(text) {
			return
		}
	default:
		return
	}
	same := func(other short) bool { return other.text == text }
	if len(c.short) == maxShort || searchable(text) || slices.ContainsFunc(c.short, same) {
		return
	}
	c.short = append(c.short, short{text, digits, digits || word(text), got})
}

// echoes finds the short secrets of this exchange in prose.
func (c *cleaning) echoes(s string) []span {
	var found []span
	for _, secret := range c.short {
		if len(s) <= len(secret.text) && (s != secret.text || secret.plain) {
			continue // 739 alone is a number of its own; a mixed password is itself
		}
		for at := 0; ; {
			n := strings.Index(s[at:], secret.text)
			if n < 0 {
				break
			}
			from, to := at+n, at+n+len(secret.text)
			if secret.echoed(s, from, to) && !insideMark(s, from, to) {
				st := secret.stand
				found = append(found, span{
					from: from, to: to, text: st.text, note: st.note, rule: ruleEcho,
				})
			}
			at = to
		}
	}
	return found
}

// labelled finds the short secrets in a text that has a label before it, as if both were one
// sentence: "The code <b>739</b>".
func (c *cleaning) labelled(label, s string) []span {
	if label == "" {
		return nil
	}
	label += " "
	var found []span
	for _, sp := range c.echoes(label + s) {
		if sp.from >= len(label) {
			sp.from, sp.to = sp.from-len(label), sp.to-len(label)
			found = append(found, sp)
		}
	}
	return found
}

// echoed reports whether s[from:to] is the secret said again rather than a part of something
// else.
func (x short) echoed(s string, from, to int) bool {
	if from > 0 && letter(s[from-1]) || to < len(s) && letter(s[to]) {
		return false
	}
	if !x.digits {
		return (from == 0 || s[from-1] != '-') && (to == len(s) || s[to] != '-')
	}
	return !joined(s, from-1, -1) && !joined(s, to, 1) && aboutCode(s, from, to)
}

// joined reports whether the sign at s[at] makes the digits beside it a part of an amount, a
// time, an address or the number of something: 1.00, 10:30, #7, n=7. step leads away from
// the digits.
func joined(s string, at, step int) bool {
	if at < 0 || at >= len(s) {
		return false
	}
	if strings.IndexByte("#$%*+=&", s[at]) >= 0 {
		return true
	}
	beyond := at + step
	return strings.IndexByte("-./,:", s[at]) >= 0 &&
		beyond >= 0 && beyond < len(s) && letter(s[beyond])
}

// around is how far beside a code its meaning is looked for, in bytes.
const around = 200

// counted are words beside digits that are no code.
var counted = []string{
	"amount", "sum", "total", "price", "fee", "error", "status", "order", "number", "http",
	"сумма", "руб", "₽", "€",
}

// aboutCode reports whether digits in prose can be a CVC, a PIN or a password: behind a word
// that names one, or in a sentence that is not about money, addresses or markup.
func aboutCode(s string, from, to int) bool {
	before, after := s[max(0, from-around):from], s[to:min(len(s), to+around)]
	last, next := lastWord(before), firstWord(after)
	switch {
	case keyword(last) != profile.NotSecret:
		return true
	case slices.Contains(counted, strings.ToLower(last)), slices.Contains(counted, next),
		currency(last), currency(next):
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

func wordRune(r rune) bool { return r >= 0x80 || alphanumeric(byte(r)) }

// currency reports whether a word looks like the code of a currency (ISO 4217).
func currency(word string) bool {
	return len(word) == 3 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// prose reports whether an API may repeat in a leaf what it was told: a text of its own, one
// that no profile knows, a URL, or what the client wrote for people. It is not asked of ids,
// amounts and dates, which may hold the digits of a short secret by chance.
func prose(f profile.Field, known bool, key, value string) bool {
	if !known || strings.Contains(value, "://") {
		return true
	}
	w := split(key[max(0, len(key)-longestKeyword):])
	return f.From == profile.Shared && f.Of == "" ||
		w.n > 0 && slices.Contains(proseWords, string(w.last(1)))
}

// proseWords are the last words of the keys of texts for people.
var proseWords = []string{
	"message", "info", "description", "reason", "text", "comment", "note", "details",
	"error", "title", "hint", "cause",
}
