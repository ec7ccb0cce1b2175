package deck

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"weak"

	"github.com/paytape/paytape/internal/prefault"
)

// Percentages by which the garbage collector lets memory grow before it runs.
//
// While a tape is loaded, what is live grows from nothing to the tape and what compiling needs beside
// the tape. A percentage is too small at the beginning, when the collector runs again and again for the
// exchanges that were read, and too large at the end, when the process has its most memory. So there is
// room for as much garbage all the time, by the number of exchanges: 32 MB, and 2 KB for each. With
// 100,000 exchanges the process has 390 MB to 550 MB at the most, by their kind. With a quarter less
// room the load takes a twentieth longer, and the process has 30 MB less.
//
// While a kept tape is read (index.go), the collector does not run: all of it stays. The collector would
// read memory that nothing was written to yet, and the system maps such a page twice, which stops the
// other processors for a moment each time: 100,000 exchanges take 1.5 s in place of 2.4 s.
//
// Before a load begins, memory has its page faults, all at once: see package prefault. For a text that is
// nearly as much memory as any kind of tape takes. For a kept tape it is as much as most kinds take; 100,000
// exchanges of payments that are alike take 50 MB less. It saves a sixth of the load of a text, and a fourth of
// that of a kept tape.
//
// While a deck serves, what the collector costs a request is the garbage of the request divided by the
// percentage, whatever is live. So a small tape may have a high percentage, which costs little memory.
// But live entities come on top of the tape with the traffic, and a percentage that was right for the
// tape alone is far too much for a tape with 50,000 payments. So the percentage follows what is live: up
// to 48 MB of that, the garbage for which there is room stays the same, and a small tape with 40,000
// payments behind it has 120 MB. A deck with more has Go's own percentage. 100,000 cards, 179 MB of
// text, have some 320 MB with it; at 80 percent these are 290 MB, and a request takes a thirtieth more
// processor time; at 40 percent 270 MB, and a tenth more.
// A deck that records has it so too: new cards at a few thousand a second made the collector run every
// 10 MB, which are 150 exchanges, and it took a tenth of the processor time.
const (
	leastHeadroom   = 32 << 20 // bytes of garbage for which there is room while a tape is loaded,
	exchangeGarbage = 2 << 10  // and bytes that an exchange adds to it
	leastHeap       = 4 << 20  // bytes of what is live for which the runtime takes less, at 100 percent
	mostPercent     = 400      // of a small tape: there is little to gain above it
	usualPercent    = 100      // of a large tape, and Go's own: the collector costs more than it is worth below
	noCollector     = -1
	servingHeadroom = 48 << 20 // bytes of garbage for which there is room beside what is live

	exchangeRoom = 3800    // bytes that are prefaulted before a text is read, for each exchange
	derivedRoom  = 7       // times as large as the file of a kept tape is the memory that most tapes take
	leastRoom    = 4 << 20 // bytes for which it is worth it,
	mostRoom     = 1 << 30 // and for which nobody minds
	limitShare   = 4       // what part of a limit to the memory, GOMEMLIMIT, they are at the most
)

// tunesGC reports whether the deck sets the garbage collector: an operator who has set GOGC knows
// better.
func (o *Options) tunesGC() bool { return o.Alone && os.Getenv("GOGC") == "" }

// tuneGC sets the garbage collector for the load of a tape, prefaults so many bytes for it, and returns what
// sets the collector for serving from the tape; nil is a tape that could not be loaded. A deck that must not
// set it has the percentage stay, and prefaults nothing.
func (o *Options) tuneGC(percent int, room int64) (loaded func(*Tape)) {
	if !o.tunesGC() {
		return func(*Tape) {}
	}
	debug.SetGCPercent(percent)
	if room = min(room, mostRoom, debug.SetMemoryLimit(-1)/limitShare); room >= leastRoom {
		prefault.Heap(int(room))
	}
	return func(t *Tape) {
		debug.FreeOSMemory() // what the load has left; what is live is known after it
		followLive(weak.Make(t), 0)
	}
}

// tuneGCFor sets the garbage collector for what is served or recorded without a tape to load, as long
// as that is there. A deck that must not set it has the percentage stay.
func tuneGCFor[T any](o *Options, served *T) {
	if o.tunesGC() {
		followLive(weak.Make(served), 0)
	}
}

// loadingPercent is the percentage while a tape of so many exchanges is loaded and so many bytes are
// live; 0: nobody knows yet.
func loadingPercent(exchanges int, live int64) int {
	return int((leastHeadroom + int64(exchanges)*exchangeGarbage) * 100 / max(live, leastHeap))
}

// followLoad returns what a load of so many exchanges calls for each of them: it sets the percentage
// by what is live then, some times in the course of the load.
func (o *Options) followLoad(exchanges int) (another func()) {
	if !o.tunesGC() {
		return func() {}
	}
	const times = 16
	n := 0
	return func() {
		if n++; n%(exchanges/times+1) == 0 {
			debug.SetGCPercent(loadingPercent(exchanges, liveBytes()))
		}
	}
}

// followLive sets the percentage by what is live now, and again whenever the collector has run, as
// long as there is what is served from or recorded. last is the percentage that is in force; 0: nobody
// knows.
func followLive[T any](served weak.Pointer[T], last int) {
	percent := servingPercent(liveBytes())
	if last == 0 || max(percent-last, last-percent)*10 > last { // to set it stops all goroutines for a moment
		debug.SetGCPercent(percent)
		last = percent
	}
	if served.Value() == nil {
		return
	}
	runtime.AddCleanup(&collected{}, func(last int) { followLive(served, last) }, last)
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
	return int(max(usualPercent, min(servingHeadroom*100/live, mostPercent)))
}
