package request

import (
	"strings"

	"github.com/paytape/paytape/internal/pan"
)

// maskedPath returns the path of a parameter in which card numbers are keys, with their hidden digits
// starred: "cards.4111111111111111.limit" on the wire and "cards.4111110000121111.limit" on tape are one
// parameter, "cards.411111******1111.limit".
func maskedPath(path string) string {
	if !mayHaveCard(path) {
		return path // nearly always
	}
	for at := 0; at+pan.MinLength <= len(path); at++ {
		if !IsDigit(path[at]) {
			continue
		}
		end := at
		for end < len(path) && IsDigit(path[end]) {
			end++
		}
		if digits := path[at:end]; isCardOrSurrogate(digits) {
			hidden := strings.Repeat("*", pan.Hidden(len(digits)))
			path = path[:at+pan.KeptFirst] + hidden + path[end-pan.KeptLast:]
		}
		at = end
	}
	return path
}

// mayHaveCard reports whether as many digits as the shortest card number has may follow one another: then
// one stands at a multiple of that length.
func mayHaveCard(path string) bool {
	for at := pan.MinLength - 1; at < len(path); at += pan.MinLength {
		if IsDigit(path[at]) {
			return true
		}
	}
	return false
}

func isCardOrSurrogate(digits string) bool {
	if !pan.Issued(digits) {
		return false
	}
	_, surrogate := pan.StandsFor(digits)
	return surrogate || pan.IsCard(digits)
}
