package deck

import (
	"runtime/debug"
	"runtime/metrics"
)

// spareSize is how much more garbage a deck with TuneGC may have than its tape and its live
// entities would let it, in bytes. So many bytes are held and never touched, and so are no more
// than addresses; the collector counts them as live. Without them a small tape would have it run
// every 4 MB, which are some hundred requests.
const spareSize = 32 << 20

// collector sets the garbage collector while a tape is loaded: it runs when as much garbage has
// come together as there is room for, instead of when memory has grown to the double. Loading a
// large tape makes much that is of no use afterwards, and by the usual rule memory would run over
// most where the tape is nearly whole, and the collector would run a hundred times before, while
// it is small (BenchmarkLoadAndCompile). A nil collector sets nothing.
type collector struct {
	room  int64 // bytes
	usual int   // the percentage that ruled before
	steps int
}

// Bounds of a collector. Of the percentages, the least is for tapes whose file is small beside
// what is made of it.
const (
	leastRoom      = 8 << 20 // bytes
	leastPercent   = 25
	mostPercent    = 10_000
	defaultPercent = 100 // Go's own
	collectorSteps = 500 // exchanges from one look at the memory in use to the next
)

// tuneGC begins the load of files of so many bytes; nil is for a deck that must not set the
// collector.
func (o *Options) tuneGC(size int64) *collector {
	if !o.TuneGC {
		return nil
	}
	return newCollector(size)
}

func newCollector(size int64) *collector {
	c := &collector{room: max(size, leastRoom), usual: debug.SetGCPercent(leastPercent)}
	c.adapt()
	return c
}

// step is told of every exchange.
func (c *collector) step() {
	if c == nil {
		return
	}
	if c.steps++; c.steps%collectorSteps == 0 {
		c.adapt()
	}
}

// adapt sets the percentage by which memory may grow. One that the environment wants less stays.
func (c *collector) adapt() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := leastPercent
	if live[0].Value.Kind() == metrics.KindUint64 {
		used := max(int64(live[0].Value.Uint64()), 1<<20)
		percent = int(min(max(c.room*100/used, leastPercent), mostPercent))
	}
	if c.usual >= 0 && c.usual < defaultPercent {
		percent = min(percent, c.usual)
	}
	debug.SetGCPercent(percent)
}

// end has the usual rule again and gives back what is not in use.
func (c *collector) end() {
	if c == nil {
		return
	}
	debug.SetGCPercent(c.usual)
	debug.FreeOSMemory()
}
