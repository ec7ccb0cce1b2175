package deck

import (
	"runtime/debug"
	"testing"
)

// percent returns the percentage in force.
func percent() int {
	now := debug.SetGCPercent(usualPercent)
	debug.SetGCPercent(now)
	return now
}

// TestTheCollectorIsSetTwice sets it for a load and for what comes after, unless somebody else has
// set it, or nobody has asked for that.
func TestTheCollectorIsSetTwice(t *testing.T) {
	was := percent()
	t.Cleanup(func() { debug.SetGCPercent(was) })
	for _, test := range []struct {
		name, variable string
		tuned          bool
		loading, least int // percentages, the least of those after the load
	}{
		{"a deck alone in its process", "", true, loadPercent, usualPercent},
		{"a deck in another program", "", false, 77, 77},
		{"the operator knows better", "off", true, 77, 77},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOGC", test.variable)
			debug.SetGCPercent(77)
			loaded := (&Options{TuneGC: test.tuned}).tuneGC()
			if got := percent(); got != test.loading {
				t.Errorf("%d percent while a tape is loaded, want %d", got, test.loading)
			}
			loaded()
			if got := percent(); got < test.least || test.least == 77 && got != 77 || got > mostPercent {
				t.Errorf("%d percent afterwards", got)
			}
		})
	}
}

func TestServingPercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		live int64
		want int
	}{
		{"nothing is known", 0, mostPercent},
		{"a small tape: not more than live entities can bear", 4 << 20, mostPercent},
		{"as much again as the headroom", 64 << 20, 150},
		{"a large tape: nearly Go's own", 1 << 30, 103},
	} {
		if got := servingPercent(test.live); got != test.want {
			t.Errorf("%s: %d percent, want %d", test.name, got, test.want)
		}
	}
}
