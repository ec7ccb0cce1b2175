package proxy

import (
	"cmp"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/paytape/paytape/match"
)

// Stats are what a Replay has counted.
type Stats struct {
	Hits, Misses int64
	// Marked counts the hits with a mark: those that stand on more than the tape.
	Marked int64
}

// MissCount says how many misses had a reason.
type MissCount struct {
	Reason match.Reason
	Count  int64
}

// MarkCount says how many answers had a mark.
type MarkCount struct {
	Mark  string
	Count int64
}

// replayCounter counts hits and misses, for a summary. Requests count themselves: each adds to
// numbers in memory, and none waits for another. It is safe for concurrent use.
type replayCounter struct {
	hits, misses, marked atomic.Int64

	reasons map[match.Reason]*atomic.Int64
	marks   map[string]*atomic.Int64
	tape    iter.Seq2[match.Recorded, uint64] // its exchanges, with their classes
	used    []atomic.Int64                    // by class: how many answers
}

func newReplayCounter(tape iter.Seq2[match.Recorded, uint64]) *replayCounter {
	if tape == nil {
		tape = func(func(match.Recorded, uint64) bool) {}
	}
	t := &replayCounter{
		reasons: map[match.Reason]*atomic.Int64{}, marks: map[string]*atomic.Int64{},
		tape: tape,
	}
	classes := uint64(0)
	for _, class := range tape {
		classes = max(classes, class+1)
	}
	t.used = make([]atomic.Int64, classes)
	for _, reason := range match.Reasons() {
		t.reasons[reason] = &atomic.Int64{}
	}
	for _, mark := range match.Marks() {
		t.marks[mark] = &atomic.Int64{}
	}
	return t
}

func (t *replayCounter) countHit(a *match.Answer) {
	t.hits.Add(1)
	if a.Mark != "" {
		t.marked.Add(1)
		if n := t.marks[a.Mark]; n != nil {
			n.Add(1)
		}
	}
	t.markUsed(a.Class)
	for _, class := range a.Lent {
		t.markUsed(class)
	}
}

// markUsed counts that a recording of a class was served, or has lent an item to a list.
func (t *replayCounter) markUsed(class uint64) {
	if class < uint64(len(t.used)) {
		t.used[class].Add(1)
	}
}

func (t *replayCounter) countMiss(m *match.Miss) {
	t.misses.Add(1)
	if n := t.reasons[m.Reason]; n != nil {
		n.Add(1)
	}
}

// Stats returns the counts so far.
func (m *Replay) Stats() Stats {
	t := m.counter
	return Stats{Hits: t.hits.Load(), Misses: t.misses.Load(), Marked: t.marked.Load()}
}

// MissCounts returns how many misses there were for each reason that occurred, in the order
// of match.Reasons.
func (m *Replay) MissCounts() []MissCount {
	var counts []MissCount
	for _, reason := range match.Reasons() {
		if n := m.counter.reasons[reason].Load(); n > 0 {
			counts = append(counts, MissCount{reason, n})
		}
	}
	return counts
}

// MarkCounts returns how many answers had each mark that occurred, the most frequent mark first.
func (m *Replay) MarkCounts() []MarkCount {
	var counts []MarkCount
	for _, mark := range match.Marks() {
		if n := m.counter.marks[mark].Load(); n > 0 {
			counts = append(counts, MarkCount{mark, n})
		}
	}
	slices.SortStableFunc(counts, func(a, b MarkCount) int { return cmp.Compare(b.Count, a.Count) })
	return counts
}

// Unused returns the exchanges of ReplayOptions.Tape that served no request, and of whose class
// none did: recordings that serve alike count as used together.
func (m *Replay) Unused() []match.Recorded {
	var unused []match.Recorded
	for x, n := range m.Asked() {
		if n == 0 {
			unused = append(unused, x)
		}
	}
	return unused
}

// Asked yields the exchanges of ReplayOptions.Tape in their order, each with how many answers were
// given of it or of one that serves alike.
func (m *Replay) Asked() iter.Seq2[match.Recorded, int64] {
	return func(yield func(match.Recorded, int64) bool) {
		for x, class := range m.counter.tape {
			if !yield(x, m.counter.used[class].Load()) {
				return
			}
		}
	}
}
