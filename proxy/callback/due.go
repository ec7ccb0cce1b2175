package callback

import "time"

// What comes by itself, such as an order that nobody has paid in time, brings callbacks without an
// answer. The player of the tape knows when it comes, and must be asked then.

// await waits for what comes by itself at a time; zero is none.
func (s *Sender) await(at time.Time) {
	s.mu.Lock()
	if at.IsZero() || s.options.Advance == nil || s.closed ||
		!s.dueAt.IsZero() && !at.Before(s.dueAt) {
		s.mu.Unlock()
		return
	}
	s.dueAt = at
	if !s.timing {
		s.timing = true
		s.runs.Go(s.keepTime)
	}
	s.mu.Unlock()
	s.pokeTimer()
}

// pokeTimer has keepTime look at dueAt again.
func (s *Sender) pokeTimer() {
	select {
	case s.sooner <- struct{}{}:
	default:
	}
}

// leastWait keeps a clock that stands still, or runs slowly, from being asked all the time.
const leastWait = 10 * time.Millisecond

// keepTime sends what comes by itself, until nothing does any more.
func (s *Sender) keepTime() {
	for {
		s.mu.Lock()
		at := s.dueAt
		if at.IsZero() || s.closed {
			s.timing = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		if !s.waitUntil(at) {
			continue
		}
		s.mu.Lock()
		s.dueAt = time.Time{}
		s.mu.Unlock()
		now := s.options.Now()
		callbacks, next := s.options.Advance(now)
		s.Send(callbacks)
		s.await(next)
	}
}

// waitUntil waits for a time of the clock, and reports whether it has come: there may be an earlier
// one to wait for, or none.
func (s *Sender) waitUntil(at time.Time) bool {
	left := at.Sub(s.options.Now())
	if left <= 0 {
		return true
	}
	t := time.NewTimer(max(left, leastWait))
	defer t.Stop()
	select {
	case <-t.C:
		return !s.options.Now().Before(at)
	case <-s.sooner:
	case <-s.ctx.Done():
	}
	return false
}
