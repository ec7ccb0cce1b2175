package words

import (
	"slices"
	"strings"
	"testing"
)

// TestVocabulary wants every word once in its list, in lower case, and every keyword of one kind.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{}
	for name, list := range vocabulary {
		sorted := slices.Sorted(slices.Values(list))
		if n := len(slices.Compact(sorted)); n < len(list) {
			t.Errorf("list %q has a word twice", name)
		}
		for _, word := range list {
			if word == "" || word != strings.ToLower(word) {
				t.Errorf("list %q has %q: words are in lower case", name, word)
			}
			if !strings.HasPrefix(name, "keyword ") {
				continue
			}
			if other, ok := kinds[word]; ok {
				t.Errorf("%q is in the lists %q and %q", word, other, name)
			}
			kinds[word] = name
		}
	}
	for _, end := range slices.Concat(keywordEnds, vocabulary["plural"], vocabulary["card object"]) {
		if kinds[end] == "" {
			t.Errorf("%q is no keyword, and a list of keywords has it", end)
		}
	}
}

// TestEveryListIsUsed wants a list for every table, and a table for every list.
func TestEveryListIsUsed(t *testing.T) {
	t.Parallel()
	words := len(keywords) + len(otherAlphabetWords) + len(fillers) + len(keywordEnds) +
		len(nameKeys) + len(valueKeys) + len(algorithms)
	for _, set := range []map[string]bool{plurals, ambiguousWords, cardObjects, numberKeys, plainWords,
		connectives, spokenCredentials, proseWords, countWords, commonWords, placeholders} {
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
