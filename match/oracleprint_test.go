package match_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// oracleIndex is an index in the path of a leaf.
var oracleIndex = regexp.MustCompile(`\[\d+\]`)

// report writes a case whose last answer was wrong: what was recorded, what was played up to
// there, and where the two answers differ.
func (c *oracleCase) report(run *oracleRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %s; recorded %s, played %s", c.seed, c.how,
		c.recorded.Format("2006-01-02 -07"), c.played.Format("2006-01-02 -07"))
	if c.deckZone != nil {
		fmt.Fprintf(&b, ", replay in the zone %s", c.played.In(c.deckZone).Format("-07"))
	}
	if c.clean {
		b.WriteString(", cleaned")
	}
	for n, tape := range run.recorded {
		fmt.Fprintf(&b, "\ntape %c", 't'+n)
		for _, r := range tape {
			if r.answer == nil {
				if _, waits := r.turn.step.waits(); waits {
					fmt.Fprintf(&b, "\n      %s: %s", r.turn.by.name, r.turn.step.call)
				}
				continue
			}
			number := "  -"
			if r.number > 0 {
				number = fmt.Sprintf("%3s", "#"+oracleNumber(r.number))
			}
			fmt.Fprintf(&b, "\n  %s %s => %s", number, r.turn, r.answer.brief())
		}
	}
	b.WriteString("\nlive")
	for i, v := range run.verdicts {
		fmt.Fprintf(&b, "\n  %3d %s => %s", i+1, v.turn, v.brief())
	}
	if v := run.wrong(); v != nil {
		fmt.Fprintf(&b, "\n got %s\nwant %s", v.got.brief(), v.want.brief())
		for _, d := range v.diffs[:min(len(v.diffs), 5)] {
			fmt.Fprintf(&b, "\n     %s", d)
		}
	}
	return b.String()
}

// String writes a turn in its names, with the cards and amounts that they stand for.
func (t oracleTurn) String() string {
	s := t.by.name
	if t.by.session != "" {
		s += "/" + t.by.session
	}
	s += ": " + t.step.call
	if t.step.send != "" {
		s += " " + oracleShort(t.step.send, 220)
	}
	if t.step.as != "" {
		s += " as=" + t.step.as
	}
	for _, name := range slices.Sorted(maps.Keys(t.by.cast)) {
		if (strings.HasPrefix(name, "card:") || strings.HasPrefix(name, "amt:")) &&
			strings.Contains(t.step.send, "${"+name+"}") {
			s += fmt.Sprintf(" (%s=%s)", name, t.by.cast[name])
		}
	}
	if t.step.off {
		s += " (not through the deck)"
	}
	if t.step.broken {
		s += " (out of order)"
	}
	return s
}

// brief is a verdict in one line.
func (v oracleVerdict) brief() string {
	switch {
	case v.miss != nil:
		return fmt.Sprintf("MISS %s: %s", v.miss.Reason, v.miss.Sentence)
	case v.outcome == "dropped", v.outcome == oracleAside:
		return v.outcome
	case v.bad():
		return "WRONG AND UNMARKED, from " + v.from
	}
	s := v.outcome + ", from " + v.from
	if v.mark != "" {
		s += ", " + v.mark
	}
	return s
}

// brief is an answer in one line.
func (a *oracleAnswer) brief() string {
	body := strings.Join(strings.Fields(a.body), " ")
	if strings.HasPrefix(body, "<") {
		body = "a page of " + oracleNumber(len(a.body)) + " bytes"
	}
	s := a.status()
	if a.location != "" {
		s += " to " + a.location
	}
	return hidden(s + " " + oracleShort(body, 700))
}

func oracleShort(text string, most int) string {
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
