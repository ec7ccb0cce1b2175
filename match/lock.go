package match

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// yieldingMutex is a mutex for what takes some microseconds and is done all the time. A goroutine that finds a
// sync.Mutex taken sleeps soon, and if all the others wait as well, so does its processor: to wake it takes as long
// as the work. Here a goroutine looks for half a microsecond whether the lock is free, then lets others go on, and
// looks again. It sleeps when it has looked for longer than nearly all answers take. BenchmarkServeAtOnce measures
// it.
type yieldingMutex struct {
	mu      sync.Mutex
	taken   atomic.Bool
	looking atomic.Int32 // how many goroutines look
}

// How often a goroutine looks before it lets others go on, which is half a microsecond, and how often it does that.
// More than a few at once would take the memory in which the lock is from the one that has it: the others sleep.
const (
	looks       = 2_000
	yields      = 20
	mostLooking = 8
)

// Lock takes the lock.
func (m *yieldingMutex) Lock() {
	if !m.mu.TryLock() && !m.look() {
		m.mu.Lock()
	}
	m.taken.Store(true)
}

// look takes the lock if it is free in time.
func (m *yieldingMutex) look() bool {
	defer m.looking.Add(-1)
	if m.looking.Add(1) > mostLooking {
		return false
	}
	for range yields {
		for range looks {
			if !m.taken.Load() && m.mu.TryLock() {
				return true
			}
		}
		runtime.Gosched()
	}
	return false
}

// Unlock lets go of the lock.
func (m *yieldingMutex) Unlock() {
	m.taken.Store(false)
	m.mu.Unlock()
}
