package tape

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
)

// A date that was shown before tells the event that it told then, in whatever form.

// scopesLast orders entities by how likely a date tells an event of theirs: what happens in a scope
// happens to one of its members.
func scopesLast(e, o *Entity) int {
	switch {
	case e.Scope == o.Scope:
		return 0
	case o.Scope:
		return -1
	}
	return 1
}

// shows notes a date of an entity that a recording is the first to show.
func (e *Entity) shows(rec *Recording, key dated, at time.Time, s *Source) {
	if e.dates == nil {
		e.shownDates = &shownDates{
			dates: map[dated]*Source{}, instants: map[int64][]*Source{}, latest: map[dated]*Recording{},
		}
	}
	if before := e.dates[key]; before != nil && before.K != s.K {
		if e.earlier == nil {
			e.earlier = map[dated][]*Source{}
		}
		e.earlier[key] = append(e.earlier[key], before)
	}
	for _, k := range []dated{key, {key.form, key.text, ""}} {
		e.dates[k], e.latest[k] = s, rec
	}
	if dates.Fine(key.form) {
		e.instants[at.Unix()] = append(e.instants[at.Unix()], s)
	}
}

// tellsAs reports whether two dates of one entity and one second tell the same event.
func (s *Source) tellsAs(o *Source) bool {
	return (s.What == Value) == (o.What == Value) && s.K == o.K
}

// shown returns the hole of a date that was shown under the same key before. Two things may be made in
// one second: a date that tells an event of one is none of a thing farther away. And what a call tells of
// itself it tells anew each time, where no profile says more.
func (a *answerReader) shown(l *leaf.Leaf, near []*Entity, key dated) *Hole {
	for _, e := range near {
		if s := e.dates[key]; s != nil && !e.keptBack(e.latest[key], a.rec) {
			e.latest[key] = a.rec
			again := s.K > 0 && s.K < len(e.events) && e.events[s.K].Op == a.rec.Op
			if again && a.unsaid(l) && a.happensNow(key) {
				return nil
			}
			return a.filled(a.again(e, a.ofTheThing(l, e, key)), Rendering{})
		}
		if a.happened(e, key) {
			return nil
		}
	}
	return nil
}

// ofTheThing returns the event that a date tells which was shown before: of several that of the call
// whose answer was the first to show what stands beside the date, else the latest.
func (a *answerReader) ofTheThing(l *leaf.Leaf, e *Entity, key dated) *Source {
	if len(e.earlier[key]) == 0 {
		return e.dates[key]
	}
	group := groupOf(l.Path)
	for _, s := range append(slices.Clip(e.earlier[key]), e.dates[key]) {
		for i := range a.m.Leaves {
			o := &a.m.Leaves[i]
			if o.Place == l.Place && groupOf(o.Path) == group && s.K >= 0 && s.K < len(e.events) &&
				a.survey.ShownFirst(o.Value) == e.events[s.K].Surveyed() {
				return s
			}
		}
	}
	return e.dates[key]
}

// happened reports whether a date may tell when an entity was born here or, if it tells a time of
// day, any other event of it.
func (a *answerReader) happened(e *Entity, key dated) bool {
	for _, zone := range a.zones() {
		at, _ := dates.Parse(key.form, key.text, zone)
		if e.Born == a.rec && a.rec.Writes() && within(a.rec, at, key.form, 0) {
			return true
		}
		if !dates.Fine(key.form) || e.Scope {
			continue
		}
		for _, w := range e.happenedAt(at, key.form) {
			if within(w, at, key.form, 0) {
				return true
			}
		}
	}
	return false
}

// happensNow reports whether a date may tell when the exchange took place.
func (a *answerReader) happensNow(key dated) bool {
	return slices.ContainsFunc(a.zones(), func(zone *time.Location) bool {
		at, _ := dates.Parse(key.form, key.text, zone)
		return dates.Fine(key.form) && within(a.rec, at, key.form, 0)
	})
}

// zones returns those in which a date may be that tells none: that of the recording machine, or UTC.
func (a *answerReader) zones() []*time.Location {
	return []*time.Location{a.rec.Answered().Location(), time.UTC}
}

