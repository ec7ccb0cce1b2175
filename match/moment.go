package match

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// moment is a date that a thread knows.
type moment struct {
	v     *variable
	key   string      // under which it was born: "blockingDate"
	about []*variable // the ids that stood beside it there
}

// moments are the dates of a thread, by form and text; those of answers by their instant, too.
type moments map[identity][]moment

// instant is the identity of a time, however it is written.
func instant(t time.Time) identity {
	return identity{"instant", t.UTC().Truncate(time.Second).Format(time.RFC3339)}
}

func (ms moments) add(m moment) {
	k := identity{string(m.v.form), m.v.text}
	ms[k] = append(ms[k], m)
	if m.v.origin == date && dates.Fine(m.v.form) {
		if t, ok := m.v.time(); ok {
			ms[instant(t)] = append(ms[instant(t)], m)
		}
	}
}

// time returns the recorded instant of a date.
func (v *variable) time() (time.Time, bool) {
	return dates.Parse(v.form, v.text, v.birth.answered.Location())
}

// apart reports whether two dates belong to different things: beside each stands an id of one
// kind, and it is not the same. Threads have variables of their own for a value they share.
func apart(a, b []*variable) bool {
	return slices.ContainsFunc(a, func(v *variable) bool {
		same := func(o *variable) bool { return o.of == v.of && o.text == v.text }
		other := func(o *variable) bool { return o.of == v.of && o.text != v.text }
		return !slices.ContainsFunc(b, same) && slices.ContainsFunc(b, other)
	})
}

// younger reports whether a date is of a thing that the exchange made and of which an older one
// cannot be: a top-up has the second of its card on tape, and the same name for it.
func (a *answerCompiler) younger(o, m moment) bool {
	if !a.e.writes || dates.Expiry(m.v.form) {
		return false
	}
	return slices.ContainsFunc(m.about, func(v *variable) bool {
		kin := func(w *variable) bool { return w.of == v.of }
		return v.origin == minted && v.birth == a.e && !slices.ContainsFunc(o.about, kin)
	})
}

// date returns the hole of a date; nil for text that is no date of the field's form, or one
// that stands for none, such as the beginning of the epoch.
//
// Two events may have one text: a payment and its refund in one second, a card made and
// blocked on one day. A text that a thread knows is the event that it knows unless another id
// of the kind stands beside it, or it has another name and can be of something that happened
// since.
func (a *answerCompiler) date(l *leaf.Leaf, f profile.Field) *hole {
	word := a.tape.compact.word
	v := &variable{origin: date, text: word(l.Value), form: f.Form, birth: a.e}
	m := moment{v, word(l.Key), a.nouns.nearest(l.Path)}
	at, ok := v.time()
	near := a.near(l)
	if h := a.recurring(near, m, at); h != nil {
		return h
	}
	if f.Form == profile.Month && a.halves(l) {
		return nil
	}
	if !ok || a.e.answered.IsZero() || !dates.Plausible(at, a.e.answered) {
		return nil
	}
	if dates.Fine(f.Form) {
		known := func(o moment) bool { return o.v.birth != a.e }
		if o, ok := a.moment(near, identity{string(v.form), v.text}, m.about, known); ok {
			v.twin = o.v
		}
	}
	a.scopes[a.e.threads[0]].dates.add(m)
	return &hole{vars: []*variable{v}}
}

// recurring returns the hole of a date that one of the threads knows: by its name, under
// another one, in another form; or of one that this answer has shown already.
func (a *answerCompiler) recurring(near []*thread, m moment, at time.Time) *hole {
	k := identity{string(m.v.form), m.v.text}
	named := func(o moment) bool {
		return o.v.birth != a.e && o.key == m.key && !apart(o.about, m.about) && !a.younger(o, m)
	}
	old := func(o moment) bool { return o.v.birth != a.e && a.old(o, m, at) }
	here := func(o moment) bool { return o.v.birth == a.e }
	for _, is := range []func(moment) bool{named, old, here} {
		if o, ok := a.moment(near, k, m.about, is); ok {
			return a.again(o, m, rendering{})
		}
	}
	if !dates.Fine(m.v.form) {
		return nil
	}
	o, ok := a.moment(near, instant(at), m.about, func(o moment) bool {
		_, shows := redated(o.v, m.v.form, m.v.text)
		return shows && (here(o) || old(o))
	})
	if !ok {
		return nil
	}
	r, _ := redated(o.v, m.v.form, m.v.text)
	return a.again(o, m, r)
}

// moment returns the date of a kind that the nearest thread knows: the one beside which most of
// some ids stood, of several the latest.
func (a *answerCompiler) moment(near []*thread, k identity, about []*variable,
	is func(moment) bool) (best moment, found bool) {
	for _, t := range near {
		most := -1
		for _, o := range slices.Backward(a.scopes[t].dates[k]) {
			if n := common(o.about, about); n > most && is(o) {
				best, most, found = o, n, true
			}
		}
		if found {
			break
		}
	}
	return best, found
}

