package match

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// redating writes a date in another form than its variable has.
type redating struct {
	from, to profile.Form
	zone     *time.Location // of forms that tell none
}

// write writes the date that value tells the way like is written.
func (r *redating) write(value, like string) string {
	t, ok := dates.Parse(r.from, value, r.zone)
	if !ok {
		return like
	}
	zone := r.zone
	if shown, ok := dates.Parse(r.to, like, r.zone); ok {
		zone = shown.Location()
	}
	return dates.Write(r.to, t.In(zone), like)
}

// redated returns the rendering in which text of a form shows a date, and whether it does: a
// date that tells no fraction of a second cannot show one.
func redated(v *variable, f profile.Form, text string) (rendering, bool) {
	if v.form == f && v.text == text {
		return rendering{}, true
	}
	r := rendering{how: dated, like: text, date: &redating{v.form, f, v.birth.answered.Location()}}
	return r, r.date.write(v.text, text) == text
}

// datesWithin makes holes of the dates inside a text that are those of other fields.
func (a *answerCompiler) datesWithin(l *leaf.Leaf) {
	if !strings.ContainsAny(l.Value, "0123456789") || l.Place == leaf.Header && volatileHeader(l.Key) {
		return
	}
	near := a.near(l)
	known := 0
	for _, t := range near {
		known += len(a.scopes[t].dates)
	}
	if known == 0 {
		return
	}
	for _, sp := range dates.Find(a.passages.Outside(l)) {
		if h := a.sameDate(near, sp.Form, l.Value[sp.From:sp.To]); h != nil {
			a.add(l, sp.From, sp.To, h)
		}
	}
}

// sameDate returns the hole of a date that one of the threads knows, the latest first.
func (a *answerCompiler) sameDate(near []*thread, f profile.Form, text string) *hole {
	at, ok := dates.Parse(f, text, a.e.answered.Location())
	if !ok {
		return nil
	}
	for _, t := range near {
		ms := a.scopes[t].dates
		if os := ms[identity{string(f), text}]; len(os) > 0 {
			return &hole{vars: []*variable{os[len(os)-1].v}}
		}
		if !dates.Fine(f) {
			continue
		}
		for _, o := range ms[instant(at)] {
			if r, ok := redated(o.v, f, text); ok {
				return &hole{vars: []*variable{o.v}, rendering: r}
			}
		}
	}
	return nil
}
