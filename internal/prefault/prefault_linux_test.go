package prefault_test

import (
	"errors"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/paytape/paytape/internal/prefault"
	"github.com/paytape/paytape/internal/raced"
)

// TestHeap puts a list where there are pages, and counts the page faults and the memory that is taken
// from the system. The runtime may put the list elsewhere, where memory was given back before, so it has
// some tries.
func TestHeap(t *testing.T) {
	if raced.Enabled {
		t.Skip("the race detector has memory of its own behind each page")
	}
	if !populates(t) {
		t.Skip("the system puts no pages behind memory that is not used: Linux does since 5.14")
	}
	collectNothing(t)
	const size, tries = 64 << 20, 5
	const used = size * 15 / 16 // so that the list fits in no hole that the room did not fit in
	var faults, taken int64
	for range tries {
		debug.FreeOSMemory()
		prefault.Heap(size)
		faults, taken = costOf(t, used)
		if faults < used/4096/10 && taken < size/64 { // stacks may have become heap
			return
		}
	}
	t.Errorf("%d page faults for %d pages, and the heap takes %d bytes more from the system",
		faults, used/4096, taken)
}

// costOf makes a list and writes to each page of it. It returns how many page faults that took, and how many
// bytes more of the heap.
func costOf(t *testing.T, size int) (faults, taken int64) {
	t.Helper()
	faults, taken = faultsSoFar(t), systemMemory()
	list := make([]byte, size)
	for at := 0; at < size; at += 4096 {
		list[at] = 1
	}
	faults, taken = faultsSoFar(t)-faults, systemMemory()-taken
	runtime.KeepAlive(list)
	return faults, taken
}

// populates reports whether the system knows the request.
func populates(t *testing.T) bool {
	t.Helper()
	room, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	err = unix.Madvise(room, unix.MADV_POPULATE_WRITE)
	if err := unix.Munmap(room); err != nil {
		t.Error(err)
	}
	if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		t.Error(err)
	}
	return err == nil
}

// systemMemory returns how much of the memory of the system the heap has, in bytes.
func systemMemory() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapSys)
}

// faultsSoFar returns how many page faults there were that needed no disk.
func faultsSoFar(t *testing.T) int64 {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return used.Minflt
}
