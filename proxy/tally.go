package proxy

import (
	"sync/atomic"

	"github.com/paytape/paytape/match"
)

// Stats are what a Replay has counted.
type Stats struct {
	Hits, Misses int64
	// Ambiguous counts the hits in which a shared value had to decide.
	Ambiguous int64
}

// MissCount says how many misses had a reason.
type MissCount struct {
	Reason match.Reason
	Count  int64
}

// tally counts hits and misses. It is safe for concurrent use.
type tally struct {
	hits, misses, ambiguous atomic.Int64

	reasons map[match.Reason]*atomic.Int64
	tape    []match.Recorded
	used    map[place]*atomic.Bool // of the tape
}

// place is an exchange on tape.
type place struct {
	cassette string
	number   int
}

func newTally(tape []match.Recorded) *tally {
	t := &tally{
		reasons: map[match.Reason]*atomic.Int64{}, tape: tape,
		used: make(map[place]*atomic.Bool, len(tape)),
	}
	for _, reason := range match.Reasons() {
		t.reasons[reason] = &atomic.Int64{}
	}
	for _, x := range tape {
		t.used[place{x.Cassette, x.Number}] = &atomic.Bool{}
	}
	return t
}

func (t *tally) hit(a *match.Answer) {
	t.hits.Add(1)
	if a.Ambiguous {
		t.ambiguous.Add(1)
	}
	// Most were used before: only the first writes.
	if used := t.used[place{a.Cassette, a.Number}]; used != nil && !used.Load() {
		used.Store(true)
	}
}

func (t *tally) miss(m *match.Miss) {
	t.misses.Add(1)
	if n := t.reasons[m.Reason]; n != nil {
		n.Add(1)
	}
}

// Stats returns the counts so far.
func (m *Replay) Stats() Stats {
	t := m.tally
	return Stats{Hits: t.hits.Load(), Misses: t.misses.Load(), Ambiguous: t.ambiguous.Load()}
}

// MissCounts returns how many misses there were for each reason that occurred, in the order
// of match.Reasons.
func (m *Replay) MissCounts() []MissCount {
	var counts []MissCount
	for _, reason := range match.Reasons() {
		if n := m.tally.reasons[reason].Load(); n > 0 {
			counts = append(counts, MissCount{reason, n})
		}
	}
	return counts
}

// Unused returns the exchanges of ReplayOptions.Tape that no request was answered with.
func (m *Replay) Unused() []match.Recorded {
	var unused []match.Recorded
	for _, x := range m.tally.tape {
		if !m.tally.used[place{x.Cassette, x.Number}].Load() {
			unused = append(unused, x)
		}
	}
	return unused
}