// common counts the ids that stand beside two dates.
func common(a, b []*variable) int {
	n := 0
	for _, v := range a {
		if among(v, b) {
			n++
		}
	}
	return n
}

// among reports whether an id is one of those beside a date. Threads have variables of their own
// for a value they share.
func among(v *variable, about []*variable) bool {
	return slices.ContainsFunc(about, func(w *variable) bool {
		return w.of == v.of && w.text == v.text
	})
}

// again returns the hole of a known date, and notes that it has another name too.
func (a *answerCompiler) again(o, m moment, r rendering) *hole {
	if o.key != m.key && o.v.origin == date && r == (rendering{}) {
		m.v = o.v
		a.scopes[a.e.threads[0]].dates.add(m)
	}
	return &hole{vars: []*variable{o.v}, rendering: r}
}

// old reports whether a date that is shown under another name than a known one must be the
// same event: nothing has happened since that can have this time. A second is allowed for
// clocks that tell no fractions.
func (a *answerCompiler) old(o, m moment, at time.Time) bool {
	if apart(o.about, m.about) {
		return false
	}
	changed := a.changedSince(o, m)
	switch {
	case dates.Expiry(m.v.form) || m.v.form == profile.MonthOfYear || changed == nil:
		return true
	case dates.Calendar(m.v.form):
		return dates.Days(changed.began, at.In(changed.began.Location())) < 0
	}
	return at.Before(changed.began.Add(-time.Second))
}

// changedSince returns the latest write after a date was shown first that can have done
// something to the thing it is of: one that carried an id which stands beside the date now, or
// where none of those stood beside it then, any of the threads. It may be this exchange. Where
// the thing was made when the date was and stands there now, other ids beside the date do not
// count: a transaction does not change with its card.
func (a *answerCompiler) changedSince(o, m moment) *exchange {
	var latest *exchange
	consider := func(e *exchange) {
		if e != nil && e.number > o.v.birth.number && (latest == nil || e.number > latest.number) {
			latest = e
		}
	}
	if common(o.about, m.about) > 0 {
		made := slices.ContainsFunc(m.about, func(v *variable) bool {
			return v.birth == o.v.birth && among(v, o.about)
		})
		for _, v := range m.about {
			if !made || among(v, o.about) {
				consider(v.sent)
			}
		}
		return latest
	}
	for _, t := range a.e.threads {
		if n := len(t.writes); n > 0 {
			consider(t.writes[n-1])
		}
	}
	if a.e.writes {
		consider(a.e)
	}
	return latest
}

// halves makes the holes of an expiry whose year and month the client sent in two fields, and
// reports whether it did.
func (a *answerCompiler) halves(l *leaf.Leaf) bool {
	const yearLength = len("2006")
	if len(l.Value) != len("200601") {
		return false
	}
	for _, t := range a.near(l) {
		dates := a.scopes[t].dates
		years := dates[identity{string(profile.Year), l.Value[:yearLength]}]
		months := dates[identity{string(profile.MonthOfYear), l.Value[yearLength:]}]
		if len(months) == 0 { // a number has no zero in front
			text := strings.TrimLeft(l.Value[yearLength:], "0")
			months = dates[identity{string(profile.MonthOfYear), text}]
		}
		if len(years) == 0 || len(months) == 0 {
			continue
		}
		a.add(l, 0, yearLength, &hole{vars: []*variable{years[len(years)-1].v}})
		a.add(l, yearLength, len(l.Value), &hole{
			vars:      []*variable{months[len(months)-1].v},
			rendering: rendering{how: padded, like: "00"},
		})
		return true
	}
	return false
}

// dateHole returns the hole of a date that a client sends. What an answer brought must come
// back; any other the client has made, and days always: today is today by itself.
func (c *compiler) dateHole(e *exchange, p param) *hole {
	about := sentBeside(e)
	for _, t := range e.threads {
		for _, o := range slices.Backward(c.scopes[t].dates[identity{string(p.field.Form), p.text}]) {
			born := o.v.origin == date && !dates.Calendar(o.v.form) && !apart(o.about, about)
			if born || o.v.origin == givenDate && o.key == lastName(p.path) {
				return &hole{vars: []*variable{o.v}}
			}
		}
	}
	word := c.tape.compact.word
	v := &variable{origin: givenDate, text: word(p.text), form: p.field.Form, birth: e}
	s := c.scopes[e.threads[0]]
	s.dates.add(moment{v: v, key: word(lastName(p.path))})
	s.give(v)
	return &hole{vars: []*variable{v}}
}

// sentBeside returns the ids that a request carries.
func sentBeside(e *exchange) []*variable {
	var vs []*variable
	for i := range e.request {
		if h := e.request[i].whole(); h != nil && h.vars[0].of != "" {
			vs = append(vs, h.vars[0])
		}
	}
	return vs
}
