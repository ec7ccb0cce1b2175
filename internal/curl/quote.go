package curl

import (
	"fmt"
	"strings"
)

// quote writes a text as a word of a POSIX shell. A shell has no NUL, and neither has a request but in
// its body. What a terminal would obey, when the command is pasted, is written by printf.
func quote(s string) string {
	if !printable(s) {
		return `"$(printf '%b' '` + quotes.Replace(escaped(s)) + `')"`
	}
	return "'" + quotes.Replace(s) + "'"
}

var quotes = strings.NewReplacer("'", `'\''`, "\x00", "")

// write writes a stretch of a part as a word, with variables in its holes.
func (c *command) write(p part, s string, from, to int) string {
	return c.writeHoles(c.places[p], s, from, to)
}

func (c *command) writeHoles(holes []hole, s string, from, to int) string {
	word := "''"
	for _, h := range holes {
		if h.from < from || h.to > to {
			continue
		}
		if h.from > from {
			word = join(word, quote(s[from:h.from]))
		}
		word = join(word, `"$`+h.variable+`"`)
		from = h.to
	}
	if from < to {
		word = join(word, quote(s[from:to]))
	}
	return word
}

// printf writes a command whose output is a body of any bytes.
func (c *command) printf(body string) string {
	format, from := "", 0
	var arguments []string
	literal := func(to int) {
		if to > from {
			format += "%b"
			arguments = append(arguments, quote(escaped(body[from:to])))
		}
	}
	for _, h := range c.places[part{place: bodyPlace}] {
		literal(h.from)
		format += "%s"
		arguments = append(arguments, `"$`+h.variable+`"`)
		from = h.to
	}
	literal(len(body))
	return "printf '" + format + "' " + strings.Join(arguments, " ")
}

// escaped writes bytes for the conversion %b of printf (POSIX): all but printable ASCII as \0 and
// three octal digits.
func escaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '\\' {
			fmt.Fprintf(&b, `\0%03o`, c)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
