package request

import (
	"iter"
	"strings"
)

// Inside yields the offsets at which a name stands in a longer text as a word of its own: "A-1" stands
// in "Order A-1.", and neither in "Order A-12" nor in "A-1".
func Inside(text, name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		if name == "" || len(name) >= len(text) {
			return
		}
		for at := 0; ; at += len(name) {
			next := strings.Index(text[at:], name)
			if next < 0 {
				return
			}
			at += next
			if isWord(text, at, at+len(name)) && !yield(at) {
				return
			}
		}
	}
}

// isWord reports whether neither a letter nor a digit touches text[from:to].
func isWord(text string, from, to int) bool {
	touches := func(c byte) bool { return IsLetter(c) || IsDigit(c) }
	return (from == 0 || !touches(text[from-1])) && (to == len(text) || !touches(text[to]))
}
