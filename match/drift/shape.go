package drift

import (
	"math"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// What a sandbox makes has a shape that clients rely on: the length of an id, its alphabet, where its
// dashes stand. Two ids differ anyway, so it is the shape that is compared.

// sample are the texts of one variable that a side has shown.
type sample struct{ texts []string }

// maxSample bounds the texts of a sample. More of them tell nothing new.
const maxSample = 64

func (s *sample) add(text string) {
	if text != "" && len(s.texts) < maxSample {
		s.texts = append(s.texts, text)
	}
}

// counter is the number of digits below which a number may be a count of things: 9, then 10.
const counter = 10

// reshaped says how a text of a variable differs in shape from those of an earlier tape; empty if it does
// not. All that the two sides have shown of the variable is looked at. number says that the text is a
// number in JSON, which has no leading zeros: one in ten is shorter by chance.
func reshaped(was, is string, number bool, old, new *sample) string {
	digits := isNumber(was) && isNumber(is)
	counts := digits && len(was) < counter && len(is) < counter && was[0] != '0' && is[0] != '0'
	near := max(len(was), len(is))-min(len(was), len(is)) <= 1
	switch {
	case digits && number && (near || counts):
	case counts && !(old.fixed() && len(is) < len(was)):
	case !old.hasLength(len(is)) && !old.varies():
		return "length"
	}
	switch {
	case len(was) == len(is) && marksOf(was) != marksOf(is) && !old.hasMarks(is):
		return "punctuation"
	case prefixOf(was) != prefixOf(is) && !old.hasPrefix(prefixOf(is)):
		return "prefix"
	}
	return alphabetChange(old, new)
}

// varies reports whether texts of a sample have several lengths.
func (s *sample) varies() bool {
	for _, t := range s.texts {
		if len(t) != len(s.texts[0]) {
			return true
		}
	}
	return false
}

// fixed reports whether a sample is large enough to say that all its numbers have one length.
func (s *sample) fixed() bool {
	const few, short = 3, 4
	different := map[string]bool{}
	for _, t := range s.texts {
		if len(t) != len(s.texts[0]) {
			return false
		}
		different[t] = true
	}
	return len(different) >= few && len(s.texts[0]) >= short
}

// hasLength reports whether some text has a length.
func (s *sample) hasLength(n int) bool {
	for _, t := range s.texts {
		if len(t) == n {
			return true
		}
	}
	return false
}

func (s *sample) hasMarks(text string) bool {
	for _, t := range s.texts {
		if marksOf(t) == marksOf(text) {
			return true
		}
	}
	return false
}

func (s *sample) hasPrefix(prefix string) bool {
	for _, t := range s.texts {
		if prefixOf(t) == prefix {
			return true
		}
	}
	return false
}

// marksOf returns a text with its letters and digits alike: what is left are its dashes and dots.
func marksOf(text string) string {
	return strings.Map(func(r rune) rune {
		if class(r) < others {
			return 'x'
		}
		return r
	}, text)
}

// prefixOf returns the letters before the first '_', which name the kind of a thing: "pay_8f3k" has
// "pay".
func prefixOf(text string) string {
	before, _, found := strings.Cut(text, "_")
	if !found || strings.Trim(before, letters) != "" {
		return ""
	}
	return before
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// The classes of characters of an alphabet.
const (
	digits = iota
	lowerHex
	lower
	upperHex
	upper
	others
)

var classNames = [others]string{"digits", "letters", "letters", "capitals", "capitals"}

func class(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return digits
	case r >= 'a' && r <= 'f':
		return lowerHex
	case r >= 'g' && r <= 'z':
		return lower
	case r >= 'A' && r <= 'F':
		return upperHex
	case r >= 'G' && r <= 'Z':
		return upper
	}
	return others
}

// chance is how unlikely it must be that two samples of one alphabet differ as they do.
const chance = 1e-3

// alphabetChange says which class of characters one sample has and the other lacks, if that is no
// chance. With n characters in one sample and m in the other, all k characters of a class stand in the
// same sample, out of n, with a chance of (n/(n+m))^k if both samples are of one alphabet. For example
// of two UUIDs, 32 digits each, one has 12 letters and the other none: 2^-12.
func alphabetChange(old, new *sample) string {
	was, is := old.count(), new.count()
	total := func(c [others]int) (n float64) {
		for _, k := range c {
			n += float64(k)
		}
		return n
	}
	n, m := total(was), total(is)
	if n == 0 || m == 0 {
		return ""
	}
	for c := range others {
		switch {
		case was[c] > 0 && is[c] == 0 && math.Pow(n/(n+m), float64(was[c])) < chance:
			return "alphabet: no " + classNames[c]
		case was[c] == 0 && is[c] > 0 && math.Pow(m/(n+m), float64(is[c])) < chance:
			return "alphabet: " + classNames[c]
		}
	}
	return ""
}

// count counts the characters of a sample by class.
func (s *sample) count() (by [others]int) {
	for _, t := range s.texts {
		for _, r := range t {
			if c := class(r); c < others {
				by[c]++
			}
		}
	}
	return by
}

// writing returns how a date or a mask is written: its digits, words and fraction are all alike.
func writing(text string) string {
	var b strings.Builder
	last := rune(0)
	fraction := false
	for i, r := range text {
		fraction = r == '.' && strings.ContainsRune(text[:i], ':') || fraction && class(r) == digits
		switch c := class(r); {
		case fraction:
			continue // its length depends on the time
		case c == digits:
			r = '9'
		case c < others:
			r = 'a'
		}
		if r == 'a' && last == 'a' || r == '*' && last == '*' {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// dateIn returns the form of a text that is a date as a whole, and how many days it lies from a time.
func dateIn(text string, at time.Time) (f profile.Form, days int, ok bool) {
	if at.IsZero() || text == "" {
		return 0, 0, false
	}
	forms := []profile.Form{profile.Stamp} // with a blank inside it is found by nobody
	for _, s := range dates.Find(text) {
		if s.From == 0 && s.To == len(text) {
			forms = append(forms, s.Form)
		}
	}
	for _, f := range forms {
		if t, ok := dates.Parse(f, text, at.Location()); ok && dates.Plausible(t, at) {
			return f, dates.Days(at, t.In(at.Location())), true
		}
	}
	return 0, 0, false
}

// sameTerm reports whether two texts are dates of one form that lie as many days from their exchanges.
func sameTerm(was, is string, wasAt, isAt time.Time) bool {
	f, m, ok := dateIn(was, wasAt)
	g, n, also := dateIn(is, isAt)
	return ok && also && f == g && m-n <= 1 && n-m <= 1 && writing(was) == writing(is)
}
