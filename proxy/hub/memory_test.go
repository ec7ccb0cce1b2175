package hub_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
)

// TestWhatEventsHoldIsBounded publishes events with large exchanges: what they hold is bounded by the
// bytes of the ring, however many there have been.
func TestWhatEventsHoldIsBounded(t *testing.T) { // not parallel: it measures the heap
	const (
		bound = 4 << 20  // of the ring
		body  = 20 << 10 // bytes
		few   = 10_000   // events; their exchanges have 200 MB
	)
	before := heap()
	h := hub.New(hub.Options{Bytes: bound})
	for _, n := range []int{few, 3 * few} {
		for range n {
			x := &leaf.Exchange{}
			x.Response.Body = strings.Repeat("x", body)
			h.Publish(proxy.Event{Kind: proxy.Served, Exchange: proxy.NewExchange(x)})
		}
		if held := heap() - before; held > 2*bound {
			t.Errorf("events hold %d KB after event %d, want %d KB at most and the ring itself",
				held>>10, h.LastID(), bound>>10)
		}
	}
	if held := len(h.Last(hub.DefaultEvents)); held != hub.DefaultEvents {
		t.Errorf("%d events are held, want %d: an event outlives its exchange", held,
			hub.DefaultEvents)
	}
}

// heap returns how many bytes are live.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
