package inspect

import (
	"sync/atomic"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Counter counts the events of a deck, all of them: a list of the last exchanges may lose some. It is
// safe for concurrent use; NewCounter makes one.
type Counter struct {
	requests, hits, misses, marked, ruled, failed, recorded, passed atomic.Int64

	taken, refused atomic.Int64 // callbacks that were relayed, by what the shop said

	reasons map[match.Reason]*atomic.Int64 // does not change
}

// NewCounter returns a Counter that has counted nothing.
func NewCounter() *Counter {
	c := &Counter{reasons: map[match.Reason]*atomic.Int64{}}
	for _, r := range match.Reasons() {
		c.reasons[r] = &atomic.Int64{}
	}
	return c
}

// Observe counts an event.
func (c *Counter) Observe(e proxy.Event) {
	switch e.Kind {
	case proxy.Callback:
		c.countRelayed(e)
		return
	case proxy.Refused, proxy.Warning:
		return // no mode was asked
	case proxy.Served:
		c.hits.Add(1)
	case proxy.Missed:
		c.misses.Add(1)
		if n := c.reasons[e.Reason]; n != nil {
			n.Add(1)
		}
	case proxy.Recorded:
		c.recorded.Add(1)
	case proxy.Passed:
		c.passed.Add(1)
	case proxy.Failed:
		if e.Note == proxy.NoteUnsynced {
			return // it tells of no request
		}
		c.failed.Add(1)
	}
	c.requests.Add(1)
	if e.Mark != "" {
		c.marked.Add(1)
	}
	if len(e.Rules) > 0 {
		c.ruled.Add(1)
	}
}

// countRelayed counts callbacks that a sandbox has sent through the deck. A Sender counts its own.
func (c *Counter) countRelayed(e proxy.Event) {
	switch {
	case e.Outcome != proxy.OutcomeRelayed:
	case e.Code >= 200 && e.Code <= 299:
		c.taken.Add(1)
	default:
		c.refused.Add(1)
	}
}

// Fill puts the counts into a status.
func (c *Counter) Fill(s *view.Status) {
	s.Requests, s.Hits, s.Misses = c.requests.Load(), c.hits.Load(), c.misses.Load()
	s.Marked, s.Ruled, s.Failed = c.marked.Load(), c.ruled.Load(), c.failed.Load()
	s.Recorded, s.Passed = c.recorded.Load(), c.passed.Load()
	s.Callbacks.Accepted, s.Callbacks.Refused = int(c.taken.Load()), int(c.refused.Load())
	s.Reasons = map[string]int64{}
	for r, n := range c.reasons {
		if count := n.Load(); count > 0 {
			s.Reasons[string(r)] = count
		}
	}
}
