package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// output is stdout for what a command prints. Its writes never fail, so nobody who prints need look: it
// remembers the first error, and run tells that at the end. A reader that has gone is no error: it has
// read what it wanted.
type output struct {
	to io.Writer

	mu  sync.Mutex // guards err
	err error      // of the first write that failed; nothing is written behind it
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		_, o.err = o.to.Write(p)
	}
	return len(p), nil
}

// lost returns the error of what could not be written; nil if all was, as far as somebody was there
// to read it.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil || errors.Is(o.err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("writing to standard output: %w", withoutFileName(o.err))
}
