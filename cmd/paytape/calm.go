package main

import (
	"sync"
	"time"
)

// The lines of one reason that are logged as they should be.
const (
	calmLines = 10
	calmTime  = time.Minute
)

// calm keeps from flooding the log what anybody can cause who reaches the deck: of one reason
// ten lines a minute are logged as they should be, and the others at a level where they do not
// disturb. The first line after those tells how many they were. Metrics count them all. Reasons
// are words of ours, so there are few.
type calm struct {
	now func() time.Time

	mu    sync.Mutex // guards the rest
	since map[string]span
}

// span is what was logged for one reason in a minute.
type span struct {
	began   time.Time
	lines   int
	dropped int // lines that no other has told of
}

// admits reports whether a line is logged as it should be, and then how many before it were not.
func (c *calm) admits(reason string) (before int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since == nil {
		c.since = map[string]span{}
	}
	now, s := c.now(), c.since[reason]
	if s.lines == 0 || now.Sub(s.began) >= calmTime {
		s.began, s.lines = now, 0
	}
	if ok = s.lines < calmLines; ok {
		before = s.dropped
		s.lines, s.dropped = s.lines+1, 0
	} else {
		s.dropped++
	}
	c.since[reason] = s
	return before, ok
}
