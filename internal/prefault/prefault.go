// Package prefault gives the heap memory with page faults taken before it is used.
//
// The first write to a page of memory is a page fault, which the system answers with a page. On a virtual
// machine that takes up to ten microseconds, and a load of 100,000 exchanges has 40,000 to 130,000 of them.
// For many pages at once the system takes a tenth of that time. But where the host keeps page tables of its
// own, the first access of the program costs some seven microseconds all the same, of which the system knows
// nothing. So a byte of each page is read too, on all processors: two of them take 0.37 s for 400 MB, and one
// takes 0.76 s. Without that, the goroutine that compiles has most of these accesses, and the others wait for it.
//
// A program cannot tell the system about the heap, which is memory of the runtime. So it takes one large
// piece of the heap, has the system put pages behind it, and lets go of it. The runtime puts there what the
// program makes next.
package prefault

import (
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/paytape/paytape/internal/parallel"
)

// Heap has pages put behind so many bytes of free memory of the heap. It runs the garbage collector, so it
// is for a process that has little memory yet. The runtime soon gives back to the system what is far beyond
// the goal of the collector: whoever calls Heap sets the percentage before. Where the system knows no such
// request, each page has its fault when it is read.
func Heap(size int) {
	room := untouched(size)
	populate(room)
	read(room)
	runtime.GC() // nobody has the memory any more: it is free
}

// read reads a byte of each page.
func read(room []byte) {
	const stretch = 256 // pages
	var sum atomic.Uint32
	size := os.Getpagesize()
	parallel.Stretches(len(room)/size, stretch, func(from, to int) {
		read := uint32(0)
		for page := from; page < to; page++ {
			read += uint32(room[page*size])
		}
		sum.Add(read) // so that it is read at all
	})
}

// untouched returns memory of the heap of which only the first byte was written to. It is not made by make,
// which clears memory that was used before.
func untouched(size int) []byte {
	var room strings.Builder
	room.Grow(max(size, 1))
	room.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(room.String()), room.Cap())
}
