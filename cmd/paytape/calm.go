package main

import (
	"log/slog"
	"sync"
	"time"
)

// The lines of one reason that are logged as they should be.
const (
	calmLines = 10
	calmTime  = time.Minute
)

// calm keeps from flooding the log what anybody can cause who reaches the deck: of one reason
// ten lines a minute are logged at their level and the others at debug. The first line after
// those tells how many they were. Metrics count them all. Reasons are words of ours, so there
// are few.
type calm struct {
	now func() time.Time

	mu    sync.Mutex // guards the rest
	since map[string]span
}

// span is what was logged for one reason in a minute.
type span struct {
	began   time.Time
	lines   int
	dropped int // lines at debug that no other has told of
}

// level returns the level of a line that was meant for another, and what it tells.
func (c *calm) level(reason string, meant slog.Level, as []slog.Attr) (slog.Level, []slog.Attr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, w := c.now(), c.since[reason]
	if w.lines == 0 || now.Sub(w.began) >= calmTime {
		w.began, w.lines = now, 0
	}
	if w.lines == calmLines {
		w.dropped, meant = w.dropped+1, slog.LevelDebug
	} else {
		if w.dropped > 0 {
			as = append(as, slog.Int("before", w.dropped))
		}
		w.lines, w.dropped = w.lines+1, 0
	}
	if c.since == nil {
		c.since = map[string]span{}
	}
	c.since[reason] = w
	return meant, as
}
