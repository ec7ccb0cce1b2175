package tape

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/profile"
)

// zonesOfEvents are zones of recording machines and of dates.
var zonesOfEvents = []*time.Location{
	time.UTC, time.FixedZone("", 14*60*60), time.FixedZone("", 5*60*60), time.FixedZone("", -11*60*60),
}

// eventFrom is an event that began at a second, at some part of it, and took up to three.
func eventFrom(r *rand.Rand, second int) *Recording {
	began := time.Unix(int64(second), int64(r.IntN(1e9)))
	return &Recording{
		began: nanoseconds(began), answered: nanoseconds(began.Add(time.Duration(r.IntN(3e9)))),
		Frame: &Frame{zone: zonesOfEvents[r.IntN(len(zonesOfEvents))]},
	}
}

// drawnEvent is an event that began at a second or later, of which a few took hours, a few began nobody knows
// when, of a few nobody knows when they were answered, and a few were answered before they began.
func drawnEvent(r *rand.Rand, second int) *Recording {
	w := eventFrom(r, second)
	switch r.IntN(20) {
	case 0:
		w.began = never
	case 1:
		w.began, w.answered = never, never
	case 2, 3:
		w.answered += int64(time.Duration(r.IntN(10_000)) * time.Second)
	case 4:
		w.answered = w.began - int64(r.IntN(1e9))
	}
	return w
}

// TestEventsByTime compares the events that are found for a date with those that any of all events is, however
// long they took and in whatever order they came.
func TestEventsByTime(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 200 {
		known := newNotes()
		e := &Entity{notes: &known}
		begin := []int{1_795_000_000, -50_000}[r.IntN(2)] // some before 1970
		for i := range 100 {
			e.events = append(e.events, drawnEvent(r, begin+i*r.IntN(4_000)))
			near := e.events[r.IntN(len(e.events))].Answered()
			if near.IsZero() {
				continue
			}
			at := near.Add(time.Duration(r.Int64N(8e9)) - 4e9)
			form := []profile.Form{profile.EpochMS, profile.ISO, profile.Day}[r.IntN(3)]
			if form != profile.EpochMS {
				at = at.Truncate(time.Second)
			}
			at = at.In(zonesOfEvents[r.IntN(len(zonesOfEvents))])
			skew := time.Duration(r.IntN(2)) * maxSkew
			var want, got []int
			for k, w := range slices.Backward(e.events) {
				if within(w, at, form, skew) {
					want = append(want, k)
				}
			}
			for k, w := range e.happenedAt(at, form) {
				if within(w, at, form, skew) {
					got = append(got, k)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v as %v, off by %v: events %v, want %v", at, form, skew, got, want)
			}
			found += len(want)
			first := slices.IndexFunc(e.events, func(w *Recording) bool { return !w.Began().Before(at) })
			if first < 0 {
				first = len(e.events)
			}
			if k := e.firstFrom(at); k != first {
				t.Fatalf("the first event from %v is %d, want %d", at, k, first)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d dates told an event", found)
	}
}

// TestEventsAmongMany moves an account by ever more calls, one a minute. How many of them are looked at for
// a date does not grow.
func TestEventsAmongMany(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 400} {
		known := newNotes()
		e := &Entity{notes: &known}
		r := rand.New(rand.NewPCG(3, 4))
		for i := range n {
			e.events = append(e.events, eventFrom(r, 1_795_000_000+60*i))
		}
		looked := 0
		for range e.happenedAt(e.events[n/2].Began(), profile.ISO) {
			looked++
		}
		if looked == 0 || looked > 3 {
			t.Errorf("of %d events %d are looked at for a date", n, looked)
		}
	}
}

// TestDescending merges lists from their ends: every number once, and the greatest first.
func TestDescending(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		var lists [][]int
		all := []int{}
		for range r.IntN(5) {
			var list []int
			for k := range 20 {
				if r.IntN(3) == 0 {
					list = append(list, k)
				}
			}
			lists, all = append(lists, list), append(all, list...)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		slices.Reverse(all)
		if got := slices.Collect(descending(lists)); !slices.Equal(got, all) {
			t.Fatalf("%v: %v, want %v", lists, got, all)
		}
	}
}
