package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a stretch of a text and what takes its place.
type span struct {
	from, to int
	text     string
	note     string
	rule     string // that found it
	// named says that a keyword tells what it is: it gives the text where spans overlap.
	named bool
}

// merge sorts spans and joins those that overlap. Of two, one that a keyword names gives the
// text, because the keyword stays and will name whatever stands there. Otherwise the one
// found first does: numbers before taint, and outer layers before inner ones.
func merge(found []span) []span {
	if len(found) < 2 {
		return found
	}
	rank := make([]int, len(found))
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return found[a].from - found[b].from })
	var out []span
	best := 0
	for _, i := range rank {
		f := found[i]
		last := len(out) - 1
		if last < 0 || f.from >= out[last].to {
			out, best = append(out, f), i
			continue
		}
		from, to := out[last].from, max(out[last].to, f.to)
		if before := found[best]; f.named && !before.named || f.named == before.named && i < best {
			out[last], best = f, i
		}
		out[last].from, out[last].to = from, to
	}
	return out
}

// splice writes spans into s.
func splice(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(markPrefix)*len(spans))
	last := 0
	for _, sp := range spans {
		b.WriteString(s[last:sp.from])
		b.WriteString(sp.text)
		last = sp.to
	}
	b.WriteString(s[last:])
	return b.String()
}

// wrapped writes a replacement as the text it stands for was written: where that was
// percent-encoded or had '+' for spaces, so are the separators of the new one.
func wrapped(text, like string) string {
	if strings.IndexByte(like, '%') < 0 && strings.IndexByte(like, '+') < 0 {
		return text
	}
	space := "%20"
	if strings.IndexByte(like, '+') >= 0 {
		space = "+"
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			b.WriteString(space)
		case c < utf8.RuneSelf:
			b.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

// setApart writes the first digit of a replacement under the escape of the one that it stands for,
// which is depth layers deep: a digit that ends the escape before it would read as one more. The
// escapes of a digit end with it, but for entities, which have an end of their own.
func setApart(text, like string, depth int) string {
	if text == "" || text[0]-'0' > 9 || len(like) < len("%34") {
		return text
	}
	first := like[:len(like)-1] + text[:1]
	view := first
	for range depth {
		if next := unwrap(view, nil); next != "" {
			view = next
		}
	}
	if view != text[:1] {
		return text
	}
	return first + text[1:]
}
