package deck

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"weak"
)

// Percentages by which the garbage collector lets memory grow before it runs.
//
// While a tape is loaded, much is made that is of no use afterwards, and by Go's own 100 percent
// memory would run over most where the tape is nearly whole. A tape of 10,000 exchanges is loaded in
// 2.4 s and 260 MB by Go's own percentage, in 3.0 s and 225 MB at 50, 3.1 s and 200 MB at 35, 3.5 s
// and 187 MB at 25.
//
// While a tape is played, what the collector costs a request is the garbage of the request divided by
// the percentage, whatever is live. So a small tape may have a high percentage, which costs little
// memory. But live entities come on top of the tape with the traffic, and a percentage that was right
// for the tape alone is far too much for a tape with 50,000 payments. So the percentage follows what
// is live, and the garbage for which there is room stays the same. With 55,000 inquiries of which each
// is live a deck had 222 MB where the percentage was set once, and has 151 MB with the same processor
// time a request; with 25,000 payments 124 MB, and has 113 MB.
const (
	loadPercent     = 35
	leastPercent    = 75       // of a large tape: below it the collector costs more than the answers
	mostPercent     = 400      // of a small tape: there is little to gain above it
	usualPercent    = 100      // Go's own
	servingHeadroom = 48 << 20 // bytes of garbage for which there is room beside what is live
)

// tuneGC sets the garbage collector for the load of a tape, and returns what sets it for serving
// from the tape; nil is a tape that could not be loaded. A deck that must not set it, and an operator
// who has set GOGC, have the percentage stay.
func (o *Options) tuneGC() (loaded func(*Tape)) {
	if !o.TuneGC || os.Getenv("GOGC") != "" {
		return func(*Tape) {}
	}
	debug.SetGCPercent(loadPercent)
	return func(t *Tape) {
		debug.FreeOSMemory() // what the load has left; what is live is known after it
		followLive(weak.Make(t), 0)
	}
}

// followLive sets the percentage by what is live now, and again whenever the collector has run, as
// long as there is the tape that is played. last is the percentage that is in force; 0: nobody knows.
func followLive(played weak.Pointer[Tape], last int) {
	percent := servingPercent(liveBytes())
	if last == 0 || max(percent-last, last-percent)*10 > last { // to set it stops all goroutines for a moment
		debug.SetGCPercent(percent)
		last = percent
	}
	if played.Value() == nil {
		return
	}
	runtime.AddCleanup(&collected{}, func(last int) { followLive(played, last) }, last)
}

// collected is garbage from the beginning: its cleanup runs when the collector has. It holds a pointer,
// because small values without pointers share their memory.
type collected struct{ _ *collected }

// liveBytes returns how many bytes the last run of the collector has found live; 0: nobody knows.
func liveBytes() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(live[0].Value.Uint64())
}

// servingPercent is the percentage for a deck in which so many bytes are live.
func servingPercent(live int64) int {
	if live <= 0 {
		return usualPercent
	}
	return int(max(leastPercent, min(servingHeadroom*100/live, mostPercent)))
}

// recordHeadroom returns memory that a deck which records holds and never touches, so that the collector
// lets as much garbage be made before it runs again. What is live grows while a deck records, and a
// percentage would grow with it; this does not. A deck that must not set the collector, and an operator
// who has set GOGC, have none.
//
// New cards were recorded at a few thousand a second: the collector ran every 10 MB, which are 150
// exchanges, and took a tenth of the processor time.
func (o *Options) recordHeadroom() []byte {
	if !o.TuneGC || os.Getenv("GOGC") != "" {
		return nil
	}
	return make([]byte, servingHeadroom)
}
