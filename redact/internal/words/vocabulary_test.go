package words

import (
	"slices"
	"strings"
	"testing"
)

// TestVocabulary wants every word once in its list, in lower case.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	for name, list := range vocabulary {
		sorted := slices.Sorted(slices.Values(list))
		if n := len(slices.Compact(sorted)); n < len(list) {
			t.Errorf("list %q has a word twice", name)
		}
		for _, word := range list {
			if word == "" || word != strings.ToLower(word) {
				t.Errorf("list %q has %q: words are in lower case", name, word)
			}
		}
	}
}

// TestNames wants every name once, in lower case and without punctuation, with a source; and every
// word that a list takes for a keyword to be one.
func TestNames(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, n := range names {
		if known[n.word] {
			t.Errorf("%q is named twice", n.word)
		}
		known[n.word] = true
		if n.word == "" || n.word != strings.ToLower(n.word) || n.source == "" {
			t.Errorf("%q: a name is in lower case and has a source", n.word)
		}
		if isASCII(n.word) && strings.Trim(n.word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			t.Errorf("%q: a name has no punctuation", n.word)
		}
	}
	for _, list := range []string{"end", "plural", "card object"} {
		for _, word := range vocabulary[list] {
			if _, ok := keywords[word]; !ok {
				t.Errorf("list %q has %q, which is no keyword", list, word)
			}
		}
	}
}

// TestEveryListIsUsed wants a list for every table, and a table for every list.
func TestEveryListIsUsed(t *testing.T) {
	t.Parallel()
	words := len(fillers) + len(keywordEnds) + len(nameKeys) + len(valueKeys) + len(algorithms)
	for _, set := range []map[string]bool{plurals, ambiguousWords, cardObjects, numberKeys, cardKeys,
		expiryKeys, holderKeys, plainWords, connectives, spokenCredentials, proseWords, countWords,
		commonWords, placeholders} {
		if len(set) == 0 {
			t.Error("a table has no words")
		}
		words += len(set)
	}
	for _, list := range vocabulary {
		words -= len(list)
	}
	if words != 0 {
		t.Errorf("the tables and the lists differ by %d words", words)
	}
}
