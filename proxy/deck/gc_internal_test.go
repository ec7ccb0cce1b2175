package deck

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// percent returns the percentage in force.
func percent() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
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
		{"a deck alone in its process", "", true, mostPercent, usualPercent},
		{"a deck in another program", "", false, 77, 77},
		{"the operator knows better", "off", true, 77, 77},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOGC", test.variable)
			debug.SetGCPercent(77)
			loaded := (&Options{Alone: test.tuned}).tuneGC(mostPercent, 0)
			if got := percent(); got != test.loading {
				t.Errorf("%d percent while a tape is loaded, want %d", got, test.loading)
			}
			loaded(nil)
			if got := percent(); got < test.least || test.least == 77 && got != 77 || got > mostPercent {
				t.Errorf("%d percent afterwards", got)
			}
			debug.SetGCPercent(77)
			tuneGCFor(&Options{Alone: test.tuned}, &Deck{})
			if got := percent(); got < test.least || test.least == 77 && got != 77 {
				t.Errorf("%d percent while a deck records", got)
			}
		})
	}
}

// TestALoadIsPrefaulted looks at the memory that is free when a load begins.
func TestALoadIsPrefaulted(t *testing.T) {
	was := percent()
	t.Cleanup(func() { debug.SetGCPercent(was) })
	for _, test := range []struct {
		name, variable string
		room, limit    int64
		want           bool
	}{
		{"a large tape", "", 64 << 20, math.MaxInt64, true},
		{"a small tape", "", leastRoom - 1, math.MaxInt64, false},
		{"the operator knows better", "off", 64 << 20, math.MaxInt64, false},
		{"there is a limit", "", 64 << 20, 32 << 20, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOGC", test.variable)
			limit := debug.SetMemoryLimit(test.limit)
			defer debug.SetMemoryLimit(limit)
			debug.FreeOSMemory()
			loaded := (&Options{Alone: true}).tuneGC(noCollector, test.room)
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			if got := stats.HeapIdle-stats.HeapReleased > 32<<20; got != test.want {
				t.Errorf("%d bytes are free", stats.HeapIdle-stats.HeapReleased)
			}
			loaded(nil)
		})
	}
}

// TestThePercentageFollowsWhatIsLive has much become live after a tape is loaded, as payments do.
func TestThePercentageFollowsWhatIsLive(t *testing.T) {
	was := percent()
	t.Cleanup(func() { debug.SetGCPercent(was) })
	t.Setenv("GOGC", "")
	played := &Tape{}
	(&Options{Alone: true}).tuneGC(noCollector, 0)(played)
	if got := percent(); got <= usualPercent {
		t.Fatalf("%d percent with next to nothing live", got)
	}
	live := make([]byte, 4*servingHeadroom) // never touched, so it takes no memory
	for range 1000 {
		runtime.GC() // what it has found is looked at soon after
		if percent() == usualPercent {
			break
		}
	}
	if got := percent(); got != usualPercent {
		t.Errorf("%d percent with %d MB live, want %d", got, len(live)>>20, usualPercent)
	}
	runtime.KeepAlive(live)
	runtime.KeepAlive(played)
}

func TestLoadingPercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		exchanges int
		live      int64
		want      int
	}{
		{"an empty tape, of which nothing is known", 0, 0, 800},
		{"an empty tape, with what a process has anyway", 0, 16 << 20, 200},
		{"a large tape that was begun", 64 << 10, 16 << 20, 1000},
		{"a large tape that is nearly ready", 64 << 10, 256 << 20, 62},
	} {
		if got := loadingPercent(test.exchanges, test.live); got != test.want {
			t.Errorf("%s: %d percent, want %d", test.name, got, test.want)
		}
	}
}

func TestServingPercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		live int64
		want int
	}{
		{"nothing is known", 0, usualPercent},
		{"a small tape: more gains little", 4 << 20, mostPercent},
		{"a small tape with some thousand payments", 32 << 20, 150},
		{"as much as the headroom", 48 << 20, 100},
		{"a large tape", 1 << 30, usualPercent},
	} {
		if got := servingPercent(test.live); got != test.want {
			t.Errorf("%s: %d percent, want %d", test.name, got, test.want)
		}
	}
}
