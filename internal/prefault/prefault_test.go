package prefault_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/prefault"
)

// TestHeapIsFree wants all of the room to be there for others, and nothing of it in use.
func TestHeapIsFree(t *testing.T) {
	collectNothing(t)
	var before, after runtime.MemStats
	for _, size := range []int{0, 1, 5000, 16 << 20} {
		runtime.GC()
		runtime.ReadMemStats(&before)
		prefault.Heap(size)
		runtime.ReadMemStats(&after)
		if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 1<<20 {
			t.Errorf("with room for %d bytes %d more are in use", size, used)
		}
		if free := after.HeapIdle - after.HeapReleased; free < uint64(size)*3/4 {
			t.Errorf("of %d bytes %d are free", size, free)
		}
	}
}

// collectNothing has the collector run when it is told to, as while a kept tape is read: by its own goal
// the runtime gives back soon what is free beyond that.
func collectNothing(t *testing.T) {
	t.Helper()
	was := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(was) })
}

// BenchmarkFirstWrites writes to 64 MB that nobody has written to, after the system was told and before. The
// time that Heap takes is one more column, also by page.
func BenchmarkFirstWrites(b *testing.B) {
	const size, page = 64 << 20, 4096
	was := debug.SetGCPercent(-1)
	b.Cleanup(func() { debug.SetGCPercent(was) })
	for name, room := range map[string]int{"prefaulted": size + size/8, "not": 0} {
		b.Run(name, func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				b.StopTimer()
				debug.FreeOSMemory()
				begun := time.Now()
				if room > 0 {
					prefault.Heap(room)
				}
				took += time.Since(begun)
				list := make([]byte, size)
				b.StartTimer()
				for at := 0; at < size; at += page {
					list[at] = 1
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size/page), "ns/page")
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N*size/page), "ns-ahead/page")
		})
	}
}
