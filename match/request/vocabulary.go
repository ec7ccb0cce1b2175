package request

import (
	_ "embed"

	"github.com/paytape/paytape/internal/wordlist"
)

// vocabularyText has the words by which names are understood. It explains its lists itself.
//
//go:embed vocabulary.txt
var vocabularyText string

var vocabulary = wordlist.Read(vocabularyText)

// Words returns a list of the vocabulary, in lower case.
func Words(list string) []string { return vocabulary[list] }

var idNames = Words("id")
