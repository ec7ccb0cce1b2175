package sandbox_test

import (
	"sync"
	"time"
)

// clock is a clock that stands still until it is moved.
type clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

func newClock() *clock {
	return &clock{at: time.Date(2026, 3, 14, 10, 20, 30, 0, time.FixedZone("", 3*60*60))}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// set moves the clock to a day, at the time it has.
func (c *clock) set(day string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to, err := time.ParseInLocation(time.DateOnly, day, c.at.Location())
	if err != nil {
		panic("the day of a test is no day")
	}
	today := time.Date(c.at.Year(), c.at.Month(), c.at.Day(), 0, 0, 0, 0, c.at.Location())
	c.at = to.Add(c.at.Sub(today))
}
