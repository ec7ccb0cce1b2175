package profile

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Phrase is words with references: "declined[: ${actionCode|actionCodeDescription}]". A reference
// stands for what is found under one of its names, the first that has anything. What stands in
// brackets is left out where a reference in it stands for nothing.
type Phrase []phrasePart

// phrasePart is a stretch of a phrase: text, a reference, or a part that may be left out.
type phrasePart struct {
	text  string
	names []string // of a reference; nil: it is none
	inner Phrase   // in brackets; nil: it is none
}

// Fill returns the words. find returns what a name stands for, and nothing for nothing. It reports
// false if a reference outside of brackets stands for nothing.
func (p Phrase) Fill(find func(name string) string) (words string, ok bool) {
	var b strings.Builder
	for _, part := range p {
		switch {
		case part.inner != nil:
			if inner, ok := part.inner.Fill(find); ok {
				b.WriteString(inner)
			}
		case part.names == nil:
			b.WriteString(part.text)
		default:
			found := part.find(find)
			if found == "" {
				return "", false
			}
			b.WriteString(found)
		}
	}
	return b.String(), true
}

func (part *phrasePart) find(find func(name string) string) string {
	for _, name := range part.names {
		if found := find(name); found != "" {
			return found
		}
	}
	return ""
}

// String returns the phrase as it is written.
func (p Phrase) String() string {
	var b strings.Builder
	for _, part := range p {
		switch {
		case part.inner != nil:
			b.WriteString("[" + part.inner.String() + "]")
		case part.names != nil:
			b.WriteString("${" + strings.Join(part.names, "|") + "}")
		default:
			b.WriteString(part.text)
		}
	}
	return b.String()
}

// phraseInto returns a reader that stores a phrase.
func phraseInto(out *Phrase) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		var s string
		if err := textInto(&s)(p, n); err != nil {
			return err
		}
		phrase, rest, ok := parsePhrase(s, false)
		if !ok || rest != "" || len(phrase) == 0 || strings.ContainsFunc(s, isControl) {
			return p.expected(n, `words such as "declined[: ${reason|message}]"`)
		}
		*out = phrase
		return nil
	}
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// parsePhrase reads a phrase to its end, or to the bracket that closes it.
func parsePhrase(s string, inner bool) (p Phrase, rest string, ok bool) {
	for s != "" {
		i := strings.IndexAny(s, "[]$")
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			p = append(p, phrasePart{text: s[:i]})
			s = s[i:]
			continue
		}
		switch {
		case s[0] == ']':
			return p, s[1:], inner && len(p) > 0
		case s[0] == '[' && !inner:
			part, after, ok := parsePhrase(s[1:], true)
			if !ok {
				return nil, "", false
			}
			p, s = append(p, phrasePart{inner: part}), after
		case strings.HasPrefix(s, "${"):
			reference, after, closed := strings.Cut(s[2:], "}")
			names := strings.Split(reference, "|")
			for _, name := range names {
				closed = closed && name != "" && !strings.ContainsAny(name, "${[]")
			}
			if !closed {
				return nil, "", false
			}
			p, s = append(p, phrasePart{names: names}), after
		default:
			return nil, "", false
		}
	}
	return p, "", !inner
}
