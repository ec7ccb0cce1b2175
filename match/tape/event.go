package tape

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
)

// A date that an answer shows tells an event: the order was registered, paid, the answer given. In
// replay it is the time of the live event, moved by what lay between the two on tape. A date that
// the client sent follows the client. What lies behind the last event and before the answer, such as
// the end of a payer's visit at the ACS, is of an event that no exchange tells: it is kept as a value
// from its first showing on.

// unknownDate reports whether a leaf of which no profile knows anything holds a date that moves: it
// lies near the exchange. It completes the field.
func (a *answerReader) unknownDate(l *leaf.Leaf, f *profile.Field) bool {
	const near = 36 * time.Hour
	if a.opts.KeepDates || !a.rec.Unknown || f.From != profile.Exact || a.rec.Answered.IsZero() ||
		l.Place == leaf.Header || l.Kind != leaf.String && l.Kind != leaf.Number {
		return false
	}
	spans := dates.Find(l.Value)
	if len(spans) != 1 || spans[0].From != 0 || spans[0].To != len(l.Value) {
		return false
	}
	at, ok := dates.Parse(spans[0].Form, l.Value, a.rec.Answered.Location())
	if !ok || at.Sub(a.rec.Answered).Abs() > near {
		return false
	}
	f.Form = spans[0].Form
	return true
}

