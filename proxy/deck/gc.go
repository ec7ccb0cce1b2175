package deck

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// Percentages by which the garbage collector lets memory grow before it runs.
//
// While a tape is loaded, much is made that is of no use afterwards, and by Go's own 100 percent
// memory would run over most where the tape is nearly whole. While a small tape is played, Go's own
// percentage would have the collector run every few megabytes, which are some hundred requests.
//
// Measured with a deck as a process (processor time, largest memory). A tape of 10,000 exchanges is
// loaded in 2.4 s and 260 MB by Go's own percentage, in 3.0 s and 225 MB at 50, 3.1 s and 200 MB at
// 35, 3.5 s and 187 MB at 25. Payments from a tape of 300 exchanges, for 12 s: 60 us a request and
// 180 MB; 62 us and 168 MB with 32 MB that are held and never touched in place of a percentage. For
// 4 s: 59 us and 100 MB with these 32 MB, 65 us and 69 MB by Go's own percentage, 56 us and 127 MB
// at 400.
const (
	loadPercent     = 35
	mostPercent     = 175
	usualPercent    = 100      // Go's own
	servingHeadroom = 32 << 20 // bytes of garbage for which there is room beside what is live
)

// tuneGC sets the garbage collector for the load of a tape, and returns what sets it for serving
// from the tape, once. A deck that must not set it, and an operator who has set GOGC, have the
// percentage stay.
func (o *Options) tuneGC() (loaded func()) {
	if !o.TuneGC || os.Getenv("GOGC") != "" {
		return func() {}
	}
	debug.SetGCPercent(loadPercent)
	return func() {
		debug.FreeOSMemory() // what the load has left; what is live is known after it
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		percent := usualPercent
		if live[0].Value.Kind() == metrics.KindUint64 {
			percent = servingPercent(int64(live[0].Value.Uint64()))
		}
		debug.SetGCPercent(percent)
	}
}

// servingPercent is the percentage for a deck of which so many bytes are live when its tape is
// loaded. Live entities come on top, so there is a bound.
func servingPercent(live int64) int {
	if live <= 0 {
		return mostPercent
	}
	return int(min(usualPercent+servingHeadroom*100/live, mostPercent))
}
