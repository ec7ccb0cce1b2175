package words

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/wordlist"
)

// vocabularyText has what goes with the words by which secrets are told. It explains its lists
// itself.
//
//go:embed vocabulary.txt
var vocabularyText string

// namesText has the words by which secrets are told, with a source for each. It explains its columns
// itself.
//
//go:embed names.csv
var namesText string

// vocabulary has the lists of the text by their names.
var vocabulary = wordlist.Read(vocabularyText)

// The lists of the vocabulary.
var (
	names              = readNames(namesText)
	keywords           = keywordsOf(names)
	otherAlphabetWords = otherAlphabetOf(names)
	besideCard         = besideCardOf(names)
	longestFirst       = slices.SortedFunc(maps.Keys(otherAlphabetWords), byLength)
	fillers            = fillersOf()
	keywordEnds        = vocabulary["end"]
	nameKeys           = vocabulary["name key"]
	valueKeys          = vocabulary["value key"]
	algorithms         = vocabulary["algorithm"]
	plurals            = setOf("plural")
	ambiguousWords     = setOf("ambiguous")
	cardObjects        = setOf("card object")
	numberKeys         = setOf("number key")
	cardKeys           = setOf("card key")
	expiryKeys         = setOf("expiry key")
	holderKeys         = setOf("holder key")
	plainWords         = setOf("plain")
	connectives        = setOf("connective")
	spokenCredentials  = setOf("spoken")
	proseWords         = setOf("prose")
	countWords         = setOf("count")
	commonWords        = setOf("common")
	placeholders       = setOf("placeholder")
)

// byLength orders words, the longest first.
func byLength(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range vocabulary[list] {
		set[word] = true
	}
	return set
}

// secretKinds are the kinds of secret that words name. Words of no kind name nothing, whatever
// they end with.
var secretKinds = map[string]profile.Sensitivity{
	"pan": profile.PAN, "cvc": profile.CVC, "pin": profile.PIN, "track": profile.Track,
	"token": profile.Token, "key": profile.Key, "none": profile.NotSecret,
}

// where says in which places a word names a secret, the widest first.
type where uint8

const (
	anywhere     where = iota
	byShape            // where the value has the shape of what is named
	besideNumber       // so too, and a card number stands in the same object
	inCard             // so too, and the object is a card
)

// wheres are the places by their names in the table.
var wheres = map[string]where{
	"any": anywhere, "shape": byShape, "number": besideNumber, "card": inCard,
}

// named is a row of the table of names.
type named struct {
	word, source string
	kind         profile.Sensitivity
	where        where
}

// readNames reads the table of names, which is a part of the program: if it cannot be read, nothing
// works.
func readNames(text string) []named {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic("the table of names: " + err.Error())
	}
	var list []named
	for _, row := range rows[1:] {
		kind, known := secretKinds[row[1]]
		place, there := wheres[row[2]]
		if !known || !there {
			panic("the table of names: the row of " + row[0])
		}
		list = append(list, named{row[0], row[3], kind, place})
	}
	return list
}

// keyword is what a word names wherever it stands.
type keyword struct {
	kind   profile.Sensitivity
	shaped bool // only where the value has the shape of it
}

func keywordsOf(names []named) map[string]keyword {
	list := map[string]keyword{}
	for _, n := range names {
		if n.where <= byShape && isASCII(n.word) {
			list[n.word] = keyword{n.kind, n.where == byShape}
		}
	}
	return list
}

// otherAlphabetOf returns the words that end keys in another alphabet.
func otherAlphabetOf(names []named) map[string]profile.Sensitivity {
	list := map[string]profile.Sensitivity{}
	for _, n := range names {
		if !isASCII(n.word) {
			list[n.word] = n.kind
		}
	}
	return list
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// fillersOf returns the fillers, each with the kinds that it may follow.
func fillersOf() map[string]string {
	fillers := map[string]string{}
	for name, list := range vocabulary {
		if kinds, ok := strings.CutPrefix(name, "filler "); ok {
			for _, word := range list {
				fillers[word] = kinds
			}
		}
	}
	return fillers
}

// All yields the words that name secrets, with the kind that each names.
func All() iter.Seq2[string, profile.Sensitivity] {
	return func(yield func(string, profile.Sensitivity) bool) {
		for _, n := range names {
			if n.kind != profile.NotSecret && !yield(n.word, n.kind) {
				return
			}
		}
		for word := range ambiguousWords {
			if !yield(word, profile.Token) {
				return
			}
		}
	}
}

// NamesCard reports whether a keyword of card numbers names a card with all that it has, where it
// is the key of an object.
func NamesCard(word string) bool { return cardObjects[word] }

// IsNumberKey reports whether a key of such an object is that of the number.
func IsNumberKey(key string) bool { return key == "" || numberKeys[strings.ToLower(key)] }

// IsPlain reports whether a value is a word that stands where a token would and is none.
func IsPlain(value string) bool { return plainWords[strings.ToLower(value)] }

// IsCommon reports whether a value is a word that APIs say, even if it is somebody's password.
func IsCommon(value string) bool { return commonWords[strings.ToLower(value)] }

// IsPlaceholder reports whether a value is a word that people write in place of a secret.
func IsPlaceholder(value string) bool { return placeholders[strings.ToLower(value)] }

// IsSetting reports whether a field for one-time passwords says how they travel: otp=sms.
func IsSetting(key, value string) bool { return plainWords[value] && lastWordOf(key) == "otp" }

// IsProse reports whether a key names a text for people.
func IsProse(key string) bool {
	var w words
	w.split(key[max(0, len(key)-longestKeyword):])
	return w.n > 0 && proseWords[string(w.last(1))]
}

// isValueKey reports whether a key is that of the value in an object that names something.
func isValueKey(key string) bool {
	is := func(word string) bool { return len(word) == len(key) && strings.EqualFold(word, key) }
	return slices.ContainsFunc(valueKeys, is)
}
