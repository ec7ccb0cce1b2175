package scan

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
)

// groupedAsPrinted reports whether groups are laid out as card numbers are printed: as one group,
// in groups of equal length of four or more with a shorter last group, or as American Express and
// Diners Club do. Smaller groups are too common in lists of other numbers.
func groupedAsPrinted(groups []group) bool {
	last := len(groups) - 1
	if last == 0 {
		return true
	}
	if last == 2 && groups[0].n == 4 && groups[1].n == 6 {
		return groups[2].n == 5 || groups[2].n == 4
	}
	size := groups[0].n
	for _, g := range groups[:last] {
		if g.n != size {
			return false
		}
	}
	return size >= 4 && groups[last].n <= size
}

// groupedAsEmbossed reports whether groups are laid out as on a card: in fours, or as American
// Express and Diners Club do.
func groupedAsEmbossed(groups []group) bool {
	n := len(groups)
	if n == 3 {
		return groups[0].n == 4 && groupedAsPrinted(groups)
	}
	for _, g := range groups[:min(n, 4)] { // four of four, and the rest of 19 digits
		if g.n != 4 {
			return false
		}
	}
	return n == 4 || n == 5 && groups[4].n == 3
}

// behindDecimalPoint reports whether the digits at s[i:] follow a decimal point: a dot behind a
// whole part that is no card number. Among dots only a dot behind a lone zero is sure to be a
// decimal point.
func behindDecimalPoint(s string, i int, between spacing) bool {
	if i < 2 || s[i-1] != '.' || s[i-2]-'0' > 9 {
		return false
	}
	if between == dotted {
		return s[i-2] == '0' && (i == 2 || s[i-3]-'0' > 9)
	}
	whole := i - 1
	for whole > 0 && i-whole <= pan.MinLength && s[whole-1]-'0' <= 9 {
		whole--
	}
	return i-1-whole < pan.MinLength
}

// IsDecimals reports whether the digits at s[i:] follow a decimal point, as in the text of a
// number.
func IsDecimals(s string, i int) bool { return behindDecimalPoint(s, i, tight) }

// The forms of an identifier in hex, with and without dashes. Order and binding ids have
// them (domain facts, Identifiers), and about one in three thousand holds a run that would
// pass for a card. The plain form is told by its digits of version and variant (RFC 9562).
const (
	dashedLength = 36
	plainLength  = 32
	plainVersion = 12
	plainVariant = 16
)

// inHexID reports whether the bytes [from, to) of s overlap an identifier in hex.
func inHexID(s string, from, to int) bool {
	for at := max(0, from-dashedLength+1); at < to; at++ {
		if at > 0 && IsAlphanumeric(s[at-1]) {
			continue
		}
		if isDashedID(s[at:]) {
			return true
		}
		// Without dashes a track in hex may have the same look: it begins with the number,
		// and a D or the padding F follows.
		track := at == from && to < len(s) && strings.IndexByte("DdFf", s[to]) >= 0
		if at <= from && to <= at+plainLength && !track && isPlainID(s[at:]) {
			return true
		}
	}
	return false
}

// isDashedID reports whether s begins with an identifier in hex with dashes.
func isDashedID(s string) bool {
	return len(s) >= dashedLength && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		isHexID(s, dashedLength)
}

// isPlainID reports whether s begins with an identifier in hex without dashes.
func isPlainID(s string) bool {
	if !isHexID(s, plainLength) {
		return false
	}
	version, variant := leaf.Hex(s[plainVersion]), leaf.Hex(s[plainVariant])
	return version >= 1 && version <= 8 && variant >= 8 && variant <= 11
}

// isHexID reports whether s begins with n hex digits, or dashes where an identifier of that length
// has dashes, and no letter or digit follows.
func isHexID(s string, n int) bool {
	if len(s) < n || len(s) > n && IsAlphanumeric(s[n]) {
		return false
	}
	for i := range n {
		dash := n == dashedLength && (i == 8 || i == 13 || i == 18 || i == 23)
		if !dash && leaf.Hex(s[i]) < 0 {
			return false
		}
	}
	return true
}

// AsPrinted reports whether groups of so many digits are laid out as card numbers are printed.
func AsPrinted(sizes []int) bool {
	groups := make([]group, len(sizes))
	for i, n := range sizes {
		groups[i].n = n
	}
	return groupedAsPrinted(groups)
}
