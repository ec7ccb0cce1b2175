package tape

import (
	"iter"
	"slices"
	"sort"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// fewEvents is how many events an entity has at least that has an index of them by time. An account may be
// moved by all calls of a tape.
const fewEvents = 16

// eventTimes is an index of the events of one entity by when they took place, so that a date is compared with
// those alone that it may tell. Events are numbers in Entity.events, and ascend in each list.
type eventTimes struct {
	underWay map[stretch][]int // by each stretch of time in which they were under way
	highest  int               // level of these stretches
	days     map[int64][]int   // by the day of Unix time, in UTC, on which they were answered
	begun    []int64           // for each event: when the latest of it and of those before began, in nanoseconds
}

// stretch is a piece of Unix time: a second at level 0, and 64 of the level below at any other. An event is
// entered under all stretches that it touches, of the lowest level at which it is no longer than 64 of them.
type stretch struct {
	level int
	n     int64
}

// stretchBits is how many bits of a time in seconds a level leaves out.
const stretchBits = 6

// timed returns the index of the events of an entity; nil for one that has few. It is made, and completed, when
// somebody asks for it. Each call of a tape moves its shop, and nobody asks when most shops were moved.
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
	t.days[day(to)] = append(t.days[day(to)], k)
	from := to
	if began := w.Began(); !began.IsZero() {
		from = min(began.Unix(), to) // a tape that was made by hand may have an answer before its request
	}
	level := 0
	for (to-from)>>(stretchBits*level) > 1<<stretchBits {
		level++
	}
	t.highest = max(t.highest, level)
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

// happenedAt yields the events of an entity that a date of a form may tell (see within), and perhaps others:
// those that were added last come first.
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
		for k := range descending(times.around(at, form)) {
			if !yield(k, e.events[k]) {
				return
			}
		}
	}
}

// around returns lists with all events that a date of a form may tell. A clock may be off by a second
// (maxSkew), and a day of another zone by one.
func (t *eventTimes) around(at time.Time, form profile.Form) [][]int {
	var lists [][]int
	second := at.Unix()
	for off := int64(-1); off <= 1; off++ {
		if !dates.Fine(form) {
			lists = append(lists, t.days[day(second)+off])
			continue
		}
		for level := 0; level <= t.highest; level++ {
			lists = append(lists, t.underWay[stretch{level, second>>(stretchBits*level) + off}])
		}
	}
	return lists
}

// descending yields the numbers in ascending lists from the greatest down, each once. It looks at no more of
// them than it yields: the first is most often the one that is looked for.
func descending(lists [][]int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for {
			greatest := -1
			for _, list := range lists {
				if n := len(list); n > 0 {
					greatest = max(greatest, list[n-1])
				}
			}
			if greatest < 0 || !yield(greatest) {
				return
			}
			for i, list := range lists {
				if n := len(list); n > 0 && list[n-1] == greatest {
					lists[i] = list[:n-1]
				}
			}
		}
	}
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
