package traffic

import (
	"context"
	"time"
)

// Reading takes a quarter of that part of the machine that is idle, and at least a thirty-second part
// of the machine; but never more than one processor, because it is one goroutine.
const (
	idlePart  = 1.0 / 4
	leastPart = 1.0 / 32
)

// processorsEach is how many processors a request under way needs: one is the deck's, and the client
// is often on the same machine.
const processorsEach = 2

// load is how many requests a deck has under way, on average: all the time that requests took within
// a second is that number (Little's law). A deck that answers 2,000 requests a second in 0.1 ms each
// has 0.2 requests under way, which leave 0.8 of two processors idle. Where eight clients ask as fast
// as they can, nothing is idle. Where others need the machine each request takes longer, and there
// are more under way.
type load struct {
	began    time.Time     // of the span that is counted
	took     time.Duration // together, of the requests that have ended in it
	underWay float64       // in the span before
}

// span is how long requests are counted.
const span = 100 * time.Millisecond

// add counts a request that has ended.
func (l *load) add(now time.Time, took time.Duration) {
	l.turn(now)
	l.took += took
}

// turn begins another span if it is time for one.
func (l *load) turn(now time.Time) {
	if passed := now.Sub(l.began); passed >= span {
		l.underWay = float64(l.took) / float64(passed)
		l.began, l.took = now, 0
	}
}

// share returns which part of the time of one processor reading may take, of so many processors.
func (l *load) share(now time.Time, processors int) float64 {
	l.turn(now)
	machine := float64(processors)
	idle := 1 - l.underWay*processorsEach/machine
	return min(1, machine*max(leastPart, idle*idlePart))
}

// pace spreads work over time.
type pace struct{ owed time.Duration }

// rest waits after some work, so that work takes its share of the time. It waits when there is
// something worth waiting for, and returns false if ctx has ended.
func (p *pace) rest(ctx context.Context, worked time.Duration, share float64) bool {
	const least, most = 2 * time.Millisecond, 100 * time.Millisecond
	p.owed += time.Duration(float64(worked) * (1/share - 1))
	if p.owed < least {
		return ctx.Err() == nil
	}
	wait := min(p.owed, most)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	began := time.Now()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	// A timer is late by about a millisecond: what was waited too long was waited.
	p.owed = max(wait-time.Since(began), -most)
	return true
}
