package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

// summary is what a replay came to.
type summary struct {
	deck.Summary
	unusedLines []string // lines of the unused exchanges, by cassette and operation
}

func summarise(s deck.Summary) summary {
	return summary{Summary: s, unusedLines: byOperation(s.Unused)}
}

// refused returns how many requests the deck refused, for whatever reason.
func (s summary) refused() int64 { return s.Refused + s.Unserved }

// print writes the summary for people.
func (s summary) print(a *app) {
	refused := ""
	if n := s.refused(); n > 0 {
		refused = fmt.Sprintf(", %d refused by the deck", n)
	}
	a.print("replayed %s from tape, %s%s\n", count.Of(s.Hits, "request"), count.Of(s.Misses, "miss"),
		refused)
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
	if c := s.Callbacks; c.Events > 0 {
		a.print("  called back %d: sent %d, accepted %d, refused %d, given up %d, dropped %d\n", c.Events,
			c.Sent, c.Accepted, c.Refused, c.GivenUp, c.Dropped)
	}
	if len(s.Unused) > 0 {
		a.print("  unused %d of %s\n", len(s.Unused), count.Of(s.Exchanges, "exchange"))
	}
	for _, line := range s.unusedLines {
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
		"unusedExchanges", append([]string{}, s.unusedLines...), "refused", s.refused(),
		slog.Any("callbacks", s.Callbacks))
}

// maxGroups bounds the lines of unused exchanges; operations that no profile knows may have
// a name each.
const maxGroups = 50

// byOperation lists exchanges a line for each cassette and operation: "stories refund.do 5, 7-9".
func byOperation(xs []match.Recorded) []string {
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

// tellRules tells at the end of a recording which rules took something out, and which of the
// operator's own did not: their field is spelled otherwise, or their prefix is not the sandbox's.
func (f *serveFlags) tellRules(a *app, rules []redact.Rule) {
	var all []ruleHits
	for _, rule := range rules {
		if rule.Hits > 0 {
			all = append(all, ruleHits{rule.ID, rule.Hits})
		}
	}
	shown := len(all)
	if a.ttyOf(a.env.Stdout).file != nil {
		shown = mostHits
	}
	a.print("%s", hitsTable(all, shown))
	if f.logFormat == logJSON {
		f.log.LogAttrs(context.Background(), slog.LevelInfo, "fired", slog.Any("rules", all))
	}
	a.warnOfIdle(rules)
}

// mostHits bounds the rules that a terminal lists: a tour of the three APIs has 170.
const mostHits = 10

// hitsTable lists rules that took something out. If there are more than a number, it lists those that
// took out most.
func hitsTable(all []ruleHits, most int) string {
	var text strings.Builder
	shown, more, values := slices.Clone(all), 0, 0
	if len(shown) > most {
		slices.SortStableFunc(shown, func(a, b ruleHits) int { return cmp.Compare(b.Hits, a.Hits) })
		for _, rule := range shown[most:] {
			more, values = more+1, values+rule.Hits
		}
		shown = shown[:most]
	}
	if len(shown) == 0 {
		return ""
	}
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "HITS\tRULE\n")
	for _, rule := range shown {
		fmt.Fprintf(t, "%d\t%s\n", rule.Hits, printable(rule.Rule))
	}
	if more > 0 {
		fmt.Fprintf(t, "%d\tby %s more, which a pipe or a file has all\n", values,
			count.Of(int64(more), "rule"))
	}
	_ = t.Flush() // a strings.Builder takes all
	return text.String()
}

// warnOfIdle warns of rules of the operator's own that took nothing out.
func (a *app) warnOfIdle(rules []redact.Rule) {
	idle := idleRules(rules)
	for _, text := range idle[:min(len(idle), maxIdle)] {
		a.voice.warn(text)
	}
	if more := len(idle) - maxIdle; more > 0 {
		a.voice.warn(fmt.Sprintf("%d more rules of yours took nothing out: see paytape profile rules",
			more))
	}
}

