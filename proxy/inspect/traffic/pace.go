package traffic

import (
	"context"
	"time"
)

// Reading takes half of the time of one processor in which no request is under way, and at least an
// eighth of the time. With two processors that is a quarter of the machine, and a sixteenth.
const (
	idleShare  = 1.0 / 2
	leastShare = 1.0 / 8
)

// load is how many requests a deck has under way, on average: all the time that requests took within
// a second is that number (Little's law). A deck that answers 2,000 requests a second in 0.1 ms each
// has 0.2 requests under way, so four fifths of the time nobody waits for it. Where eight clients ask
// as fast as they can, it has eight. Where others need the machine each request takes longer, and
// there are more under way.
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

// share returns which part of the time of a processor reading may take.
func (l *load) share(now time.Time) float64 {
	l.turn(now)
	return max(leastShare, (1-l.underWay)*idleShare)
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
