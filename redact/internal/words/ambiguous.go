package words

import "strings"

// ambiguousWord returns the ambiguous word that a key ends with, "" if there is none.
func ambiguousWord(key string) string {
	var w words
	if !w.read(key) {
		return ""
	}
	if word := string(w.withoutNumber()); ambiguousWords[word] {
		return word
	}
	if all := string(w.last(w.n)); ambiguousWords[all] {
		return all // of two words: "xKey"
	}
	return ""
}

// Lengths of the shortest value that looks generated, and of the shortest that needs no digit for
// it.
const minGenerated, minLetters = 8, 20

// looksGenerated reports whether a value looks like a session or a signature, rather than like a
// word, a number, a date, an address or the name of an algorithm.
func looksGenerated(value string) bool {
	const numeric = "0123456789.:+-TZ/"
	if len(value) < minGenerated || strings.ContainsAny(value, " \t\r\n{}[]<>\"'") ||
		strings.Contains(value, "://") || strings.Trim(value, numeric) == "" {
		return false
	}
	lower := strings.ToLower(value)
	for _, name := range algorithms {
		if strings.Contains(lower, name) {
			return false
		}
	}
	upper := strings.ToUpper(value)
	mixed := lower != value && upper != value
	return lower != upper && strings.ContainsAny(value, "0123456789") ||
		mixed && len(value) >= minLetters
}
