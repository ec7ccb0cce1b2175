package tape

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
)

// Clients have the expiries of their test cards in their code. One that the tape has is in replay what
// it was when the tape was made, valid or expired; any other is what it is now.

// Class returns the class of a parameter that a live request sends at a time.
func (t *Tape) Class(p *request.Param, at time.Time) request.Class {
	if p.Field.From != profile.Date || !dates.Expiry(p.Field.Form) || p.Text == "" {
		return p.Class(at)
	}
	return t.expiry(p.Field.Form, p.Text, at)
}

// expiry returns the class of a month or a year.
func (t *Tape) expiry(f profile.Form, text string, at time.Time) request.Class {
	if class, known := t.expiries[text]; known && class != request.Malformed {
		return class
	}
	return request.ExpiryClass(f, text, at)
}

// Pair decides the classes of dates that mean something only in pairs: a year and a month, the
// beginning and the end of a period.
func (t *Tape) Pair(r *request.Request, asked []Asked, at time.Time) {
	t.pairExpiry(r, asked, at)
	if o := r.Call.Operation; o != nil && o.List != nil && o.List.Backwards == profile.Refused {
		pairPeriod(o.List, asked, at)
	}
}

// pairPeriod has the end of a period that lies before its beginning count as malformed.
func pairPeriod(l *profile.List, asked []Asked, at time.Time) {
	var from, to *Asked
	for i := range asked {
		switch a := &asked[i]; {
		case strings.EqualFold(a.Path, l.From):
			from = a
		case strings.EqualFold(a.Path, l.To):
			to = a
		}
	}
	if from == nil || to == nil || from.Class != request.There || to.Class != request.There {
		return
	}
	begins, ok := dates.Parse(from.Field.Form, from.Text, at.Location())
	ends, fine := dates.Parse(to.Field.Form, to.Text, at.Location())
	if ok && fine && ends.Before(begins) {
		to.Class = request.Malformed
	}
}

// pairExpiry gives the year of a request the class of the month that it stands beside.
func (t *Tape) pairExpiry(r *request.Request, asked []Asked, at time.Time) {
	class := request.There
	for _, month := range r.Expiries() {
		if t.expiry(profile.Month, month, at) == request.Expired {
			class = request.Expired
		}
	}
	for i := range asked {
		if p := &asked[i]; p.Field.Form == profile.Year && p.Class == request.There {
			p.Class = class
		}
	}
}

// noteExpiries notes which expiries of a recorded request were valid. One that was so and expired
// later on the same tape counts as malformed: what it is now decides.
func (t *Tape) noteExpiries(r *request.Request, at time.Time) {
	note := func(f profile.Form, text string) {
		class := request.ExpiryClass(f, text, at)
		if was, known := t.expiries[text]; known && was != class {
			class = request.Malformed
		}
		t.expiries[t.words.word(text)] = class
	}
	for i := range r.Params {
		p := &r.Params[i]
		if p.Field.From == profile.Date && dates.Expiry(p.Field.Form) && p.Text != "" {
			note(p.Field.Form, p.Text)
		}
	}
	for _, month := range r.Expiries() {
		note(profile.Month, month)
	}
}
