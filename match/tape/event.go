package tape

import (
	"slices"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// A date that an answer shows tells an event: the order was registered, paid, the answer given. In
// replay it is the time of the live event, moved by what lay between the two on tape. A date that
// the client sent follows the client. What lies behind the last event and before the answer, such as
// the end of a payer's visit at the ACS, is of an event that no exchange tells: it is kept as a value
// from its first showing on.

// unknownDate reports whether a leaf of which no profile knows anything holds a date that moves: it
// lies near the exchange, or was reckoned from a date that moves. It completes the field.
func (a *answerReader) unknownDate(l *leaf.Leaf, f *profile.Field) bool {
	if a.opts.KeepDates || f.From != profile.Exact || !a.unsaid(l) || a.rec.Answered().IsZero() ||
		l.Place == leaf.Header || l.Kind != leaf.String && l.Kind != leaf.Number {
		return false
	}
	form, ok := dates.Whole(l.Value)
	if !ok || a.isFar(l.Value, form) && !a.isReckoned(l, form) {
		return false
	}
	f.Form = form
	return true
}

// date returns the hole of a date; nil for text that is no date of the field's form, or one
// that stands for none, such as the beginning of the epoch.
func (a *answerReader) date(l *leaf.Leaf, f profile.Field) *Hole {
	if h, sent := a.sentDate(l, f); sent {
		return h
	}
	at, ok := dates.Parse(f.Form, l.Value, a.rec.Answered().Location())
	if !ok || a.rec.Answered().IsZero() || !dates.Plausible(at, a.rec.Answered()) {
		return nil
	}
	near := a.near(l)
	slices.SortStableFunc(near, scopesLast)
	key := dated{f.Form, a.tape.slabs.drafts.Clone(l.Value), a.tape.words.word(l.Key)}
	s, owner := a.told(l, near, at, f)
	if s == nil && a.callback != nil {
		s, owner = a.tellsCause(l, near, f.Form)
	}
	if s == nil {
		if h := a.shown(l, near, key); h != nil {
			return h
		}
		s, owner = a.event(l, near, at, f)
	}
	s.Text = key.text
	term := f.From != profile.Date && dates.Fine(f.Form) && a.isFar(l.Value, f.Form)
	a.tape.words.refill(s, func(fill *Filling) { fill.Form, fill.Term = f.Form, term })
	if owner == nil {
		return a.filled(s, Rendering{})
	}
	for _, o := range owner.instants[at.Unix()] {
		if r, ok := redated(o, f.Form, key.text); ok && o.tellsAs(s) {
			if r.How == AsIs {
				owner.dates[key], owner.latest[key] = o, a.rec
			}
			return a.filled(a.again(owner, o), r)
		}
	}
	owner.shows(a.rec, key, at, s)
	return a.filled(s, Rendering{})
}

// told returns the event that a date tells according to its row, and whose it is: the nearest entity's,
// which in an item of a list is the one that is listed. Both results are nil for any other date.
func (a *answerReader) told(l *leaf.Leaf, near []*Entity, at time.Time, f profile.Field,
) (*Source, *Entity) {
	if f.Tells == 0 {
		return nil, nil
	}
	var e *Entity
	if groupOf(l.Path) != "" {
		e = a.listedAmong(near)
	}
	if e == nil && len(near) > 0 {
		e = near[0]
	}
	of := a.rec
	if e != nil && !e.Scope && f.Tells == profile.Born && len(e.events) > 0 {
		of = e.events[0]
	}
	a.clock.compare(within(of, at, f.Form, 0))
	switch {
	case e == nil, e.Scope:
		return a.now(0), nil
	case of == a.rec && a.callback != nil:
		k := max(0, slices.Index(e.events, of))
		return a.eventOf(e, k, of.Answered()), e
	case of == a.rec:
		return a.now(len(e.events)), e
	}
	return a.eventOf(e, 0, e.events[0].Answered()), e
}

// listedAmong returns the entity of the kind that the operation lists; nil if there is none.
func (a *answerReader) listedAmong(near []*Entity) *Entity {
	o := a.rec.call.Operation
	if o == nil || o.List == nil {
		return nil
	}
	for _, e := range near {
		if e.Kind == a.tape.words.kind(a.rec.call.Profile, o.List.Noun) {
			return e
		}
	}
	return nil
}

// event finds the event that a date tells, and the entity whose event it is.
func (a *answerReader) event(l *leaf.Leaf, near []*Entity, at time.Time, f profile.Field,
) (*Source, *Entity) {
	form := f.Form
	for _, skew := range a.clock.skews() {
		for _, zone := range a.zones() {
			t, _ := dates.Parse(form, l.Value, zone)
			if s, owner := a.eventWithin(l, near, t, form, skew); s != nil {
				return a.inZone(s, zone), owner
			}
		}
	}
	if f.From != profile.Date {
		if s, owner := a.reckoned(l, near, form); s != nil {
			return s, owner
		}
	}
	for _, e := range near {
		if e.Born == a.rec && a.rec.Writes() { // a term of what is new, such as the expiry of a card
			break
		}
		if len(e.events) == 0 || e.Scope {
			continue
		}
		k := 0 // the first event that came later
		if dates.Fine(form) {
			k = e.firstFrom(at)
		}
		if k == len(e.events) && at.Before(a.rec.Began()) {
			s := a.kept(l, e)
			a.tape.words.refill(s, keep)
			a.tape.want(s.Slot)
			return s, e
		}
		k %= len(e.events)
		return a.eventOf(e, k, e.events[k].Answered()), e
	}
	return a.thisEvent(near)
}

// thisEvent returns the source of the time of the answer, and whose event it is: of a write that of the
// nearest entity.
func (a *answerReader) thisEvent(near []*Entity) (*Source, *Entity) {
	if a.rec.Writes() && len(near) > 0 {
		return a.now(a.nth(near[0])), near[0]
	}
	return a.now(0), nil
}

// inZone returns a source of a date that is told in a zone.
func (a *answerReader) inZone(s *Source, zone *time.Location) *Source {
	a.tape.words.refill(s, func(f *Filling) { f.Zone = a.tape.words.zone(s.At().In(zone)) })
	return s
}

// keep makes a value of what was the time of an answer.
func keep(fill *Filling) { fill.What, fill.Mint = Value, true }

// nth returns the number that the exchange at hand has among the events of an entity, or will have.
func (a *answerReader) nth(e *Entity) int {
	if a.callback != nil { // whose cause is concluded
		if k := slices.Index(e.events, a.rec); k >= 0 {
			return k
		}
	}
	return len(e.events)
}

// kept returns a source for a date of an event that no exchange tells: the time of the answer, as
// long as no other shows it again.
func (a *answerReader) kept(l *leaf.Leaf, e *Entity) *Source {
	slot := Slot{Name: "date " + l.Shape, N: len(e.dates)}
	s := a.source(Filling{What: Now, Ref: a.ref(e), Slot: slot, K: -1}, "", a.rec.Answered())
	s.owner = e
	return s
}

// maxSkew is how far the clock of a sandbox may be from that of the recording machine for a date to
// tell an event.
const maxSkew = time.Second

// clock is what dates whose event is known tell of the sandbox's clock.
type clock struct{ agrees, differs bool }

func (c *clock) compare(agrees bool) {
	c.agrees, c.differs = c.agrees || agrees, c.differs || !agrees
}

// skews returns by how much dates may be off: by nothing where the clocks agree.
func (c *clock) skews() []time.Duration {
	if c.agrees && !c.differs {
		return []time.Duration{0}
	}
	return []time.Duration{0, maxSkew}
}

// eventWithin finds the event that a date tells if clocks differ by no more than a skew: of a write the
// write itself, else the latest event of the nearest entity. Both results are nil if there is none.
func (a *answerReader) eventWithin(l *leaf.Leaf, near []*Entity, at time.Time, form profile.Form,
	skew time.Duration) (*Source, *Entity) {
	now := within(a.rec, at, form, skew)
	if now && a.rec.Writes() {
		a.clock.compare(skew == 0)
		return a.thisEvent(near)
	}
	for _, e := range near {
		for k, w := range e.happenedAt(at, form) {
			if !e.keptBack(w, a.rec) && within(w, at, form, skew) {
				return a.eventOf(e, k, w.Answered()), e
			}
		}
	}
	if !now {
		return nil, nil
	}
	for _, e := range near {
		if !e.Scope && dates.Fine(form) {
			return a.kept(l, e), e
		}
	}
	return a.now(0), nil
}

// within reports whether a date of a form may tell when an exchange took place. What tells no fraction
// of a second may be up to one second before, and what tells no more than milliseconds up to one
// millisecond.
func within(w *Recording, at time.Time, form profile.Form, skew time.Duration) bool {
	if w.Answered().IsZero() {
		return false
	}
	began := w.Began()
	if began.IsZero() {
		began = w.Answered()
	}
	if dates.Fine(form) {
		for _, told := range []time.Duration{time.Millisecond, time.Second} {
			if at.Truncate(told).Equal(at) {
				began = began.Truncate(told)
			}
		}
		return !at.Before(began.Add(-skew)) && !at.After(w.Answered().Add(skew))
	}
	if dates.Expiry(form) || form == profile.MonthOfYear {
		return false
	}
	return dates.Days(w.Answered(), at.In(w.Answered().Location())) == 0
}
