// Package similar finds the name that somebody may have meant who wrote another: "lisen" is most
// like "listen".
package similar

import (
	"maps"
	"slices"
)

// maxEdits is how many letters may be wrong in a name for another to be suggested.
const maxEdits = 3

// Most returns the known name that is most like one which is not; empty if none is. Of names that
// are equally like it, it is the first in the order of the alphabet.
func Most(name string, known map[string]bool) string {
	best, least := "", min(maxEdits, len(name)/2)+1
	for _, other := range slices.Sorted(maps.Keys(known)) {
		if n := distance(name, other); known[other] && n < least {
			best, least = other, n
		}
	}
	return best
}

// distance counts the bytes to be put in, left out or exchanged to make b of a, which is the
// distance of Levenshtein.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the prefix of a so far to every prefix of b
	for j := range row {
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
