package main

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/deck"
)

// summary is what a replay came to.
type summary struct {
	deck.Summary
	leftover []string // the unused exchanges by cassette and operation
}

func summarise(s deck.Summary) summary {
	return summary{Summary: s, leftover: grouped(s.Unused)}
}

// print writes the summary for people.
func (s summary) print(a *app) {
	a.print("replayed %s from tape, %s\n", count.Of(s.Hits, "request"), count.Of(s.Misses, "miss"))
	for _, m := range s.Reasons {
		a.print("  missed %d: %s\n", m.Count, m.Reason)
	}
	if s.Marked > 0 {
		var parts []string
		for _, m := range s.Marks {
			parts = append(parts, fmt.Sprintf("%s %d", m.Mark, m.Count))
		}
		a.print("  marked %d: %s\n", s.Marked, strings.Join(parts, ", "))
	}
	if len(s.Unused) > 0 {
		a.print("  unused %d of %s\n", len(s.Unused), count.Of(s.Exchanges, "exchange"))
	}
	for _, line := range s.leftover {
		a.print("    %s\n", printable(line))
	}
}

// log writes the summary for programs.
func (s summary) log(log *slog.Logger) {
	reasons := make([]any, 0, len(s.Reasons))
	for _, m := range s.Reasons {
		reasons = append(reasons, slog.Int64(string(m.Reason), m.Count))
	}
	marks := make([]any, 0, len(s.Marks))
	for _, m := range s.Marks {
		marks = append(marks, slog.Int64(m.Mark, m.Count))
	}
	log.Info("summary", "hits", s.Hits, "misses", s.Misses, slog.Group("reasons", reasons...),
		"marked", s.Marked, slog.Group("marks", marks...), "exchanges", s.Exchanges, "unused", len(s.Unused),
		"unusedExchanges", append([]string{}, s.leftover...))
}

// maxGroups bounds the lines of unused exchanges; operations that no profile knows may have
// a name each.
const maxGroups = 50

// grouped lists exchanges a line for each cassette and operation: "stories refund.do 5, 7-9".
func grouped(xs []match.Recorded) []string {
	type group struct{ cassette, operation string }
	var order []group
	numbers := map[group][]int{}
	for _, x := range xs {
		g := group{x.Cassette, x.Operation}
		if numbers[g] == nil {
			order = append(order, g)
		}
		numbers[g] = append(numbers[g], x.Number)
	}
	var lines []string
	for _, g := range order[:min(maxGroups, len(order))] {
		lines = append(lines, fmt.Sprintf("%s %s %s", g.cassette, g.operation, ranges(numbers[g])))
	}
	if more := len(order) - maxGroups; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more operations", more))
	}
	return lines
}

// maxRanges bounds the numbers in a line.
const maxRanges = 30

// ranges writes numbers with what follows upon each other drawn together: "1, 3-5".
func ranges(ns []int) string {
	ns = slices.Compact(slices.Sorted(slices.Values(ns)))
	var parts []string
	for from := 0; from < len(ns); {
		to := from
		for to+1 < len(ns) && ns[to+1] == ns[to]+1 {
			to++
		}
		part := strconv.Itoa(ns[from])
		if to > from {
			part += "-" + strconv.Itoa(ns[to])
		}
		parts = append(parts, part)
		from = to + 1
	}
	if len(parts) > maxRanges {
		parts = append(parts[:maxRanges], "...")
	}
	return strings.Join(parts, ", ")
}
