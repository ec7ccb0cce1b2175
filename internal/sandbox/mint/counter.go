package mint

// Counter hands out the numbers from lo to hi in order and then goes round. Its owner's
// lock guards it.
type Counter struct {
	value, lo, hi int64
}

// NewCounter counts from lo to hi and starts at a place that the seed decides.
func NewCounter(s *Source, lo, hi int64) *Counter {
	return &Counter{value: lo + s.rng.Int64N(hi-lo+1), lo: lo, hi: hi}
}

// Next counts one on.
func (c *Counter) Next() int64 {
	c.value++
	if c.value > c.hi {
		c.value = c.lo
	}
	return c.value
}
