package store

import (
	"context"
	"sync"
)

// transfer is several transfers of one tape. Its zero value has none.
type transfer struct {
	all sync.WaitGroup
	mu  sync.Mutex // guards err, and what do does
	err error
}

// start waits for a slot and starts a transfer. It reports false if one has failed: nothing is started
// any more then.
func (a *transfer) start(ctx context.Context, t *tally, do func(context.Context) error) bool {
	failed := false
	a.do(func() { failed = a.err != nil })
	if failed {
		return false
	}
	if err := t.take(ctx); err != nil {
		a.do(func() { a.err = err })
		return false
	}
	a.all.Go(func() {
		defer t.give()
		if err := do(ctx); err != nil {
			a.do(func() { a.err = firstOf(a.err, err) })
		}
	})
	return true
}

func (a *transfer) do(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// wait waits for all, and returns the first error.
func (a *transfer) wait() error {
	a.all.Wait()
	return a.err
}
