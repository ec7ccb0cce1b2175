package match

import (
	"runtime"
	"sync"
)

// yieldingMutex is a mutex for what takes some microseconds and is done all the time. A goroutine that finds a
// sync.Mutex taken sleeps soon, and if all the others wait as well, so does its processor: to wake it takes as long
// as the work. Here a goroutine lets others go on and asks again. It sleeps when it has asked in vain for longer
// than nearly all answers take. BenchmarkServeAtOnce measures it.
type yieldingMutex struct{ mu sync.Mutex }

// lockTries is how often a goroutine asks: for 16 microseconds if nobody else can go on.
const lockTries = 200

// Lock takes the lock.
func (m *yieldingMutex) Lock() {
	for range lockTries {
		if m.mu.TryLock() {
			return
		}
		runtime.Gosched()
	}
	m.mu.Lock()
}

// Unlock lets go of the lock.
func (m *yieldingMutex) Unlock() { m.mu.Unlock() }
