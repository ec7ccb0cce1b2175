package deck

import (
	"runtime/debug"
	"testing"
)

// TestTuningTheCollectorEnds wants the rule that was there before, whatever it was, and none that is looser
// than one somebody asked for meanwhile.
func TestTuningTheCollectorEnds(t *testing.T) {
	was := debug.SetGCPercent(defaultPercent)
	defer debug.SetGCPercent(was)
	for _, c := range []struct {
		usual int
		size  int64
		tight bool // the percentage is no more than the usual
	}{
		{defaultPercent, 0, false},
		{defaultPercent, 8 << 30, false},
		{-1, 1 << 20, false},
		{30, 8 << 30, true},
		{0, 8 << 30, true},
	} {
		debug.SetGCPercent(c.usual)
		tuned := newCollector(c.size)
		for range 2 * collectorSteps {
			tuned.step()
		}
		now := debug.SetGCPercent(defaultPercent)
		if c.tight && now > c.usual || now < 0 || now > mostPercent {
			t.Errorf("%d became %d for %d bytes", c.usual, now, c.size)
		}
		tuned.end()
		if got := debug.SetGCPercent(defaultPercent); got != c.usual {
			t.Errorf("%d became %d at the end", c.usual, got)
		}
	}
}
