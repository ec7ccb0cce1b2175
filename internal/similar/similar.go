// Package similar finds the name that somebody may have meant who wrote another: "lisen" is most
// like "listen".
package similar

import "slices"

// maxEdits is how many letters may be wrong in a name for another to be suggested.
const maxEdits = 3

// Most returns the known name that is most like one which is not; empty if none is. Of names that
// are equally like it, it is the first in the order of the alphabet.
func Most(name string, known map[string]bool) string {
	s := To(name)
	for other := range known {
		if known[other] {
			s.Try(other)
		}
	}
	return s.best
}

// Search looks for the name that is most like another, among names that come one by one.
type Search struct {
	name, best string
	least      int // a name must be nearer than that, or as near and before in the alphabet
	row        []int
}

// To returns a search for what is most like a name.
func To(name string) *Search { return &Search{name: name, least: min(maxEdits, len(name)/2) + 1} }

// Best returns the name that is most like the one that is looked for; empty if none is.
func (s *Search) Best() string { return s.best }

// Try reports whether a name is more like the one that is looked for than all before.
func (s *Search) Try(other string) bool {
	if d := len(other) - len(s.name); d > s.least || -d > s.least {
		return false // so many letters at least are wrong
	}
	s.row = slices.Grow(s.row[:0], len(other)+1)[:len(other)+1]
	n := distance(s.name, other, s.row)
	if n > s.least || n == s.least && (s.best == "" || other >= s.best) {
		return false
	}
	s.best, s.least = other, n
	return true
}

// distance counts the bytes to be put in, left out or exchanged to make b of a, which is the
// distance of Levenshtein. row has room for one number more than b has bytes.
func distance(a, b string, row []int) int {
	for j := range row { // distances of the prefix of a so far to every prefix of b
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			exchanged := diagonal
			if a[i] != b[j] {
				exchanged++
			}
			diagonal = row[j+1]
			row[j+1] = min(exchanged, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
