// Package parallel runs work on all processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Stretches calls f with stretches [from, to) of a list of n items, on as many goroutines as there are
// processors, and returns when all calls have. A stretch is at most size items long, and the stretches
// are begun in their order. A goroutine calls f for many of them, so f may keep nothing between calls
// that two goroutines would share.
func Stretches(n, size int, f func(from, to int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+size-1)/size) {
		all.Go(func() {
			for {
				to := int(next.Add(int64(size)))
				if to-size >= n {
					return
				}
				f(to-size, min(to, n))
			}
		})
	}
	all.Wait()
}
