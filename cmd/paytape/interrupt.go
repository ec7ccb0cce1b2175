package main

import (
	"context"
	"errors"
)

// errInterrupted is why a command ends that a signal came for while it was loading.
var errInterrupted = errors.New("interrupted")

// interruptible does what looks at no context, such as reading a large file that another program
// wrote, and ends when ctx does. It is for what leaves nothing behind: what is still under way then
// ends with the process.
func interruptible[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	var none T
	if ctx.Err() != nil {
		return none, errInterrupted
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, errInterrupted
	}
}

// interruptibly is interruptible for what has no result.
func interruptibly(ctx context.Context, do func() error) error {
	_, err := interruptible(ctx, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
