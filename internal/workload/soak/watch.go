package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

// watch looks at a deck from outside, after each tenth of a load.
type watch struct {
	pid    int    // 0: nothing is looked at
	admin  string // "": goroutines are not known
	grows  float64
	slack  int64 // in megabytes
	slower float64

	mu     sync.Mutex // guards tenths
	tenths [10]sample
}

// sample is what was seen at the end of a tenth.
type sample struct {
	p50, p99   time.Duration
	memory     int64 // resident, in megabytes
	files      int
	goroutines string // "" where nobody knows
}

// note looks at the deck at the end of the nth tenth and prints what is seen.
func (w *watch) note(n int64, took []time.Duration) {
	if w.pid == 0 || len(took) == 0 {
		return
	}
	s := sample{p50: took[len(took)/2], p99: took[len(took)*99/100], memory: w.memory(),
		files: w.files(), goroutines: w.goroutines()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tenths[n-1] = s
	fmt.Printf("  tenth %2d: memory %d MB, files %d, goroutines %s, p50 %v, p99 %v\n", n, s.memory,
		s.files, s.goroutines, s.p50.Round(time.Microsecond), s.p99.Round(time.Microsecond))
}

var residentLine = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// memory is what the deck has resident, 0 if it is gone.
func (w *watch) memory() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.pid))
	m := residentLine.FindSubmatch(status)
	if err != nil || m == nil {
		return 0
	}
	var kB int64
	fmt.Sscan(string(m[1]), &kB)
	return kB / 1024
}

func (w *watch) files() int {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.pid))
	if err != nil {
		return 0
	}
	return len(open)
}

var goroutinesLine = regexp.MustCompile(`(?m)^go_goroutines (\d+)`)

func (w *watch) goroutines() string {
	if w.admin == "" {
		return ""
	}
	res, err := http.Get(strings.TrimRight(w.admin, "/") + "/metrics")
	if err != nil {
		return "unknown"
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	if m := goroutinesLine.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return "unknown"
}

// verdict prints the beginning beside the end, and returns what grew more than it may.
func (w *watch) verdict() error {
	if w.pid == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	first, settled, last := w.tenths[0], w.tenths[6], w.tenths[9]
	fmt.Printf("  p99 of the first tenth %v, of the last %v; memory at a tenth %d MB, at seven %d MB, "+
		"at the end %d MB\n", first.p99.Round(time.Microsecond), last.p99.Round(time.Microsecond),
		first.memory, settled.memory, last.memory)
	var errs []error
	if last.memory == 0 {
		errs = append(errs, errors.New("the deck is gone"))
	}
	if w.grows > 0 && float64(last.memory) > float64(settled.memory)*w.grows+float64(w.slack) {
		errs = append(errs, fmt.Errorf("memory grew from %d MB at seven tenths to %d MB", settled.memory,
			last.memory))
	}
	if last.files > 2*settled.files+16 {
		errs = append(errs, fmt.Errorf("open files grew from %d to %d", settled.files, last.files))
	}
	if w.slower > 0 && float64(last.p99) > float64(first.p99)*w.slower {
		errs = append(errs, fmt.Errorf("p99 grew from %v to %v", first.p99, last.p99))
	}
	return errors.Join(errs...)
}
