package cassettes

import (
	"context"
	"errors"

	"github.com/paytape/paytape/internal/leaf"
)

// Stabiliser makes of the exchanges of a cassette a stable tape, whose text depends on what was said and
// not on when: package match/stable does so. The exchanges are clean, in the order of their numbers, and
// are not changed; as many come back, in the order of theirs. kept is a sentence for the operator: what
// stays as it was recorded, and why. It is empty if nothing had to. The error is that of ctx, if that has
// ended before: then the cassette is folded another time.
//
// What comes back is cleaned again before it is written: a stabiliser is trusted with no secret.
type Stabiliser func(ctx context.Context, recorded []*leaf.Exchange,
) (stable []*leaf.Exchange, kept string, err error)

// unstable is the stabiliser of those who have none.
func unstable(_ context.Context, recorded []*leaf.Exchange) ([]*leaf.Exchange, string, error) {
	return recorded, "the tape is not stable, because nobody here knows how to make it so", nil
}

// stabiliser returns the stabiliser of the options.
func (o *Options) stabiliser() Stabiliser {
	if o.Stabilise == nil {
		return unstable
	}
	return o.Stabilise
}

// errStabiliser is returned for a stabiliser that loses exchanges.
var errStabiliser = errors.New("exchanges were lost, and the tape stays as it is")

// stabilised makes entries stable, and has the head of the file tell what they tell of profiles. It holds
// all of them.
func stabilised(all []span, o *folding) (stable []span, kept string, err error) {
	recorded := make([]*leaf.Exchange, 0, len(all))
	for _, s := range all {
		if passed(o.until) {
			return nil, "", errNoTime
		}
		e, err := s.entry()
		if err == nil {
			e, _, err = e.recleanStale(o.by)
		}
		if err != nil {
			return nil, "", err
		}
		clean, err := e.open()
		if err != nil {
			return nil, "", err
		}
		recorded = append(recorded, clean.Exchange())
	}
	ctx, cancel := o.inTime()
	defer cancel()
	made, kept, err := o.stable(ctx, recorded)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, "", errNoTime
	}
	if err != nil {
		return nil, "", err
	}
	if len(made) != len(recorded) {
		return nil, "", errStabiliser
	}
	o.head = append(o.head, hoist(made)...)
	last := 0
	for _, x := range made {
		if passed(o.until) {
			return nil, "", errNoTime
		}
		if x.Meta.Number <= last {
			return nil, "", errStabiliser
		}
		last = x.Meta.Number
		e, err := newEntry(o.by.Reclean(x))
		if err != nil {
			return nil, "", err
		}
		stable = append(stable, hold(e))
	}
	return stable, kept, nil
}

// inTime returns a context that ends when the time to fold is over.
func (o *folding) inTime() (context.Context, context.CancelFunc) {
	if o.until.IsZero() {
		return context.WithCancel(context.Background())
	}
	return context.WithDeadline(context.Background(), o.until)
}

// Stabilise makes a tape stable that is there. A file that is not sealed is cleaned first, and what a
// recording has left in a journal is folded. The cassette must not be recorded on meanwhile.
func (l *Library) Stabilise(name string, r Cleaner, s Stabiliser) (done Summary, err error) {
	name, err = checkName(name)
	if err != nil {
		return Summary{}, err
	}
	held, err := l.acquire(name)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, held.release()) }()
	if err := l.sweep(name); err != nil {
		return Summary{}, err
	}
	left, err := l.leftover(name)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, left.close()) }()
	if len(left.spans) == 0 {
		if _, err := l.folder.Lstat(name + tapeSuffix); err != nil {
			return Summary{}, l.missing(name)
		}
	}
	f, err := l.fold(name, folding{journal: left.spans, by: r, stable: s, anyway: true})
	if err != nil {
		return Summary{}, err
	}
	done = Summary{
		File: l.file(name + tapeSuffix), Exchanges: f.exchanges, New: len(left.spans), Kept: f.kept,
	}
	return done, l.remove(name + journalSuffix)
}
