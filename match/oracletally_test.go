package match_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// oracleTally counts verdicts. It is safe for concurrent use.
type oracleTally struct {
	mu     sync.Mutex // guards the counts
	counts map[string]int
	wrong  map[string]int // wrong and unmarked, by operation and leaf
	misses map[string]int // by reason and operation
	told   map[string]int // callbacks that agree, by what they tell
}

func newOracleTally() *oracleTally {
	return &oracleTally{counts: map[string]int{}, wrong: map[string]int{}, misses: map[string]int{},
		told: map[string]int{}}
}

// add counts a run.
func (o *oracleTally) add(run *oracleRun) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, v := range run.verdicts {
		for _, event := range v.told {
			o.told[event]++
		}
		if v.outcome == oracleAside {
			continue
		}
		o.counts[v.class()]++
		switch {
		case v.bad():
			o.wrong[v.kind()]++
		case v.miss != nil:
			name := string(v.miss.Reason) + " " + v.turn.step.operation()
			if v.held {
				name += ", though the tape has the answer"
			}
			o.misses[name]++
		}
	}
}

// class is what a verdict is counted as.
func (v oracleVerdict) class() string {
	switch {
	case v.outcome == "miss":
		class := "missed write"
		if v.turn.step.reads() {
			class = "missed read"
		}
		if v.held {
			class += " that is on tape"
		}
		return class
	case v.outcome == "dropped":
		return "dropped"
	case v.mark == "":
		return v.outcome + " unmarked"
	}
	return v.outcome + " " + v.mark
}

// kind tells wrong answers of one kind from others: by the operation, and the first leaf that
// differs, without indexes.
func (v oracleVerdict) kind() string {
	path := ""
	if len(v.diffs) > 0 {
		path = oracleIndex.ReplaceAllString(v.diffs[0].path, "[]")
	}
	return v.turn.step.operation() + " " + path
}

// String writes the counts, one kind of them a line.
func (o *oracleTally) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b strings.Builder
	b.WriteString(o.line())
	ranked(&b, "\nwrong and unmarked, by operation and leaf", o.wrong)
	if len(o.told) > 0 {
		ranked(&b, "\ncallbacks that agree", o.told)
	}
	ranked(&b, "\nmisses, by reason and operation", o.misses)
	return b.String()
}

// line is the counts without their kinds. Nobody may add meanwhile.
func (o *oracleTally) line() string {
	var b strings.Builder
	total := 0
	for _, n := range o.counts {
		total += n
	}
	fmt.Fprintf(&b, "%d requests:", total)
	for _, class := range slices.Sorted(maps.Keys(o.counts)) {
		fmt.Fprintf(&b, " %d %s;", o.counts[class], class)
	}
	return strings.TrimSuffix(b.String(), ";")
}

// ranked writes counts, the largest first.
func ranked(b *strings.Builder, title string, counts map[string]int) {
	names := slices.SortedFunc(maps.Keys(counts), func(a, c string) int {
		if counts[a] != counts[c] {
			return counts[c] - counts[a]
		}
		return strings.Compare(a, c)
	})
	fmt.Fprintf(b, "%s:", title)
	for _, name := range names {
		fmt.Fprintf(b, "\n%6d %s", counts[name], name)
	}
}
