package main

import (
	"runtime/debug"
	"runtime/metrics"
)

// thrift has the collector run when as much garbage has come together as there is room for,
// instead of when memory has grown to the double: loading a large tape makes much that is of no
// use afterwards, and by the usual rule memory would run over most where the tape is nearly
// whole, and the collector would run a hundred times before, while it is small.
type thrift struct {
	room  int64 // bytes
	usual int   // the percentage that ruled before
	steps int
}

// Bounds of a thrift. Of the percentages, the least is for tapes whose file is small beside what
// is made of it.
const (
	leastRoom      = 8 << 20 // bytes
	leastPercent   = 25
	mostPercent    = 10_000
	defaultPercent = 100 // Go's own
	thriftSteps    = 500 // exchanges from one look at the memory in use to the next
)

// thrifty begins a thrift that has the load of files of so many bytes.
func thrifty(size int64) *thrift {
	t := &thrift{room: max(size, leastRoom), usual: debug.SetGCPercent(leastPercent)}
	t.adapt()
	return t
}

// step is told of every exchange.
func (t *thrift) step() {
	if t.steps++; t.steps%thriftSteps == 0 {
		t.adapt()
	}
}

// adapt sets the percentage by which memory may grow. One that the environment wants less stays.
func (t *thrift) adapt() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := leastPercent
	if live[0].Value.Kind() == metrics.KindUint64 {
		used := max(int64(live[0].Value.Uint64()), 1<<20)
		percent = int(min(max(t.room*100/used, leastPercent), mostPercent))
	}
	if t.usual >= 0 && t.usual < defaultPercent {
		percent = min(percent, t.usual)
	}
	debug.SetGCPercent(percent)
}

// end has the usual rule again and gives back what is not in use.
func (t *thrift) end() {
	debug.SetGCPercent(t.usual)
	debug.FreeOSMemory()
}