// date returns the hole of a date; nil for text that is no date of the field's form, or one
// that stands for none, such as the beginning of the epoch.
func (a *answerReader) date(l *leaf.Leaf, f profile.Field) *Hole {
	if h := a.sentDate(l, f); h != nil {
		return h
	}
	at, ok := dates.Parse(f.Form, l.Value, a.rec.Answered.Location())
	if !ok || a.rec.Answered.IsZero() || !dates.Plausible(at, a.rec.Answered) {
		return nil
	}
	near := a.near(l)
	slices.SortStableFunc(near, scopesLast)
	key := dated{f.Form, strings.Clone(l.Value), a.tape.words.word(l.Key)}
	s, owner := a.told(l, near, at, f)
	if s == nil {
		if h := a.shown(l, near, key); h != nil {
			return h
		}
		s, owner = a.event(l, near, at, f.Form)
	}
	s.Text, s.Form = key.text, f.Form
	if owner == nil {
		return &Hole{Source: s}
	}
	for _, o := range owner.instants[at.Unix()] {
		if r, ok := redated(o, f.Form, key.text); ok && o.tellsAs(s) {
			if r.How == AsIs {
				owner.dates[key], owner.latest[key] = o, a.rec
			}
			return &Hole{Source: a.again(owner, o), Rendering: r}
		}
	}
	owner.shows(a.rec, key, at, s)
	return &Hole{Source: s}
}

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
		e.dates, e.instants = map[dated]*Source{}, map[int64][]*Source{}
		e.latest = map[dated]*Recording{}
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
			if again && a.rec.Unknown && a.happensNow(key) {
				return nil
			}
			return &Hole{Source: a.again(e, a.ofTheThing(l, e, key))}
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
			if o.Place == l.Place && groupOf(o.Path) == group && s.K < len(e.events) &&
				a.survey.ShownFirst(o.Value) == e.events[s.K].surveyed {
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
		for _, w := range e.events {
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
	return []*time.Location{a.rec.Answered.Location(), time.UTC}
}

// again returns the source of a date that is known, as this answer sees the entity. What a read told
// as the time of its answer, and is told again, is kept from its first showing on.
func (a *answerReader) again(e *Entity, s *Source) *Source {
	if s.What == Now && s.K < 0 {
		s.What, s.Mint = Value, true
		a.tape.slots[s.Slot.Name] = true
	}
	same := *s
	if s.What == Now { // it told the time of a write: for others that is an event
		same.What = Event
	}
	same.Ref, same.owner = a.ref(e), e
	return &same
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
	r := Rendering{How: Dated, Like: text, date: &redating{s.Form, f, s.At.Location()}}
	return r, r.Writes(s.Text, text)
}

// datesWithin makes holes of the dates inside a text that are those of other fields.
func (a *answerReader) datesWithin(l *leaf.Leaf) {
	if l.Place == leaf.Header || !strings.ContainsAny(l.Value, "0123456789") {
		return
	}
	for _, sp := range dates.Find(a.passages.Outside(l)) {
		text := strings.Clone(l.Value[sp.From:sp.To])
		if a.covered(l, request.Token{Text: text, At: sp.From}) {
			continue
		}
		if h := a.sameDate(a.near(l), sp.Form, text); h != nil {
			a.hole(l, sp.From, sp.To, h)
		}
	}
}

// sameDate returns the hole of a date that was shown of an entity near by, in whatever form.
func (a *answerReader) sameDate(near []*Entity, f profile.Form, text string) *Hole {
	at, ok := dates.Parse(f, text, a.rec.Answered.Location())
	if !ok {
		return nil
	}
	for _, e := range near {
		if s := e.dates[dated{f, text, ""}]; s != nil {
			return &Hole{Source: a.again(e, s)}
		}
		for _, s := range e.instants[at.Unix()] {
			if r, ok := redated(s, f, text); ok {
				return &Hole{Source: a.again(e, s), Rendering: r}
			}
		}
	}
	return nil
}

// told returns the event that a date tells according to its row, and whose it is: the nearest entity's,
// which in an item of a list is the one that is listed. Both results are nil for any other date.
func (a *answerReader) told(l *leaf.Leaf, near []*Entity, at time.Time, f profile.Field,
) (*Source, *Entity) {
	if f.Tells == "" {
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
		return &Source{What: Now, At: a.rec.Answered}, nil
	case of == a.rec:
		return &Source{What: Now, At: a.rec.Answered, K: len(e.events)}, e
	}
	return &Source{What: Event, Ref: a.ref(e), At: e.events[0].Answered, owner: e}, e
}

// listedAmong returns the entity of the kind that the operation lists; nil if there is none.
func (a *answerReader) listedAmong(near []*Entity) *Entity {
	o := a.rec.call.Operation
	if o == nil || o.List == nil {
		return nil
	}
	for _, e := range near {
		if e.Kind == KindOf(a.rec.call.Profile, o.List.Noun) {
			return e
		}
	}
	return nil
}

// event finds the event that a date tells, and the entity whose event it is.
func (a *answerReader) event(l *leaf.Leaf, near []*Entity, at time.Time, form profile.Form,
) (*Source, *Entity) {
	for _, skew := range a.clock.skews() {
		for _, zone := range a.zones() {
			t, _ := dates.Parse(form, l.Value, zone)
			if s, owner := a.eventWithin(l, near, t, form, skew); s != nil {
				s.At = s.At.In(zone)
				return s, owner
			}
		}
	}
	for _, e := range near {
		if len(e.events) == 0 || e.Scope {
			continue
		}
		k := 0 // the first event that came later
		for dates.Fine(form) && k < len(e.events) && e.events[k].Began.Before(at) {
			k++
		}
		if k == len(e.events) && at.Before(a.rec.Began) {
			s := a.kept(l, e)
			s.What, s.Mint = Value, true
			a.tape.slots[s.Slot.Name] = true
			return s, e
		}
		k %= len(e.events)
		return &Source{What: Event, Ref: a.ref(e), K: k, At: e.events[k].Answered, owner: e}, e
	}
	if a.rec.Writes() && len(near) > 0 {
		return &Source{What: Now, At: a.rec.Answered, K: len(near[0].events)}, near[0]
	}
	return &Source{What: Now, At: a.rec.Answered}, nil
}

// kept returns a source for a date of an event that no exchange tells: the time of the answer, as
// long as no other shows it again.
func (a *answerReader) kept(l *leaf.Leaf, e *Entity) *Source {
	slot := Slot{Name: "date " + l.Shape, N: len(e.dates)}
	return &Source{What: Now, Ref: a.ref(e), Slot: slot, At: a.rec.Answered, K: -1, owner: e}
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
		if len(near) > 0 {
			return &Source{What: Now, At: a.rec.Answered, K: len(near[0].events)}, near[0]
		}
		return &Source{What: Now, At: a.rec.Answered}, nil
	}
	for _, e := range near {
		for k := len(e.events) - 1; k >= 0; k-- {
			if w := e.events[k]; !e.keptBack(w, a.rec) && within(w, at, form, skew) {
				return &Source{What: Event, Ref: a.ref(e), K: k, At: w.Answered, owner: e}, e
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
	return &Source{What: Now, At: a.rec.Answered}, nil
}

// within reports whether a date of a form may tell when an exchange took place. What tells no fraction
// of a second may be up to one second before.
func within(w *Recording, at time.Time, form profile.Form, skew time.Duration) bool {
	if w.Answered.IsZero() {
		return false
	}
	began := w.Began
	if began.IsZero() {
		began = w.Answered
	}
	if dates.Fine(form) {
		if at.Truncate(time.Second).Equal(at) {
			began = began.Truncate(time.Second)
		}
		return !at.Before(began.Add(-skew)) && !at.After(w.Answered.Add(skew))
	}
	if dates.Expiry(form) || form == profile.MonthOfYear {
		return false
	}
	return dates.Days(w.Answered, at.In(w.Answered.Location())) == 0
}

// sentDate returns the hole of a date that the client sent, in this request or in an earlier one
// about an entity near by; of an expiry whose year and month came in two fields, the holes of both.
func (a *answerReader) sentDate(l *leaf.Leaf, f profile.Field) *Hole {
	for i := range a.rec.Request {
		p := &a.rec.Request[i]
		if p.Field.From == profile.Date && p.Field.Form == f.Form && p.Text == l.Value {
			return &Hole{Source: a.sent(p)}
		}
	}
	near := a.near(l)
	for _, e := range near {
		for i := len(e.values) - 1; i >= 0; i-- {
			if v := e.values[i]; !v.minted && v.form == f.Form && v.form != "" && v.text == l.Value {
				return &Hole{Source: a.valueOf(v)}
			}
		}
	}
	if f.Form == profile.Month && len(l.Value) == len("200601") {
		a.halves(l, near)
	}
	return nil
}

// halves makes the holes of an expiry whose year and month the client sent in two fields.
func (a *answerReader) halves(l *leaf.Leaf, near []*Entity) {
	const year = len("2006")
	find := func(form profile.Form, text string) *Source {
		for i := range a.rec.Request {
			p := &a.rec.Request[i]
			if p.Field.From == profile.Date && p.Field.Form == form && sameNumber(p.Text, text) {
				return a.sent(p)
			}
		}
		for _, e := range near {
			for i := len(e.values) - 1; i >= 0; i-- {
				if v := e.values[i]; !v.minted && v.form == form && sameNumber(v.text, text) {
					return a.valueOf(v)
				}
			}
		}
		return nil
	}
	y, m := find(profile.Year, l.Value[:year]), find(profile.MonthOfYear, l.Value[year:])
	if y == nil || m == nil {
		return
	}
	a.hole(l, 0, year, &Hole{Source: y})
	a.hole(l, year, len(l.Value), &Hole{
		Source: m, Rendering: Rendering{How: Padded, Like: "00"},
	})
}

func sameNumber(a, b string) bool {
	return strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0") && a != ""
}

// rendered returns the hole of a rendering of a value near by; nil for a mask of a number that the
// tape never shows. Other renderings may be shown before their values are: then they are values.
func (a *answerReader) rendered(l *leaf.Leaf, f profile.Field) *Hole {
	r := Rendering{How: MannerOf(f.Form), Like: strings.Clone(l.Value)}
	for i := range a.rec.Request {
		p := &a.rec.Request[i]
		if p.Field.Of == f.Of && bound(p) && len(p.Names) == 0 &&
			r.Writes(request.Canonical(p.Field, p.Text), l.Value) {
			return &Hole{Source: a.sent(p), Rendering: r}
		}
	}
	if f.Form == profile.Mask { // a number of its own rather than that of another with this mask
		return cmp.Or(a.renderedOf(a.around(l, false), l, f, r), a.masked(l, f, r),
			a.renderedOf(a.near(l), l, f, r))
	}
	if h := a.renderedOf(a.near(l), l, f, r); h != nil {
		return h
	}
	if f.Form == profile.Unpadded { // the noun's value itself, in another way of writing
		if k, ok := a.values.find(f.Of, l.Value, nil); ok {
			a.beside(l, k.entity)
			return &Hole{Source: a.valueOf(k.value), Rendering: r}
		}
	}
	return a.value(l, profile.Field{From: profile.Minted, Of: f.Of})
}

// renderedOf returns the hole of a rendering of a value that one of some entities has.
func (a *answerReader) renderedOf(es []*Entity, l *leaf.Leaf, f profile.Field, r Rendering) *Hole {
	for _, e := range es {
		for i := len(e.values) - 1; i >= 0; i-- {
			if v := e.values[i]; v.noun == f.Of && r.Writes(v.text, l.Value) {
				a.beside(l, v.entity)
				return &Hole{Source: a.valueOf(v), Rendering: r}
			}
		}
	}
	return nil
}

// masked returns the hole of a mask that is shown before its number is: the number is born with it. Nil
// for a mask of a number that the tape never shows.
func (a *answerReader) masked(l *leaf.Leaf, f profile.Field, r Rendering) *Hole {
	for _, number := range a.survey.Numbers(l.Value) {
		if _, known := a.values.find(f.Of, number, nil); known || !r.Writes(number, l.Value) {
			continue
		}
		e := a.owner(l, f.Of)
		if e == nil {
			return nil
		}
		v := &value{
			text: number, noun: f.Of, secret: profile.PAN, minted: true, born: a.rec,
			byRead: a.rec.Reads, isName: a.req.Call.Profile.Entity(f.Of) != nil,
		}
		e.add(v, f.Of)
		a.values.add(v)
		a.beside(l, e)
		return &Hole{Source: a.valueOf(v), Rendering: r}
	}
	return nil
}

// longestNames is how many words a text has at most that is looked at as one made of names.
const longestNames = 6

// joined makes holes of the names that a text is made of, and reports whether it is: the name on a
// card is a rendering of the client's first and last name. Where no profile has a row for the field,
// the text is made of several.
func (a *answerReader) joined(l *leaf.Leaf, f profile.Field, rowed bool) bool {
	spaces := strings.Count(strings.TrimSpace(l.Value), " ")
	if spaces >= longestNames || spaces == 0 && !rowed || rowed && f.Secret != profile.Name ||
		a.echo(l, f, l.Value) != nil {
		return false
	}
	var found []span
	near := a.near(l)
	for at := pastSpace(l.Value, 0); at < len(l.Value); {
		n, h := a.nameIn(near, l.Value[at:])
		if h == nil {
			return false
		}
		found = append(found, span{at, at + n, h})
		at = pastSpace(l.Value, at+n)
	}
	if len(found) == 0 || !rowed && len(found) == 1 {
		return false
	}
	for _, n := range found {
		a.hole(l, n.from, n.to, n.hole)
	}
	return true
}

// pastSpace returns the offset behind what stands between two names.
func pastSpace(s string, at int) int {
	return len(s) - len(strings.TrimLeft(s[at:], " ,"))
}

// nameIn returns the longest name with which a text begins, and its length.
func (a *answerReader) nameIn(near []*Entity, s string) (int, *Hole) {
	for to := len(s); to > 0; to-- {
		if to < len(s) && strings.IndexByte(" ,", s[to]) < 0 {
			continue
		}
		if h := a.nameOf(near, s[:to]); h != nil {
			return to, h
		}
	}
	return 0, nil
}

// nameOf returns the hole of a text that is a name which the client sent, in any letters.
func (a *answerReader) nameOf(near []*Entity, text string) *Hole {
	for i := range a.rec.Request {
		p := &a.rec.Request[i]
		if letters, ok := lettering(p.Text, text); ok && p.Field.Secret == profile.Name {
			return &Hole{Source: a.sent(p), Rendering: Rendering{Letters: letters}}
		}
	}
	for _, e := range near {
		for _, v := range e.values {
			if letters, ok := lettering(v.text, text); ok && v.secret == profile.Name && !v.minted {
				return &Hole{Source: a.valueOf(v), Rendering: Rendering{Letters: letters}}
			}
		}
	}
	return nil
}

// Card reports whether a source is the number of a card.
func (s *Source) Card() bool { return s.Secret == profile.PAN }

// OnWire returns the recorded text as a client may have it. The surrogate of a card number that was
// valid becomes valid by the one digit that made it a surrogate, and agrees with every mask as before.
func (s *Source) OnWire() string {
	last := len(s.Text) - pan.KeptLast - 1
	if !s.Card() || last < pan.KeptFirst || s.Text != pan.Digits(s.Text) ||
		pan.Residue(s.Text) != pan.Surrogate {
		return s.Text
	}
	return pan.WithResidue(s.Text, last, pan.Valid)
}

// answered returns when a recording was answered; the zero time for configuration.
func (r *Recording) answered() time.Time {
	if r == nil {
		return time.Time{}
	}
	return cmp.Or(r.Answered, r.Began)
}
