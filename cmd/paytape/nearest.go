package main

import (
	"maps"
	"slices"
)

// maxSlips is how many letters may be wrong in a name for another to be suggested.
const maxSlips = 3

// nearest returns the known name that is most like one which is not; empty if none is.
func nearest(name string, known map[string]bool) string {
	best, least := "", min(maxSlips, len(name)/2)+1
	for _, other := range slices.Sorted(maps.Keys(known)) {
		if n := slips(name, other); known[other] && n < least {
			best, least = other, n
		}
	}
	return best
}

// slips counts the bytes to be put in, left out or exchanged to make b of a, which is the
// distance of Levenshtein.
func slips(a, b string) int {
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
