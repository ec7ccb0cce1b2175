package hub_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
)

// publish publishes n events, of which each has the code that is its number among them.
func publish(h *hub.Hub, n int) {
	for i := range n {
		h.Publish(proxy.Event{Kind: proxy.Served, Code: i + 1})
	}
}

// follow returns what a subscriber gets, after an event, of a hub that is closed.
func follow(h *hub.Hub, after uint64) (list []hub.Event, lost uint64) {
	for e, n := range h.Follow(context.Background(), after) {
		list = append(list, e)
		lost += n
	}
	return list, lost
}

// ascending fails unless each event has the number after that of the one before it.
func ascending(t *testing.T, list []hub.Event) {
	t.Helper()
	for i, e := range list {
		if i > 0 && e.ID != list[i-1].ID+1 {
			t.Fatalf("event %d comes after event %d", e.ID, list[i-1].ID)
		}
	}
}

// TestRingHoldsTheLastEvents publishes any number of events into rings of any size.
func TestRingHoldsTheLastEvents(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		size, n, after := 1+random.IntN(20), random.IntN(60), random.IntN(60)
		h := hub.New(hub.Options{Events: size})
		publish(h, n)
		h.Close()
		held := min(size, n)
		last := h.Last(1000)
		ascending(t, last)
		if len(last) != held || h.LastID() != uint64(n) {
			t.Fatalf("%d of %d events are held, the last is %d; want %d", len(last), n, h.LastID(), held)
		}
		for _, e := range last {
			if e.Code != int(e.ID) {
				t.Fatalf("event %d is the one with number %d", e.ID, e.Code)
			}
		}
		if got := h.Last(2); len(got) != min(2, held) || len(got) > 0 && got[len(got)-1].ID != uint64(n) {
			t.Fatalf("the last two are %d", len(got))
		}
		list, lost := follow(h, uint64(after))
		ascending(t, list)
		if want := max(0, n-after); len(list)+int(lost) != want || len(list) > held {
			t.Fatalf("%d events after %d of %d in a ring of %d: got %d and lost %d",
				want, after, n, size, len(list), lost)
		}
	}
}

func TestSlowSubscriberIsToldWhatItLost(t *testing.T) {
	t.Parallel()
	h := hub.New(hub.Options{Events: 4})
	publish(h, 3)
	var got, lost []uint64
	for e, n := range h.Follow(t.Context(), 0) {
		got, lost = append(got, e.ID), append(lost, n)
		switch e.ID {
		case 1:
			publish(h, 10) // 13 in all: 2 to 9 have left the ring
		case 13:
			h.Close()
		}
	}
	want, wantLost := []uint64{1, 10, 11, 12, 13}, []uint64{0, 8, 0, 0, 0}
	for i := range want {
		if i >= len(got) || got[i] != want[i] || lost[i] != wantLost[i] {
			t.Fatalf("got events %v and lost %v, want %v and %v", got, lost, want, wantLost)
		}
	}
}

// TestPublishWaitsForNobody has a subscriber that never comes back. In a bubble a Publish that
// waited for it would be a deadlock.
func TestPublishWaitsForNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := hub.New(hub.Options{Events: 8})
		stuck, done := make(chan struct{}), make(chan uint64)
		go func() {
			var lost uint64
			for _, n := range h.Follow(context.Background(), 0) {
				<-stuck
				lost += n
			}
			done <- lost
		}()
		publish(h, 1)
		synctest.Wait() // it has event 1 and is stuck
		publish(h, 10_000)
		close(stuck)
		h.Close()
		if lost := <-done; lost != 10_000-8 {
			t.Errorf("it was told of %d lost events, want %d", lost, 10_000-8)
		}
	})
}

func TestEventsHaveTheTimeOfTheirPublication(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := hub.New(hub.Options{})
		began := time.Now()
		var times []time.Duration
		var wg sync.WaitGroup
		wg.Go(func() {
			for e := range h.Follow(t.Context(), 0) {
				times = append(times, e.Time.Sub(began))
			}
		})
		publish(h, 1)
		time.Sleep(time.Minute) // of the bubble's own clock
		publish(h, 2)
		h.Close()
		wg.Wait()
		want := []time.Duration{0, time.Minute, time.Minute}
		if len(times) != 3 || times[0] != want[0] || times[1] != want[1] || times[2] != want[2] {
			t.Errorf("times are %v, want %v", times, want)
		}
	})
}

func TestFollowWaitsAndEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := hub.New(hub.Options{})
		publish(h, 2)
		ctx, stop := context.WithCancel(t.Context())
		got, ended := 0, false
		go func() {
			for range h.Follow(ctx, h.LastID()) {
				got++
			}
			ended = true
		}()
		synctest.Wait()
		if got != 0 || ended {
			t.Fatalf("it got %d events of before", got)
		}
		publish(h, 3)
		synctest.Wait()
		if got != 3 || ended {
			t.Fatalf("it got %d events of 3", got)
		}
		stop()
		synctest.Wait()
		if !ended {
			t.Error("it follows on")
		}
	})
}

func TestCloseEndsFollowersAndKeepsTheEvents(t *testing.T) {
	t.Parallel()
	told := 0
	h := hub.New(hub.Options{Observers: []func(proxy.Event){nil, func(proxy.Event) { told++ }}})
	publish(h, 3)
	h.Close()
	h.Close()
	publish(h, 1)
	if list, lost := follow(h, 1); len(list) != 2 || lost != 0 {
		t.Errorf("got %d events and lost %d", len(list), lost)
	}
	if len(h.Last(9)) != 3 {
		t.Errorf("%d events are held after Close, want 3", len(h.Last(9)))
	}
	if told != 4 {
		t.Errorf("the observer was told %d times, want 4", told)
	}
}

// TestManyPublishersAndFollowers has followers come and go while many publish. Each must see
// numbers without holes, apart from those that it is told of.
func TestManyPublishersAndFollowers(t *testing.T) {
	t.Parallel()
	const publishers, each = 8, 500
	h := hub.New(hub.Options{Events: 64})
	var publishing, following sync.WaitGroup
	for range publishers {
		publishing.Go(func() { publish(h, each) })
	}
	for i := range 20 {
		following.Go(func() {
			after := uint64(0)
			for round := 0; ; round++ {
				// Every second follower leaves after some events and comes back.
				ctx, stop := context.WithCancel(t.Context())
				seen := 0
				for e, lost := range h.Follow(ctx, after) {
					if e.ID != after+lost+1 {
						t.Errorf("event %d comes after %d with %d lost", e.ID, after, lost)
					}
					after = e.ID
					if seen++; i%2 == 0 && seen > 10*i {
						break
					}
				}
				stop()
				if after == publishers*each {
					return
				}
			}
		})
	}
	publishing.Wait()
	h.Close()
	following.Wait()
	if h.LastID() != publishers*each {
		t.Errorf("the last event has number %d, want %d", h.LastID(), publishers*each)
	}
}

// TestFollowOnlyIsWokenByWhatIsWanted publishes many events of which the last is wanted: the follower
// is not woken before, and has lost none, although the ring has room for few.
func TestFollowOnlyIsWokenByWhatIsWanted(t *testing.T) { // not parallel: it counts allocations
	synctest.Test(t, func(t *testing.T) {
		h := hub.New(hub.Options{Events: 4})
		publish(h, 1)
		looked := 0
		wanted := func(e *proxy.Event) bool {
			looked++
			return e.Kind == proxy.Missed
		}
		var got, lost uint64
		var wg sync.WaitGroup
		wg.Go(func() {
			for e, n := range h.FollowOnly(t.Context(), 0, wanted) {
				got, lost = e.ID, lost+n
			}
		})
		synctest.Wait()
		const n = 1000
		allocated := testing.AllocsPerRun(n, func() { publish(h, 1) })
		if allocated != 0 {
			t.Errorf("an event that nobody wants takes %v allocations", allocated)
		}
		h.Publish(proxy.Event{Kind: proxy.Missed})
		h.Close()
		wg.Wait()
		if want := uint64(1 + n + 1 + 1); got != want || lost != 0 {
			t.Errorf("event %d came and %d were lost, want event %d and none", got, lost, want)
		}
		if looked > n+4 {
			t.Errorf("%d events were looked at %d times", n+3, looked)
		}
	})
}

// TestFollowOnlyLeaves has followers leave that nothing wakes: nothing of them is left.
func TestFollowOnlyLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := hub.New(hub.Options{})
		looked := 0
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			for range h.FollowOnly(ctx, 0, func(*proxy.Event) bool { looked++; return false }) {
				t.Error("an event came that is not wanted")
			}
		}()
		synctest.Wait()
		publish(h, 1)
		stop()
		synctest.Wait()
		publish(h, 1)
		if looked != 1 {
			t.Errorf("%d events were looked at, of which one came before the follower left", looked)
		}
	})
}
