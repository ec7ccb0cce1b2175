package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/paytape/paytape/internal/count"
)

// Careful asks a store that may be slow, fail, or lie. It is safe for concurrent use.
type Careful struct {
	Store Store
	// Attempts is how often a blob is asked for or put before it is given up; 0 is DefaultAttempts.
	Attempts int
	// Patience is how long a store may be silent; 0 is DefaultPatience.
	Patience time.Duration
	// Pause is the time before the second attempt, and doubles with each further one; 0 is
	// DefaultPause. Each pause is up to twice as long by chance: a hundred jobs that a store has
	// refused do not come back together.
	Pause time.Duration
	// Moved is told how many bytes went over, as they go; nil: nobody asks.
	Moved func(bytes int)
}

// Defaults of Careful.
const (
	DefaultAttempts = 5
	DefaultPatience = 30 * time.Second
	DefaultPause    = 250 * time.Millisecond
)

// putShare is the least speed at which a store must take a blob, in bytes a second: what it takes is
// not seen. getShare is that at which it must give one: a store that gives a byte now and then is never
// silent, and never done. Eight transfers share a line, so it is low.
const (
	putShare = 16 << 10
	getShare = 1 << 10
)

// mostWait is the longest that a store which names a time is waited for before the next attempt.
const mostWait = time.Minute

// Has is Store.Has, tried again.
func (c *Careful) Has(ctx context.Context, b Blob) (has bool, err error) {
	err = c.try(ctx, "asking for "+b.String(), func(ctx context.Context) error {
		ctx, silent := c.watch(ctx, c.patience())
		defer silent.stop()
		has, err = c.Store.Has(ctx, b)
		return silent.explain(err)
	})
	return has, err
}

// Get returns the bytes of a piece, which are what its name says.
func (c *Careful) Get(ctx context.Context, b Blob) ([]byte, error) {
	return c.GetIndex(ctx, b, b.Size, func([]byte) error { return nil })
}

// GetIndex returns the bytes of an index, of which the name tells too little: most bounds them, and check
// returns ErrWrong for bytes that are none of it. They may have been damaged on their way.
func (c *Careful) GetIndex(ctx context.Context, b Blob, most int64, check func([]byte) error,
) (data []byte, err error) {
	err = c.try(ctx, "getting "+b.String(), func(ctx context.Context) error {
		if data, err = c.get(ctx, b, most); err == nil {
			err = check(data)
		}
		return err
	})
	return data, err
}

// get gets a blob once.
func (c *Careful) get(ctx context.Context, b Blob, most int64) ([]byte, error) {
	ctx, silent := c.watch(ctx, c.patience())
	defer silent.stop()
	in, err := c.Store.Get(ctx, b)
	if err != nil {
		return nil, silent.explain(err)
	}
	defer in.Close() // nothing is written to it
	silent.begin()
	data := make([]byte, 0, max(b.Size, 512)+1)
	for int64(len(data)) <= most {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := in.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if n > 0 {
			c.moved(n)
		}
		if err == io.EOF {
			return data, b.Check(data)
		}
		if err != nil {
			return nil, silent.explain(err)
		}
		if err := silent.heard(n); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: more than %d bytes came", ErrWrong, most)
}

// Put is Store.Put, tried again.
func (c *Careful) Put(ctx context.Context, b Blob, data []byte) error {
	took := time.Duration(len(data)/putShare) * time.Second
	return c.try(ctx, "putting "+b.String(), func(ctx context.Context) error {
		ctx, silent := c.watch(ctx, c.patience()+took)
		defer silent.stop()
		err := silent.explain(c.Store.Put(ctx, b, data))
		if err == nil {
			c.moved(len(data))
		}
		return err
	})
}

func (c *Careful) moved(n int) {
	if c.Moved != nil {
		c.Moved(n)
	}
}

func (c *Careful) patience() time.Duration { return or(c.Patience, DefaultPatience) }

// or returns the first of two that is not 0.
func or[T time.Duration | int](a, b T) T {
	if a != 0 {
		return a
	}
	return b
}

// try tries until something succeeds, cannot succeed, or was tried often enough.
func (c *Careful) try(ctx context.Context, what string, once func(context.Context) error) error {
	attempts, pause := or(c.Attempts, DefaultAttempts), or(c.Pause, DefaultPause)
	for n := 1; ; n++ {
		err := once(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isFatal(err) {
			return fmt.Errorf("%s: %w", what, err)
		}
		busy, _ := errors.AsType[*BusyError](err)
		if n == attempts || busy != nil && busy.After > mostWait {
			return &givenUp{fmt.Errorf("%s, tried %s: %w", what, count.Of(n, "time"), err)}
		}
		wait := pause
		if busy != nil {
			wait = max(wait, busy.After)
		}
		select {
		case <-time.After(wait + rand.N(pause)):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause *= 2
	}
}

// givenUp is an error that is errGivenUp, too.
type givenUp struct{ error }

func (g *givenUp) Unwrap() []error { return []error{g.error, errGivenUp} }

func isFatal(err error) bool {
	for _, f := range fatal {
		if errors.Is(err, f) {
			return true
		}
	}
	return false
}

// silence ends what waits for a store that says nothing, or next to nothing.
type silence struct {
	patience time.Duration
	timer    *time.Timer
	ctx      context.Context
	cancel   context.CancelCauseFunc
	since    time.Time // when bytes were counted from
	came     int       // bytes since then
}

// watch returns a context that ends when nothing has been heard for some time.
func (c *Careful) watch(ctx context.Context, patience time.Duration) (context.Context, *silence) {
	s := &silence{patience: patience}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.timer = time.AfterFunc(patience, func() { s.cancel(ErrSlow) })
	return s.ctx, s
}

// begin notes that bytes are to come now.
func (s *silence) begin() {
	s.timer.Reset(s.patience)
	s.since = time.Now()
}

// heard notes bytes that have come. The error is ErrSlow if there were few since begin, or since bytes
// were looked at last. For example a byte comes every 29 seconds: the second is the end.
func (s *silence) heard(n int) error {
	if n > 0 {
		s.timer.Reset(s.patience)
	}
	s.came += n
	took := time.Since(s.since)
	if took < s.patience {
		return nil
	}
	if float64(s.came) < getShare*took.Seconds() {
		return fmt.Errorf("%w: %s came in %s", ErrSlow, count.Of(s.came, "byte"), took.Round(time.Second))
	}
	s.since, s.came = time.Now(), 0
	return nil
}

func (s *silence) stop() {
	s.timer.Stop()
	s.cancel(nil)
}

// explain returns ErrSlow in place of the error that silence has caused.
func (s *silence) explain(err error) error {
	if err != nil && errors.Is(context.Cause(s.ctx), ErrSlow) {
		return fmt.Errorf("%w: it said nothing for %s", ErrSlow, s.patience)
	}
	return err
}
