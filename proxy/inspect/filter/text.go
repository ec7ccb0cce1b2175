package filter

import "strings"

// pattern is a value as it is looked for in texts. Letters from a to z are found in any case.
type pattern struct {
	parts []string // between the "*", in small letters
	whole bool     // the text is all of it; else the pattern is somewhere inside
	words bool     // no letter or digit of the text goes on where the pattern begins or ends
}

// newWords returns the pattern of the value of a key: words of a text or, with "*", all of it.
func newWords(value string) pattern {
	parts := strings.Split(lower(value), "*")
	return pattern{parts: parts, whole: len(parts) > 1, words: true}
}

// newPiece returns the pattern of something that stands anywhere in a text.
func newPiece(value string) pattern { return pattern{parts: strings.Split(lower(value), "*")} }

// in reports whether the pattern is found in a text.
func (p pattern) in(text string) bool {
	switch {
	case text == "":
		return false
	case p.whole:
		return p.is(text)
	case p.words:
		return p.asWords(text)
	}
	return p.inside(text)
}

// inAny reports whether the pattern is found in one of some texts.
func (p pattern) inAny(texts ...string) bool {
	for _, text := range texts {
		if p.in(text) {
			return true
		}
	}
	return false
}

// is reports whether the pattern is all of a text. The first part begins the text and the last part
// ends it; of the others each is best found as early as it can be.
func (p pattern) is(text string) bool {
	first, last := p.parts[0], p.parts[len(p.parts)-1]
	if len(text) < len(first)+len(last) || !equalFold(text[:len(first)], first) ||
		!equalFold(text[len(text)-len(last):], last) {
		return false
	}
	return pattern{parts: p.parts[1 : len(p.parts)-1]}.inside(text[len(first) : len(text)-len(last)])
}

// inside reports whether the parts follow one another somewhere in a text.
func (p pattern) inside(text string) bool {
	for _, part := range p.parts {
		at := indexFold(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// asWords reports whether the only part stands in a text as whole words.
func (p pattern) asWords(text string) bool {
	part := p.parts[0]
	for from := 0; ; {
		at := indexFold(text[from:], part)
		if at < 0 {
			return false
		}
		at += from
		if boundary(text, at) && boundary(text, at+len(part)) {
			return true
		}
		from = at + 1
	}
}

// boundary reports whether no word goes on across a place of a text.
func boundary(text string, at int) bool {
	return at == 0 || at == len(text) || !inWord(text[at-1]) || !inWord(text[at])
}

// inWord reports whether a byte is part of a word. What is not ASCII is.
func inWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// lower returns a text with the letters from A to Z in their small form. Others keep theirs, so that
// no text changes its length.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// lowerByte does to a byte what lower does to a text.
func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// equalFold reports whether a text is one in small letters, in any case.
func equalFold(text, small string) bool {
	if len(text) != len(small) {
		return false
	}
	for i := range len(small) {
		if lowerByte(text[i]) != small[i] {
			return false
		}
	}
	return true
}

// indexFold returns where a text in small letters begins in another, in any case; -1: nowhere.
func indexFold(text, small string) int {
	if small == "" {
		return 0
	}
	for at := 0; at+len(small) <= len(text); at++ {
		if lowerByte(text[at]) == small[0] && equalFold(text[at:at+len(small)], small) {
			return at
		}
	}
	return -1
}
