package store

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/kinds"
	"github.com/paytape/paytape/cassettes/store/lockfile"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/similar"
	"github.com/paytape/paytape/redact"
)

// Options say which folder and which store, and who is told what goes on.
type Options struct {
	Dir string // folder of the cassettes
	URL string // of the store, see package kinds; empty for none
	// Offline has Require ask no store.
	Offline bool
	// Again has Push put all of a tape, also what the store says it has: a store does not know what has
	// become of the bytes that it keeps.
	Again bool
	// Force has Pull replace files that nobody has pushed.
	Force bool

	// Secrets say what Push takes for a secret. Where they name no profiles, these are the built-in ones;
	// those of deck.Knowledge are built-in and one's own.
	Secrets redact.Options

	// Roots returns the authorities that are trusted. It is called when a store is opened, which a folder
	// without a lock does not need: to read them takes 25 ms. Nil: those of the system.
	Roots func() (*x509.CertPool, error)
	// Lookup is for package kinds.
	Lookup func(name string) (string, bool)

	// Tell is told of each tape when it is done, by one goroutine at a time. Nil: nobody asks.
	Tell func(Done)
	// Warn is told why a lock cannot be read that Require goes on without. Nil: nobody asks.
	Warn func(error)
	// pause is that of blob.Careful; 0 except in tests.
	pause time.Duration
	// searched is called when Push has searched a tape for secrets; nil except in tests.
	searched func()

	// Progress is told what has gone over so far, by one goroutine at a time, at most once for each
	// blob or part of a blob. Nil: nobody asks.
	Progress func(Progress)
}

// What became of a tape.
type What int

// What may become of a tape.
const (
	Pushed   What = iota // it was put into the store
	There                // the store had it
	Pulled               // it was not here, and is now
	Replaced             // another file was here, which the store has, or which Force gave up
	Here                 // it was here
	Kept                 // another file is here, and stays
	Waiting              // another process is about to pull it: this is not the end
)

// Done tells what became of a tape.
type Done struct {
	What  What
	Tape  lockfile.Tape // as the lock has it now; of Kept, as the lock has it and the folder has not
	Moved int64         // bytes that went over for it
}

// Progress is what has gone over so far.
type Progress struct {
	Tapes, Of int   // done, and of how many
	Moved     int64 // bytes
}

// ErrNoStore is returned where a store is wanted and none is named.
var ErrNoStore = errors.New("no store is named")

// ErrWrong is returned for a tape that the store has not as it was put; Options.Again mends it.
var ErrWrong = blob.ErrWrong

// ErrNotLocked is returned for a tape that the lock does not name.
var ErrNotLocked = errors.New("it is not in " + lockfile.Name)

// transfers is how many blobs, and how many tapes, are under way at once.
const transfers = 8

// work is what goes on between a folder and a store, for one call.
type work struct {
	Options
	library *cassettes.Library
	store   blob.Store
	slots   chan struct{} // a token for each blob that is on its way

	failed atomic.Int32 // tapes that the store has failed for since the last for which it has not

	mu       sync.Mutex // guards progress, and calls of Tell and Progress
	progress Progress
}

// begin opens the folder.
func begin(o Options) (*work, error) {
	library, err := cassettes.OpenExisting(o.Dir)
	if err != nil {
		return nil, err
	}
	return &work{Options: o, library: library, slots: make(chan struct{}, transfers)}, nil
}

// connect opens the store.
func (w *work) connect() (err error) {
	if w.URL == "" {
		return ErrNoStore
	}
	o := kinds.Options{Lookup: w.Lookup}
	if w.Roots != nil {
		if o.Roots, err = w.Roots(); err != nil {
			return err
		}
	}
	w.store, err = kinds.Open(w.URL, o)
	return err
}

// failures is how many tapes in a row a store may fail for before it is taken to be down. A store may
// fail for a tape of which it has lost a blob, and be well otherwise.
const failures = transfers

// each does something for each of n tapes, several at once, and returns what went wrong, in their order. A
// store that is down is asked for no more tapes, and the last error says for how many.
func (w *work) each(outer context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	w.progress.Of = n
	errs := make([]error, n)
	next := make(chan int)
	var all sync.WaitGroup
	for range min(n, transfers) {
		all.Go(func() {
			for i := range next {
				if errs[i] = do(ctx, i); blob.IsDown(errs[i]) && w.failed.Add(1) >= failures {
					cancel()
				}
				w.moved(func(p *Progress) { p.Tapes++ })
			}
		})
	}
	begun := 0
	for ; begun < n && ctx.Err() == nil; begun++ {
		next <- begun
	}
	close(next)
	all.Wait()
	if outer.Err() != nil {
		return outer.Err()
	}
	if ctx.Err() == nil {
		return errors.Join(errs...)
	}
	// What was under way then has failed for no reason of its own.
	ended := slices.DeleteFunc(errs[:begun], func(err error) bool { return errors.Is(err, context.Canceled) })
	left := n - len(ended)
	if left > 0 {
		ended = append(ended, fmt.Errorf("the store is not asked any more: %s not tried", count.Of(left, "tape")))
	}
	return errors.Join(ended...)
}

// succeeded notes that the store has done for a tape what it should.
func (w *work) succeeded() { w.failed.Store(0) }

func (w *work) moved(change func(*Progress)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.progress)
	if w.Progress != nil {
		w.Progress(w.progress)
	}
}

func (w *work) tell(d Done) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Tell != nil {
		w.Tell(d)
	}
}

// careful returns the store for one tape, and where the bytes that go over are counted.
func (w *work) careful() *tally {
	t := w.asking()
	t.careful.Moved = func(n int) {
		w.moved(func(p *Progress) {
			p.Moved += int64(n)
			t.moved += int64(n)
		})
	}
	return t
}

// asking returns the store for questions, of which no bytes are counted.
func (w *work) asking() *tally {
	return &tally{slots: w.slots, careful: blob.Careful{Store: w.store, Pause: w.pause}}
}

// tally is a store for one tape.
type tally struct {
	careful blob.Careful
	slots   chan struct{}
	moved   int64 // guarded by work.mu; read when all is over
}

// take waits for a slot, or for the end of ctx. Whoever has a slot gives it back.
func (t *tally) take(ctx context.Context) error {
	select {
	case t.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *tally) give() { <-t.slots }

// rows returns the rows of names, or all rows if there are no names.
func rows(lock *lockfile.File, names []string) ([]lockfile.Tape, error) {
	if len(names) == 0 {
		return lock.Tapes(), nil
	}
	var all []lockfile.Tape
	var unknown error
	for _, name := range names {
		plain, err := cassettes.PlainName(name)
		if err != nil {
			return nil, err
		}
		row, ok := lock.Tape(plain)
		if !ok {
			unknown = errors.Join(unknown, notLocked(lock, plain))
			continue
		}
		all = append(all, row)
	}
	return all, unknown
}

func notLocked(lock *lockfile.File, name string) error {
	known := map[string]bool{}
	for _, t := range lock.Tapes() {
		known[t.Name] = true
	}
	err := fmt.Errorf("tape %q: %w", name, ErrNotLocked)
	if near := similar.Most(name, known); near != "" {
		err = fmt.Errorf("%w: %q is", err, near)
	}
	return err
}
