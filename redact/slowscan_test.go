package redact

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/paytape/paytape/internal/pan"
)

// slowScan is scan as its comment says it, one rune after the other and every choice tried.
func slowScan(s string, dots bool) []string {
	runs := slowRuns(s, dots)
	var out []string
	for _, run := range runs {
		used := make([]bool, len(run))
		some := false
		for i := range run {
			for j := i; j < len(run); j++ {
				digits, ok := slowJoin(run, i, j, used)
				if !ok || !slowPrinted(run[i:j+1]) || !slowCard(s, run[i].at, run[j].end, digits) {
					continue
				}
				for k := i; k <= j; k++ {
					used[k] = true
				}
				out, some = append(out, digits), true
			}
		}
		if digits, ok := slowJoin(run, 0, len(run)-1, used); ok && !some && len(run) > 1 {
			if slowCard(s, run[0].at, run[len(run)-1].end, digits) {
				out = append(out, digits)
			}
		}
	}
	return out
}

type slowGroup struct {
	digits  string
	at, end int
	bad     bool
}

func slowRuns(s string, dots bool) [][]slowGroup {
	var runs [][]slowGroup
	var run []slowGroup
	runes, offsets := []rune(nil), []int(nil)
	for i, r := range s {
		runes, offsets = append(runes, r), append(offsets, i)
	}
	offsets = append(offsets, len(s))
	separates := func(r rune) bool {
		const all = " -\u00a0\u2007\u2009\u202f\u2010\u2011\u2012\u2013\u2212"
		return strings.ContainsRune(all, r) || r == '.' && dots
	}
	for i := 0; i < len(runes); i++ {
		if !unicode.IsDigit(runes[i]) {
			continue
		}
		g := slowGroup{at: offsets[i]}
		before := s[:g.at]
		g.bad = !dots && regexp.MustCompile(`[0-9]\.$`).MatchString(before) ||
			regexp.MustCompile(`(^|[^0-9])0\.$`).MatchString(before)
		for i < len(runes) && unicode.IsDigit(runes[i]) {
			zero := runes[i]
			for unicode.IsDigit(zero-1) && runes[i]-zero < 9 && slowSameTen(zero-1, runes[i]) {
				zero--
			}
			g.digits += string('0' + runes[i] - zero)
			i++
		}
		g.end = offsets[i]
		run = append(run, g)
		if i+1 < len(runes) && separates(runes[i]) && unicode.IsDigit(runes[i+1]) {
			continue // the loop steps over the separator
		}
		runs, run = append(runs, run), nil
		i--
	}
	return runs
}

// slowSameTen reports whether two digits belong to the same zero to nine. Scripts begin at a
// code that ends in 0 or 6, but for the mathematical digits, which begin at U+1D7CE.
func slowSameTen(a, b rune) bool {
	zero := func(r rune) rune {
		if r >= 0x1d7ce && r <= 0x1d7ff {
			return (r - 0x1d7ce) / 10
		}
		if r%16 >= 6 && unicode.IsDigit(r-r%16+15) && !unicode.IsDigit(r-r%16+5) {
			return r - r%16 + 6
		}
		return r - r%16
	}
	return zero(a) == zero(b)
}

func slowJoin(run []slowGroup, i, j int, used []bool) (string, bool) {
	digits := ""
	for k := i; k <= j; k++ {
		if used[k] || run[k].bad {
			return "", false
		}
		digits += run[k].digits
	}
	return digits, len(digits) <= pan.MaxLength
}

func slowPrinted(groups []slowGroup) bool {
	lengths := ""
	for _, g := range groups {
		lengths += string(rune('a' + len(g.digits)))
	}
	n := len(groups) - 1
	first := lengths[:1]
	equal := strings.Count(lengths[:n], first) == n && first >= "e" && lengths[n:] <= first
	return n == 0 || equal || lengths == "egf" || lengths == "ege"
}

func slowCard(s string, from, to int, digits string) bool {
	if !pan.IsCard(digits) || len(digits) == 13 && digits[0] == '1' {
		return false
	}
	hex := regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|` +
		`[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}`)
	for at := range s {
		loc := hex.FindStringIndex(s[at:])
		if loc == nil || loc[0] != 0 || at > 0 && alphanumeric(s[at-1]) {
			continue
		}
		end := at + loc[1]
		if end < len(s) && alphanumeric(s[end]) {
			continue
		}
		track := from == at && regexp.MustCompile(`^[DdFf]`).MatchString(s[to:])
		if loc[1] == 36 && at < to && from < end ||
			loc[1] == 32 && at <= from && to <= end && !track {
			return false
		}
	}
	return true
}
