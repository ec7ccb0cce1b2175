package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind int

const (
	end     kind = iota // of the text, or of what could be read
	opening             // (
	closing             // )
	minus               // - in front of a term
	or                  // the word or
	word                // KEY:VALUE, or VALUE alone
)

// token is a piece of a filter.
type token struct {
	kind kind
	at   int // where it begins, in bytes
	// key is what stands before the ":" of a word in small letters; empty for a value alone. value is
	// what a word says without its quotes, and begins at valueAt.
	key     string
	value   string
	valueAt int
	until   int // where it ends
	err     error
}

// lexer cuts a filter into tokens.
type lexer struct {
	text string
	at   int
}

// next returns the next token.
func (l *lexer) next() token {
	rest := strings.TrimLeftFunc(l.text[l.at:], unicode.IsSpace)
	l.at = len(l.text) - len(rest)
	t := token{at: l.at, until: l.at + 1}
	switch {
	case rest == "":
		return token{at: l.at, until: l.at}
	case rest[0] == '(':
		t.kind = opening
	case rest[0] == ')':
		t.kind = closing
	case rest[0] == '-':
		t.kind = minus
	default:
		t = l.word()
	}
	l.at = t.until
	return t
}

// word reads a word.
func (l *lexer) word() token {
	t := token{kind: word, at: l.at, valueAt: l.at}
	if n := keyLength(l.text[l.at:]); n > 0 {
		t.key, t.valueAt = strings.ToLower(l.text[l.at:l.at+n]), l.at+n+1
	}
	if strings.HasPrefix(l.text[t.valueAt:], `"`) {
		return l.quoted(t)
	}
	rest := l.text[t.valueAt:]
	n := strings.IndexFunc(rest, endsWord)
	if n < 0 {
		n = len(rest)
	}
	t.value, t.until = rest[:n], t.valueAt+n
	if t.key == "" && strings.EqualFold(t.value, "or") {
		t.kind = or
	}
	return t
}

// endsWord reports whether a character ends a word without quotes.
func endsWord(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == ')' }

// keyLength returns the length of the key with which a text begins, without its ":"; 0 for none. A
// key is letters alone: "11:25" and "#12" begin with none.
func keyLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || !letter(byte(r)) })
	if n > 0 && text[n] == ':' && !strings.HasPrefix(text[n:], "://") {
		return n
	}
	return 0
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// quoted reads a value between quotes.
func (l *lexer) quoted(t token) token {
	var b strings.Builder
	for i := t.valueAt + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\\' && i+1 < len(l.text) && strings.IndexByte(`"\`, l.text[i+1]) >= 0:
			i++
			b.WriteByte(l.text[i])
		case c == '"':
			t.value, t.until = b.String(), i+1
			return l.after(t)
		default:
			b.WriteByte(c)
		}
	}
	t.kind, t.until, t.err = end, len(l.text), wrong(t.valueAt, "the quote has no end")
	return t
}

// after checks that a quote ends its word.
func (l *lexer) after(t token) token {
	r, _ := utf8.DecodeRuneInString(l.text[t.until:])
	switch {
	case t.until < len(l.text) && !endsWord(r):
		t.err = wrong(t.until, "a space is missing after the quote")
	case t.key == "" && strings.TrimSpace(t.value) == "":
		t.err = wrong(t.at, "nothing stands in the quotes")
	default:
		return t
	}
	t.kind = end
	return t
}

// quoted returns a value as it is written in a filter. alone says that no key is before it.
func quoted(value string, alone bool) string {
	plain := value != "" && !strings.ContainsFunc(value, endsWord) && value[0] != '"'
	if alone {
		plain = plain && value[0] != '-' && keyLength(value) == 0 && !strings.EqualFold(value, "or")
	}
	if plain {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
