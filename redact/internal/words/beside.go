package words

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/surrogate"
)

// Beside is what a key names where its object is a card: "number" and "sc" in
//
//	{"number":"4111...", "expiry":"12/30", "sc":"739"}
//
// The zero Beside is none.
type Beside struct {
	Name
	where where
}

// besideCardOf returns the words that count beside a card alone.
func besideCardOf(names []named) map[string]Beside {
	list := map[string]Beside{}
	for _, n := range names {
		if n.where >= besideNumber {
			list[n.word] = Beside{Name{n.kind, n.word, true}, n.where}
		}
	}
	return list
}

// besideOf returns what a key names beside a card. The word is all of the key, or stands behind what
// says card: "card[sc]".
func besideOf(key string) Beside {
	if !besideEndings.mayEnd(key) || len(key) > longestKeyword {
		return Beside{}
	}
	var w words
	w.split(key)
	for k := 1; k <= w.n; k++ {
		got, known := besideCard[string(w.last(k))]
		before := w.buf[:w.end[w.n-k]]
		if known && (len(before) == 0 || cardKeys[string(before)]) {
			return got
		}
	}
	return Beside{}
}

// Beside returns what a key names beside a card, if a value can be that.
func (h *Hint) Beside(value string) Beside {
	if h.beside.Kind == profile.NotSecret || !h.beside.fits(value) {
		return Beside{}
	}
	return h.beside
}

// Evidence tells what an object has of a card.
type Evidence uint8

const (
	hasNumber Evidence = 1 << iota
	hasExpiry
	hasHolder
	hasCVC
	hasCardKey // the key of the object says card
)

// EvidenceOf returns what a member of an object tells of it.
func EvidenceOf(key, value string) Evidence {
	switch n := NameOf(key); {
	case n.Kind == profile.CVC && n.fits(value):
		return hasCVC
	case n.Kind == profile.PAN && isNumber(value):
		return hasNumber
	case n.Kind != profile.NotSecret:
		return 0
	}
	if b := besideOf(key); b.Kind == profile.PAN && b.fits(value) {
		return hasNumber
	}
	var w words
	w.split(key[max(0, len(key)-longestKeyword):])
	for k := min(w.n, 3); k >= 1; k-- {
		switch word := w.last(k); {
		case expiryKeys[string(word)]:
			return hasExpiry
		case holderKeys[string(word)]:
			return hasHolder
		}
	}
	return 0
}

// isNumber reports whether a value is a whole card number, or what stands for it on a tape.
func isNumber(value string) bool {
	return hasShape(profile.PAN, value) || strings.HasPrefix(value, surrogate.Prefix)
}

// EvidenceOfObject returns what the key of an object tells of it.
func EvidenceOfObject(key string) Evidence {
	var w words
	w.split(key[max(0, len(key)-longestKeyword):])
	if w.n > 0 && cardKeys[string(w.last(w.n))] {
		return hasCardKey
	}
	return 0
}

// Counts reports whether the name counts in an object with such evidence. A number beside a number is
// no evidence of itself.
func (b Beside) Counts(e Evidence) bool {
	switch {
	case b.Kind == profile.PAN:
		return e&(hasExpiry|hasHolder|hasCVC|hasCardKey) != 0
	case b.where == besideNumber:
		return e&(hasNumber|hasCardKey) != 0
	}
	return e&hasNumber != 0 && e&hasExpiry != 0
}

// Numbered cuts the number off the end of a key: "card2" is "card" and 2. The stem is empty for a key
// without a number of one digit.
func Numbered(key string) (stem string, n int) {
	last := len(key) - 1
	if last < 1 || key[last]-'0' > 9 || key[last-1]-'0' <= 9 {
		return "", 0
	}
	return key[:last], int(key[last] - '0')
}

// NamesNumber reports whether a key names a card number: anywhere, or beside a card.
func NamesNumber(key string) bool {
	return KindOf(key) == profile.PAN || besideOf(key).Kind == profile.PAN
}
