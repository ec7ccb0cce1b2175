package scan

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/paytape/paytape/internal/pan"
)

// What may stand between groups, by spacing.
const (
	slowNarrow = `(?:[ \-\x{a0}\x{ad}\x{2007}\x{2009}\x{200b}\x{202f}\x{2010}-\x{2013}\x{2060}\x{2212}]|&nbsp;)`
	slowDotted = `\.`
	slowWide   = `(?:` + slowNarrow + `|[\t\r\n/_]){1,3}`
)

// slowScan is scan as its comment says it, one rune after the other and every choice tried.
func slowScan(s string, text bool) []slowFind {
	found := slowPass(s, slowNarrow)
	if text {
		found = append(found, slowPass(s, slowDotted)...)
		found = append(found, slowPass(s, slowWide)...)
	}
	return inOrder(found)
}

// slowFind is a number and where it was found.
type slowFind struct {
	At, End int
	Digits  string
}

// inOrder sorts finds and leaves each in once.
func inOrder(found []slowFind) []slowFind {
	slices.SortFunc(found, func(a, b slowFind) int { return cmp.Or(a.At-b.At, a.End-b.End) })
	return slices.Compact(found)
}

func slowPass(s, between string) []slowFind {
	var out []slowFind
	for _, run := range slowRuns(s, between) {
		used := make([]bool, len(run))
		some := false
		for i := range run {
			for j := i; j < len(run); j++ {
				f, ok := slowJoin(run, i, j, used)
				if !ok || !slowLaidOut(s, between, run, i, j) || !slowCard(s, f) {
					continue
				}
				for k := i; k <= j; k++ {
					used[k] = true
				}
				out, some = append(out, f), true
			}
		}
		whole, ok := slowJoin(run, 0, len(run)-1, used)
		if ok && !some && len(run) > 1 && between == slowNarrow &&
			!slowDecimal(s, run[0].at) && slowCard(s, whole) {
			out = append(out, whole)
		}
	}
	return out
}

type slowGroup struct {
	digits  string
	at, end int
	gap     string // before it
}

func slowRuns(s, between string) [][]slowGroup {
	joins := regexp.MustCompile(`^` + between + `$`)
	var runs [][]slowGroup
	end := -1
	for _, loc := range regexp.MustCompile(`\p{Nd}+`).FindAllStringIndex(s, -1) {
		g := slowGroup{digits: slowDigits(s[loc[0]:loc[1]]), at: loc[0], end: loc[1]}
		if end >= 0 && joins.MatchString(s[end:g.at]) {
			g.gap = s[end:g.at]
			runs[len(runs)-1] = append(runs[len(runs)-1], g)
		} else {
			runs = append(runs, []slowGroup{g})
		}
		end = g.end
	}
	return runs
}

func slowDigits(s string) string {
	out := ""
	for _, r := range s {
		zero := r
		for unicode.IsDigit(zero-1) && r-zero < 9 && slowSameTen(zero-1, r) {
			zero--
		}
		out += string('0' + r - zero)
	}
	return out
}

// slowDecimal reports whether a decimal point stands before s[at:].
func slowDecimal(s string, at int) bool {
	return regexp.MustCompile(`(^|[^0-9])[0-9]{1,12}\.$`).MatchString(s[:at])
}

func slowLaidOut(s, between string, run []slowGroup, i, j int) bool {
	lengths := slowLengths(run[i : j+1])
	decimal := slowDecimal(s, run[i].at)
	switch between {
	case slowNarrow:
		return slowPrinted(lengths) && (i < j || !decimal)
	case slowDotted:
		pair := len(run) == 2 && i == 1 && len(run[0].digits) < 13
		zero := regexp.MustCompile(`(^|[^0-9])0\.$`).MatchString(s[:run[i].at])
		return slowPrinted(lengths) && (j-i >= 2 || i == j && decimal && !pair && !zero)
	}
	gap := run[min(i+1, j)].gap
	list := i > 0 && len(run[i-1].digits) == len(run[i].digits) && run[i].gap == gap ||
		j+1 < len(run) && len(run[j+1].digits) == len(run[j].digits) && run[j+1].gap == gap
	return slices.Contains([]string{"eeee", "eeeed", "egf", "ege"}, lengths) && !list
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

func slowJoin(run []slowGroup, i, j int, used []bool) (slowFind, bool) {
	f := slowFind{At: run[i].at, End: run[j].end}
	for k := i; k <= j; k++ {
		if used[k] {
			return f, false
		}
		f.Digits += run[k].digits
	}
	return f, len(f.Digits) <= pan.MaxLength
}

// slowLengths writes the lengths of groups as letters: "e" is a group of four.
func slowLengths(groups []slowGroup) string {
	lengths := ""
	for _, g := range groups {
		lengths += string(rune('a' + len(g.digits)))
	}
	return lengths
}

func slowPrinted(lengths string) bool {
	n := len(lengths) - 1
	first := lengths[:1]
	equal := strings.Count(lengths[:n], first) == n && first >= "e" && lengths[n:] <= first
	return n == 0 || equal || lengths == "egf" || lengths == "ege"
}

func slowCard(s string, f slowFind) bool {
	from, to, digits := f.At, f.End, f.Digits
	if !pan.IsCard(digits) || len(digits) == 13 && digits[0] == '1' {
		return false
	}
	hex := regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|` +
		`[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}`)
	for at := range s {
		loc := hex.FindStringIndex(s[at:])
		if loc == nil || loc[0] != 0 || at > 0 && IsAlphanumeric(s[at-1]) {
			continue
		}
		end := at + loc[1]
		if end < len(s) && IsAlphanumeric(s[end]) {
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
