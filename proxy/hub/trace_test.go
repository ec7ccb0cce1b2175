package hub_test

import (
	"testing"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
)

// The latest attempt of a callback is found by the number of the callback.
func TestCallbacksAreFoundByTheirNumber(t *testing.T) {
	t.Parallel()
	h := hub.New(hub.Options{Events: 3})
	for _, n := range []int{1, 2, 2, 0} {
		h.Publish(proxy.Event{Kind: proxy.Callback, Callback: n})
	}
	for n, want := range map[int]uint64{1: 0, 2: 3, 3: 0} {
		if id, found := h.Callback(n); id != want || found != (want != 0) {
			t.Errorf("callback %d is event %d, %v; want %d", n, id, found, want)
		}
	}
}

// TestMissesAreFoundByTheirNumber publishes misses among other events: each is found by its number, as
// the body of the miss tells it, for as long as it is held.
func TestMissesAreFoundByTheirNumber(t *testing.T) {
	t.Parallel()
	h := hub.New(hub.Options{Events: 4})
	if _, found := h.Miss(0); found {
		t.Error("there is a miss in a hub without events")
	}
	for n := range 3 {
		h.Publish(proxy.Event{Kind: proxy.Served})
		h.Publish(proxy.Event{Kind: proxy.Missed, Reason: match.BadField, Miss: uint64(n + 1)})
	}
	for n, want := range map[uint64]uint64{0: 6, 1: 0, 2: 4, 3: 6, 4: 0} {
		if id, found := h.Miss(n); id != want || found != (want != 0) {
			t.Errorf("miss %d is event %d, %v; want %d", n, id, found, want)
		}
	}
	if h.Trace(6) != nil || h.Trace(1) != nil || h.Trace(7) != nil || h.Trace(0) != nil {
		t.Error("an event without an exchange has a trace")
	}
}