// ruleHits is a rule that took something out, in the log.
type ruleHits struct {
	Rule string `json:"rule"`
	Hits int    `json:"hits"`
}

// maxIdle bounds how many rules are warned about one by one.
const maxIdle = 10

// idleRules says which rules of the operator's own took nothing out. A field that many operations
// have is one rule of theirs.
func idleRules(rules []redact.Rule) []string {
	type field struct{ given, key string }
	hits := map[field]int{}
	for _, rule := range rules {
		hits[field{rule.Given, rule.Key}] += rule.Hits
	}
	var idle []string
	for _, rule := range rules {
		at := field{rule.Given, rule.Key}
		switch {
		case rule.Given == "":
		case rule.Given == redact.GivenPrefix:
			if rule.Hits == 0 {
				idle = append(idle, fmt.Sprintf("%s: no card number began so", rule.ID))
			}
		case hits[at] == 0:
			idle = append(idle, fmt.Sprintf("profile %s: there was no %q (%s) to take out",
				rule.Given, rule.Key, rule.Kind))
			hits[at] = 1 // said once
		}
	}
	return idle
}

// recordingLine says what a recording came to.
func recordingLine(s cassettes.Summary) string {
	switch {
	case s.Journal != "" && s.New > 0:
		return fmt.Sprintf("recorded %s, still in %s until the next recording of the cassette",
			count.Of(s.New, "exchange"), s.Journal)
	case s.File == "":
		return "recorded nothing"
	case s.New == s.Exchanges:
		return fmt.Sprintf("recorded %s to %s", count.Of(s.New, "exchange"), s.File)
	}
	return fmt.Sprintf("recorded %s to %s, which holds %d", count.Of(s.New, "exchange"), s.File,
		s.Exchanges)
}

// warnOfUnstable warns of what is not stable on a tape that was to be.
func (a *app) warnOfUnstable(s cassettes.Summary) {
	if s.Kept != "" {
		a.voice.warn(s.Kept)
	}
}

// verdictOfRules tells what the rules of a run have done, and warns of those that did nothing. It
// returns what fails by the flags.
//
// shown says that a terminal shows what the run came to.
func (c *deckCommand) verdictOfRules(a *app, all []rules.Status, shown bool) error {
	if len(all) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "FIRED\tMATCHED\tRULE OF THE RUN\n")
	idle := 0
	for _, s := range all {
		fmt.Fprintf(t, "%d\t%d\t%s\n", s.Fired, s.Matched, s.Name)
		if s.Fired == 0 {
			idle++
		}
	}
	if !shown {
		_ = t.Flush() // what goes wrong is told at the end: see output
	}
	if c.logFormat == logJSON {
		c.log.LogAttrs(context.Background(), slog.LevelInfo, "rules", slog.Any("rules", all))
	}
	for _, text := range doubts(all) {
		a.voice.warn(text)
	}
	if !c.failUnused || idle == 0 {
		return nil
	}
	return withHint(fmt.Errorf("never fired: %d of %s", idle, count.Of(len(all), "rule")),
		"see the warnings above; paytape rules try FILE NAME tells which exchanges on tape a rule "+
			"would hit")
}

// doubts says which rules did not do what they are there for.
func doubts(all []rules.Status) []string {
	var texts []string
	for _, s := range all {
		at := fmt.Sprintf("rule %s (%s:%d)", s.Name, s.File, s.Line)
		switch {
		case s.Fired == 0 && s.StoppedBy != "": // it came closer than a test that failed
			texts = append(texts, fmt.Sprintf("%s never fired: rule %s stopped before it", at, s.StoppedBy))
		case s.Fired == 0 && s.Failed != "":
			texts = append(texts, fmt.Sprintf("%s never fired: what failed most often is %q", at,
				s.Failed))
		case s.Fired == 0:
			texts = append(texts, at+" never fired: there was no call of its operations")
		}
		for _, field := range s.Missed {
			texts = append(texts, fmt.Sprintf("%s found no field %q to change", at, field))
		}
	}
	return texts
}