// again returns the source of a date that is known, as this answer sees the entity. What a read told
// as the time of its answer, and is told again, is kept from its first showing on.
func (a *answerReader) again(e *Entity, s *Source) *Source {
	if s.What == Now && s.K < 0 {
		a.tape.words.refill(s, keep)
		a.tape.want(s.Slot)
	}
	same, ref := *s, a.ref(e)
	a.tape.words.refill(&same, func(f *Filling) {
		if f.What == Now { // it told the time of a write: for others that is an event
			f.What = Event
		}
		f.Ref, f.Cause = ref, f.What == Event && a.causes(e, f.K)
	})
	same.owner = e
	return a.tape.slabs.sources.Put(same)
}

// redated returns the rendering in which a text of a form shows a date, and whether it does: a date
// that tells no fraction of a second cannot show one.
func redated(s *Source, f profile.Form, text string) (Rendering, bool) {
	if s.Form == f && s.Text == text {
		return Rendering{}, true
	}
	if !dates.Fine(f) {
		return Rendering{}, false
	}
	r := Rendering{How: Dated, Like: text, date: &redating{s.Form, f, s.Zone}}
	return r, r.Writes(s.Text, text)
}

// datesWithin makes holes of the dates inside a text that are those of other fields.
func (a *answerReader) datesWithin(l *leaf.Leaf, all []dates.Span) {
	for _, sp := range all {
		text := strings.Clone(l.Value[sp.From:sp.To])
		if a.covered(l, request.Token{Text: text, At: sp.From}) {
			continue
		}
		if h := a.sameDate(a.near(l), sp.Form, text); h != nil {
			a.hole(l, sp.From, sp.To, h)
		}
	}
}

// daysWithin makes holes of the days inside a text, on which something took place that the answers tell the
// time of: "Card payments of 2026-03-31" beside "eventDate":"2026-03-31T12:03:10+00:00".
func (a *answerReader) daysWithin(l *leaf.Leaf, all []dates.Span) {
	for _, sp := range all {
		text := l.Value[sp.From:sp.To]
		if sp.Form != profile.Day || text == l.Value || a.covered(l, request.Token{Text: text, At: sp.From}) {
			continue
		}
		for _, e := range a.near(l) {
			if e.Scope || len(e.instants) == 0 {
				continue
			}
			if s, r := e.onDay(strings.Clone(text)); s != nil {
				a.hole(l, sp.From, sp.To, a.filled(a.again(e, s), r))
				break
			}
		}
	}
}

// onDay returns the first moment that was shown of an entity on a day, and how the day is written; nil for
// none.
func (e *Entity) onDay(day string) (first *Source, r Rendering) {
	midnight, ok := dates.Parse(profile.Day, day, time.UTC)
	if !ok {
		return nil, r
	}
	const dayAndZones = 38 * time.Hour // from the midnight of a day in UTC to its end in the last zone
	at := midnight.Add(dayAndZones).Unix()
	for second, all := range e.instants {
		if second >= at || second < midnight.Add(24*time.Hour-dayAndZones).Unix() {
			continue
		}
		of := Rendering{How: Dated, Like: day, date: &redating{all[0].Form, profile.Day, all[0].Zone}}
		if of.Writes(all[0].Text, day) {
			at, first, r = second, all[0], of
		}
	}
	return first, r
}

// sameDate returns the hole of a date that was shown of an entity near by, in whatever form.
func (a *answerReader) sameDate(near []*Entity, f profile.Form, text string) *Hole {
	at, ok := dates.Parse(f, text, a.rec.Answered().Location())
	if !ok {
		return nil
	}
	for _, e := range near {
		if s := e.dates[dated{f, text, ""}]; s != nil {
			return a.filled(a.again(e, s), Rendering{})
		}
		for _, s := range e.instants[at.Unix()] {
			if r, ok := redated(s, f, text); ok {
				return a.filled(a.again(e, s), r)
			}
		}
	}
	return nil
}
