package match

import (
	"runtime"
	"sync"
	"testing"
)

// TestYieldingMutex has many goroutines count under the lock, and one hold it for longer than others ask.
func TestYieldingMutex(t *testing.T) {
	const goroutines, each = 2 * mostLooking, 100
	var m yieldingMutex
	var all sync.WaitGroup
	count := 0
	m.Lock()
	for range goroutines {
		all.Go(func() {
			for range each {
				m.Lock()
				before := count
				runtime.Gosched()
				count = before + 1
				m.Unlock()
			}
		})
	}
	for range 2 * yields { // by then nearly always some look, and the others sleep
		runtime.Gosched()
	}
	for m.looking.Load() > 0 { // until they have looked in vain
		runtime.Gosched()
	}
	m.Unlock()
	all.Wait()
	if count != goroutines*each {
		t.Errorf("counted to %d of %d", count, goroutines*each)
	}
	if n := m.looking.Load(); n != 0 {
		t.Errorf("%d goroutines look for a lock that nobody wants", n)
	}
}
