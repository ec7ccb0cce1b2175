package tape

import (
	"iter"
	"slices"
	"sort"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// fewEvents is from how many events on those of an entity are found by when they took place: an account may
// be moved by all calls of a tape.
const fewEvents = 16

// eventTimes finds the events of an entity that has many by when they took place, so that a date is compared
// with those alone that it may tell. Events are numbers in Entity.events.
type eventTimes struct {
	underWay map[stretch][]int // by each stretch of time in which they were under way
	longest  int               // the highest level of these stretches
	days     map[int64][]int   // by the day of Unix time, in UTC, on which they were answered
	begun    []int64           // for each event: when the latest of it and of those before began, in nanoseconds
}

// stretch is a piece of Unix time: a second at level 0, and 64 of the level below at any other. An event is
// entered under stretches of the lowest level of which it needs no more than 65.
type stretch struct {
	level int
	n     int64
}

// stretchBits is how many bits of a time in seconds a level leaves out.
const stretchBits = 6

// timed returns the times of the events of an entity; nil for one that has few. They are noted when they are
// asked for: nobody asks when most shops were moved, of which each call of a tape moves one.
func (e *Entity) timed() *eventTimes {
	if len(e.events) < fewEvents {
		return nil
	}
	if e.times == nil {
		e.times = &eventTimes{underWay: map[stretch][]int{}, days: map[int64][]int{}}
	}
	for _, w := range e.events[len(e.times.begun):] {
		e.times.add(w)
	}
	return e.times
}

// add adds the next event.
func (t *eventTimes) add(w *Recording) {
	k := len(t.begun)
	begun := w.began
	if k > 0 {
		begun = max(begun, t.begun[k-1])
	}
	t.begun = append(t.begun, begun)
	if w.Answered().IsZero() {
		return // no date tells it
	}
	to := w.Answered().Unix()
	from := to
	if began := w.Began(); !began.IsZero() {
		from = began.Unix()
	}
	t.days[day(to)] = append(t.days[day(to)], k)
	level := 0
	for (to-from)>>(stretchBits*level) > 1<<stretchBits {
		level++
	}
	t.longest = max(t.longest, level)
	for n := from >> (stretchBits * level); n <= to>>(stretchBits*level); n++ {
		at := stretch{level, n}
		t.underWay[at] = append(t.underWay[at], k)
	}
}

// day returns the day on which a second of Unix time is, in UTC.
func day(second int64) int64 {
	const length = 24 * 60 * 60
	return (second - (second%length+length)%length) / length
}

// happenedAt yields the events of an entity that a date of a form may tell (see within), the latest first,
// and perhaps others.
func (e *Entity) happenedAt(at time.Time, form profile.Form) iter.Seq2[int, *Recording] {
	return func(yield func(int, *Recording) bool) {
		times := e.timed()
		if times == nil {
			for k, w := range slices.Backward(e.events) {
				if !yield(k, w) {
					return
				}
			}
			return
		}
		for _, k := range slices.Backward(times.around(at, form)) {
			if !yield(k, e.events[k]) {
				return
			}
		}
	}
}

// around returns the events that a date of a form may tell, in their order. A clock may be off by a second
// (maxSkew), and a day of another zone by one.
func (t *eventTimes) around(at time.Time, form profile.Form) []int {
	var all []int
	second := at.Unix()
	for off := int64(-1); off <= 1; off++ {
		if !dates.Fine(form) {
			all = append(all, t.days[day(second)+off]...)
			continue
		}
		for level := 0; level <= t.longest; level++ {
			all = append(all, t.underWay[stretch{level, second>>(stretchBits*level) + off}]...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// firstFrom returns the first event of an entity that began at a time or later; the number of events if there
// is none.
func (e *Entity) firstFrom(at time.Time) int {
	times := e.timed()
	if times == nil {
		k := slices.IndexFunc(e.events, func(w *Recording) bool { return !w.Began().Before(at) })
		if k < 0 {
			return len(e.events)
		}
		return k
	}
	from := nanoseconds(at)
	return sort.Search(len(e.events), func(k int) bool { return times.begun[k] >= from })
}
