package words

import (
	"cmp"
	_ "embed"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/wordlist"
)

// vocabularyText has all words by which secrets are told. It explains its lists itself.
//
//go:embed vocabulary.txt
var vocabularyText string

// vocabulary has the lists of the text by their names.
var vocabulary = wordlist.Read(vocabularyText)

// The lists of the vocabulary.
var (
	keywords           = kindsOf("keyword")
	otherAlphabetWords = kindsOf("spelled")
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

// kindsOf returns the words of the lists of a name, with the kind of each list.
func kindsOf(name string) map[string]profile.Sensitivity {
	kinds := map[string]profile.Sensitivity{}
	for suffix, kind := range secretKinds {
		for _, word := range vocabulary[name+" "+suffix] {
			kinds[word] = kind
		}
	}
	return kinds
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
		for _, words := range []map[string]profile.Sensitivity{keywords, otherAlphabetWords} {
			for word, kind := range words {
				if kind != profile.NotSecret && !yield(word, kind) {
					return
				}
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
func IsProse(key string) bool { return proseWords[lastWordOf(key)] }

// isValueKey reports whether a key is that of the value in an object that names something.
func isValueKey(key string) bool {
	is := func(word string) bool { return len(word) == len(key) && strings.EqualFold(word, key) }
	return slices.ContainsFunc(valueKeys, is)
}
