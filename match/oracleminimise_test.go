package match_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// failure returns what kind of failure a run ended in, "" for none. If all should be certain,
// an answer with a mark is one too, and so is a miss; the verdicts behind it are cut off.
func (r *oracleRun) failure(certain bool) string {
	for i, v := range r.verdicts {
		kind := ""
		switch {
		case v.bad():
			kind = v.kind()
		case certain && (v.miss != nil || v.mark != "" && v.mark != "assumed=secret"):
			kind = v.class() + " " + v.turn.step.operation()
		}
		if kind != "" {
			r.verdicts = r.verdicts[:i+1]
			return kind
		}
	}
	return ""
}

// minimised drops turns of the tapes and of the playing as long as the run fails in the same way,
// and returns the smallest case that it finds in some time.
//
// Some turns are not dropped, since without them the tape is another one: see oracleTest.whole, and
// mistaken. Where all should be certain, a turn is dropped from tape and playing alike.
func (c *oracleCase) minimised(
	t testing.TB, run *oracleRun, certain bool, most time.Duration,
) (*oracleCase, *oracleRun) {
	t.Helper()
	until := time.Now().Add(most)
	kind := run.failure(certain)
	try := func(smaller *oracleCase) bool {
		if time.Now().After(until) {
			return false
		}
		again := smaller.run(t)
		if again.fault != "" || again.failure(certain) != kind {
			return false
		}
		c, run = smaller, again
		return true
	}
	plainer := *c
	plainer.clean, plainer.deckZone = false, nil
	if c.clean || c.deckZone != nil {
		try(&plainer)
	}
	for dropped := true; dropped && time.Now().Before(until); {
		dropped = false
		for _, name := range c.actors() {
			also := name
			if certain {
				if also = strings.ToUpper(name); also == name {
					continue // it goes with its recording
				}
			}
			smaller := c.without(func(turn oracleTurn) bool {
				by := turn.by.name
				return (by == name || by == also) && (certain || !turn.step.mistaken())
			})
			dropped = try(smaller) || dropped
		}
		if !certain {
			for n := len(c.live) - 1; n >= 0; n-- {
				if n < len(c.live) && !c.live[n].by.rigid {
					dropped = try(c.withoutLive(n)) || dropped
				}
			}
		}
		for tape := range c.tapes {
			for n := len(c.tapes[tape]) - 1; n >= 0; n-- {
				if c.holdsTogether(tape, n) {
					continue
				}
				smaller := c.withoutTurn(tape, n)
				if certain {
					smaller.live = slices.Delete(slices.Clone(c.live), c.place(tape, n), c.place(tape, n)+1)
				}
				dropped = try(smaller) || dropped
			}
		}
	}
	return c, run
}

// place is where a turn of a tape stands in a playing that is the same again.
func (c *oracleCase) place(tape, n int) int {
	for _, before := range c.tapes[:tape] {
		n += len(before)
	}
	return n
}

// holdsTogether reports whether a turn of a tape is needed for what stands beside it.
func (c *oracleCase) holdsTogether(tape, n int) bool {
	turn := c.tapes[tape][n]
	return turn.by.rigid || turn.by.whole || turn.step.mistaken() ||
		n > 0 && c.tapes[tape][n-1].step.broken
}

// actors lists the names of those who take part.
func (c *oracleCase) actors() []string {
	var all []string
	for _, turns := range append([][]oracleTurn{c.live}, c.tapes...) {
		for _, turn := range turns {
			if !slices.Contains(all, turn.by.name) {
				all = append(all, turn.by.name)
			}
		}
	}
	return all
}

// without returns the case without some turns.
func (c *oracleCase) without(some func(oracleTurn) bool) *oracleCase {
	other := *c
	other.live = slices.DeleteFunc(slices.Clone(c.live), some)
	other.tapes = nil
	for _, tape := range c.tapes {
		other.tapes = append(other.tapes, slices.DeleteFunc(slices.Clone(tape), some))
	}
	return &other
}

func (c *oracleCase) withoutLive(n int) *oracleCase {
	other := *c
	other.live = slices.Delete(slices.Clone(c.live), n, n+1)
	return &other
}

func (c *oracleCase) withoutTurn(tape, n int) *oracleCase {
	other := *c
	other.tapes = slices.Clone(c.tapes)
	other.tapes[tape] = slices.Delete(slices.Clone(c.tapes[tape]), n, n+1)
	return &other
}

// mistaken reports whether a step has a wrong secret. A tape without one knows nothing of secrets.
func (s oracleStep) mistaken() bool {
	return s.as == "bad" || strings.Contains(s.send, oracleWrong)
}
