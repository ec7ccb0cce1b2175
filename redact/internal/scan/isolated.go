package scan

import (
	"strings"
	"unicode/utf8"
)

// lonely returns the end of the ASCII digits at s[i:] if they are too few for a number and no
// group can follow: what stands behind them separates none, or no digit comes behind that. It
// returns 0 otherwise. Most digits of most texts are lonely.
func lonely(s string, i int) int {
	end := i + 1
	for end < len(s) && s[end]-'0' <= 9 {
		end++
	}
	switch {
	case end-i >= MinDigits:
		return 0
	case end == len(s) || !maySeparate[s[end]]:
		return end
	case s[end] != '&' && s[end] < utf8.RuneSelf && end+1 < len(s) &&
		!maySeparate[s[end+1]] && s[end+1]-'0' > 9:
		return end + 1
	}
	return 0
}

// maySeparate are the first bytes of all that may stand between two groups, and of digits of
// other scripts.
var maySeparate = func() (may [256]bool) {
	for c := range may {
		may[c] = c >= utf8.RuneSelf || strings.IndexByte(" -.\t\r\n/_&", byte(c)) >= 0
	}
	return may
}()

// lookOn notes which other spacing goes on behind the run that ends at offset i and has as many
// digits, so far that there may be a number.
func (sc *scanner) lookOn(i, total int) {
	if i >= len(sc.s) || sc.s[i] >= '0' && sc.s[i] < utf8.RuneSelf && sc.s[i] != '_' {
		return // most runs end at a letter or a colon
	}
	sc.dots = sc.dots || total+sc.ahead(i, dotted) >= MinDigits
	sc.gaps = sc.gaps || total+sc.ahead(i, wide) >= MinDigits
}

// ahead counts the digits that stand in groups of a spacing from the gap at s[i] on, as far as
// they matter.
func (sc *scanner) ahead(i int, between spacing) int {
	count := 0
	for count < MinDigits {
		gap := gapAt(sc.s, i, between)
		_, n := digitAt(sc.s, i+gap)
		if gap == 0 || n == 0 {
			break
		}
		for i += gap; n > 0 && count < MinDigits; _, n = digitAt(sc.s, i) {
			i += n
			count++
		}
	}
	return count
}
