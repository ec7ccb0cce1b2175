package tape

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// A date far from its exchange may be a term that was reckoned from an event, such as the end of a period:
//
//	POST /subscriptions    {"created":1795947782,"period_end":1798539782}
//
// Both are at 10:23:02 on the 29th, one month apart. So period_end keeps this distance from the event that
// created tells. A date that was not reckoned so tells this second of the day by a chance of one in ten
// thousand. A date that tells no time of day, or the first or the last second of a day, is never taken for
// such a term: "valid until" is often the end of a day.

// The bounds of unknown dates that move.
const (
	nearDates    = 36 * time.Hour            // within which a date tells an event, or is reckoned in hours
	farthestDate = 10 * 365 * 24 * time.Hour // beyond which nothing is reckoned
)

// moment is a date which the answer at hand tells, and that moves.
type moment struct {
	at     time.Time
	group  string // the object of an array in which it stands
	source *Source
}

// isTerm reports whether a leaf holds a date, with a time of day, that lies far from the exchange.
func (a *answerReader) isTerm(l *leaf.Leaf, n *leafNote) bool {
	form := n.field.Form
	switch {
	case n.field.From == profile.Date:
	case len(n.dates) == 1 && n.dates[0].From == 0 && n.dates[0].To == len(l.Value):
		form = n.dates[0].Form
	default:
		return false
	}
	return dates.Fine(form) && a.isFar(l.Value, form)
}

// isFar reports whether a date lies too far from the exchange to move for that alone.
func (a *answerReader) isFar(text string, form profile.Form) bool {
	at, ok := dates.Parse(form, text, a.rec.Answered().Location())
	return !ok || at.Sub(a.rec.Answered()).Abs() > nearDates
}

// tells notes a date that moves, from which others may have been reckoned.
func (a *answerReader) tells(l *leaf.Leaf, s *Source) {
	if s.K < 0 || s.What != Now && s.What != Event || !dates.Fine(s.Form) {
		return
	}
	if at, ok := dates.Parse(s.Form, s.Text, s.Zone); ok {
		a.moments = append(a.moments, moment{at, groupOf(l.Path), s})
	}
}

// isReckoned reports whether a date was reckoned from one that moves, and by the sandbox: what the client
// has sent is the client's.
func (a *answerReader) isReckoned(l *leaf.Leaf, form profile.Form) bool {
	at, ok := dates.Parse(form, l.Value, a.rec.Answered().Location())
	if !ok || !dates.Fine(form) || at.Sub(a.rec.Answered()).Abs() > farthestDate || a.fixed[l.Value] {
		return false
	}
	for _, zone := range a.zones() {
		at, _ := dates.Parse(form, l.Value, zone)
		if a.reckonedFrom(l, at) != nil || within(a.rec, sameDay(at, a.rec.Answered()), form, maxSkew) {
			return true
		}
	}
	return false
}

// reckoned returns the event from which a date far off was reckoned, and whose event it is: the event that a date
// beside it tells, else the exchange. Both results are nil if it was reckoned from neither.
func (a *answerReader) reckoned(l *leaf.Leaf, near []*Entity, form profile.Form) (*Source, *Entity) {
	if !dates.Fine(form) || !a.isFar(l.Value, form) {
		return nil, nil
	}
	for _, zone := range a.zones() {
		at, _ := dates.Parse(form, l.Value, zone)
		m := a.reckonedFrom(l, at)
		switch {
		case m == nil:
		case m.source.What == Now:
			s, owner := a.thisEvent(near)
			return a.inZone(s, zone), owner
		default:
			s := a.tape.slabs.sources.Put(*m.source)
			return a.inZone(s, zone), s.owner
		}
	}
	for _, skew := range a.clock.skews() {
		for _, zone := range a.zones() {
			at, _ := dates.Parse(form, l.Value, zone)
			day := sameDay(at, a.rec.Answered())
			if !within(a.rec, day, form, skew) {
				continue
			}
			s, owner := a.eventWithin(l, near, day, form, skew)
			if s.K < 0 && at.Before(day) { // nothing is kept that lies before what was done last
				s = a.now(0)
			}
			return a.inZone(s, zone), owner
		}
	}
	return nil, nil
}

// reckonedFrom returns the date of the object around a leaf, or of an object around that, which tells the
// same time of day; nil if there is none.
func (a *answerReader) reckonedFrom(l *leaf.Leaf, at time.Time) *moment {
	group := groupOf(l.Path)
	if isEdge(at) || isEdge(at.UTC()) {
		return nil
	}
	for i := range a.moments {
		m := &a.moments[i]
		if !strings.HasPrefix(group, m.group) {
			continue
		}
		if sameDay(at, m.at).Truncate(time.Second).Equal(m.at.Truncate(time.Second)) {
			return m
		}
	}
	return nil
}

// isEdge reports whether a time is the first or the last second of a day.
func isEdge(at time.Time) bool {
	h, m, s := at.Clock()
	return h == 0 && m == 0 && s == 0 || h == 23 && m == 59 && s == 59
}

// sameDay returns the time of day of a date on the day of another.
func sameDay(date, of time.Time) time.Time {
	return date.AddDate(0, 0, -dates.Days(of.In(date.Location()), date))
}
