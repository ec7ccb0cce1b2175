package match

import (
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// punctuality counts the dates of a request that are the recorded ones, or as far from today
// as those were: of two lists for two periods it tells which is asked for.
func punctuality(e *exchange, q *query) int {
	n := 0
	for i := range e.request {
		w := &e.request[i]
		h := w.whole()
		if h == nil || len(h.vars) == 0 || h.vars[0].origin != givenDate {
			continue
		}
		p := q.r.param(w.path)
		if p != nil && e.punctual(h.vars[0].form, w.text, p.text, q.now) {
			n++
		}
	}
	return n
}

// punctual compares a recorded date of a form with a live one, sent at a time.
func (e *exchange) punctual(f profile.Form, recorded, live string, now time.Time) bool {
	then := e.distance(f, recorded)
	sent, ok := dates.Parse(f, live, e.answered.Location())
	return recorded == live || then != unknownDistance && ok && away(f, sent, now) == then
}

// unknownDistance is that of a text which is no date, or of an exchange of unknown time.
const unknownDistance = -1 << 31

// distance returns how many days, of an expiry months, a recorded date was away.
func (e *exchange) distance(f profile.Form, recorded string) int {
	t, ok := dates.Parse(f, recorded, e.answered.Location())
	if !ok || e.answered.IsZero() {
		return unknownDistance
	}
	return away(f, t, e.answered)
}

// away returns how many days or months a date is away from a time, in the date's zone.
func away(f profile.Form, date, from time.Time) int {
	if from = from.In(date.Location()); dates.Expiry(f) {
		return dates.Months(from, date)
	}
	return dates.Days(from, date)
}

// mostPunctual keeps those of several classes of reads whose dates fit the request best.
func mostPunctual(classes [][]*exchange, q *query) [][]*exchange {
	best := 0
	var kept [][]*exchange
	for _, class := range classes {
		n := punctuality(class[0], q)
		if n > best {
			best, kept = n, nil
		}
		if n == best {
			kept = append(kept, class)
		}
	}
	return kept
}
