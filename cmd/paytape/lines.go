package main

import (
	"io"
	"sync"
	"time"
)

// oneAtATime lets one goroutine write at a time: voice and log share stderr.
type oneAtATime struct {
	mu   sync.Mutex // guards the rest
	w    io.Writer
	held []byte    // lines that wait to be written together
	last time.Time // when something was written
}

// Lines of a busy deck are written together: a write costs as much as all the rest of a line.
const (
	lineDelay = 50 * time.Millisecond // for how long one waits at most
	mostHeld  = 32 << 10              // bytes that wait at most
)

// Write writes at once, behind what waits.
func (o *oneAtATime) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = append(o.held, p...)
	return len(p), o.flushLocked()
}

// soon returns a writer of lines that may wait. One that comes after a pause does not.
func (o *oneAtATime) soon() io.Writer { return soon{o} }

// flush writes what waits.
func (o *oneAtATime) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.flushLocked() // nobody is left to be told if stderr is closed
}

func (o *oneAtATime) flushLocked() error {
	if len(o.held) == 0 {
		return nil
	}
	_, err := o.w.Write(o.held)
	o.held, o.last = o.held[:0], time.Now()
	return err
}

// soon is oneAtATime for those who need not be read at once.
type soon struct{ *oneAtATime }

// Write writes now or a little later, and then together with others.
func (s soon) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waits := len(s.held) > 0 // and so somebody comes for it
	s.held = append(s.held, p...)
	switch {
	case len(s.held) >= mostHeld, !waits && time.Since(s.last) >= lineDelay:
		return len(p), s.flushLocked()
	case !waits:
		time.AfterFunc(lineDelay, s.flush)
	}
	return len(p), nil
}
