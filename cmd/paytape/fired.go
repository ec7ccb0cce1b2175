package main

import (
	"context"
	"fmt"
	"log/slog"
	"text/tabwriter"

	"github.com/paytape/paytape/redact"
)

// tellRules tells at the end of a recording which rules took something out, and which of the
// operator's own did not: their field is spelled otherwise, or their prefix is not the sandbox's.
func (f *front) tellRules(a *app, rules []redact.Rule) {
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "HITS\tRULE\n")
	var all []fired
	for _, rule := range rules {
		if rule.Hits == 0 {
			continue
		}
		fmt.Fprintf(t, "%d\t%s\n", rule.Hits, printable(rule.ID))
		all = append(all, fired{rule.ID, rule.Hits})
	}
	if len(all) > 0 {
		_ = t.Flush() // nobody is left to be told if stdout is closed
	}
	if f.logFormat == logJSON {
		f.log.LogAttrs(context.Background(), slog.LevelInfo, "fired", slog.Any("rules", all))
	}
	a.warnOfIdle(rules)
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

// fired is a rule that took something out, in the log.
type fired struct {
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
