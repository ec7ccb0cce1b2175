package stable

import (
	"context"
	"fmt"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Result is a stable tape.
type Result struct {
	// Exchanges are those of the tape, by number. They share with the recorded exchanges what has
	// not changed.
	Exchanges []*leaf.Exchange
	// Kept says what stays as it was recorded, and why; empty if nothing had to.
	Kept string
}

// steps are what is done to a recording, the most first. A recording that would say something else
// afterwards is tried with the next.
var steps = []struct {
	plan
	kept string // what stays
}{
	{plan{blocks: true, clock: true}, ""},
	{plan{clock: true}, "the exchanges stay in the order in which they were recorded"},
	{plan{}, "the exchanges stay in the order in which they were recorded, and keep their times"},
}

// plan says what is done to a recording, apart from the ids.
type plan struct {
	blocks bool // flows stand one behind the other
	clock  bool // flows have clocks
	// again are the numbers of exchanges whose ids are made again, although the tape is stable.
	again map[int]bool
}

// Of makes a stable tape of a recording, which is clean, in the order of its numbers, and is not changed.
// The numbers of the result are those of the recording. An exchange takes about a quarter of a
// millisecond; the error is that of ctx, if that has ended before.
func Of(ctx context.Context, profiles *profile.Set, recorded []*leaf.Exchange) (Result, error) {
	if len(recorded) == 0 {
		return Result{}, nil
	}
	o := tape.Options{Profiles: profiles}
	of, err := compileIn(ctx, o, recorded)
	if err != nil {
		return Result{}, err
	}
	why := ""
	for _, s := range steps {
		made, err := newRewriter(o, of, recorded, s.plan).make(ctx)
		if err != nil {
			return Result{}, err
		}
		is, err := compileIn(ctx, o, made.exchanges)
		if err != nil {
			return Result{}, err
		}
		differs := compare(of, is, made)
		if differs == "" {
			return Result{made.exchanges, reason(s.kept, why)}, nil
		}
		if why == "" {
			why = differs
		}
	}
	return Result{recorded, reason("the tape stays as it was recorded", why)}, nil
}

func reason(kept, why string) string {
	if kept == "" {
		return ""
	}
	return fmt.Sprintf("%s: otherwise %s", kept, why)
}

// compiled makes a machine of exchanges, which are in the order of their numbers.
func compiled(o tape.Options, xs []*leaf.Exchange) *machine.Machine {
	m, _ := compileIn(context.Background(), o, xs) // which does not end
	return m
}

// compileIn is compiled, unless ctx ends.
func compileIn(ctx context.Context, o tape.Options, xs []*leaf.Exchange) (*machine.Machine, error) {
	read := func(yield func(*leaf.Exchange) bool) {
		slices.Values(xs)(func(x *leaf.Exchange) bool { return ctx.Err() == nil && yield(x) })
	}
	t := tape.Compile(o, tape.Cassette{Read: read})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return machine.Build(t), nil
}
