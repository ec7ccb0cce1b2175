package match

import (
	"iter"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// choose picks among options that can all answer: by the credential, then the one whose
// threads are all there, then the recorded card most like the live one, then the order of
// the readings.
func (p *Player) choose(q *query, options []option) (option, bool) {
	if len(options) == 1 && p.trust(options[0]) != refused {
		return options[0], true
	}
	var best option
	top := -1
	for _, o := range options {
		trust := p.trust(o)
		if trust == refused {
			continue
		}
		missing := o.cand.missing(o.e)
		rank := int(trust)*100_000 - 10_000*missing + resemblance(o.e, q)
		rank = rank*(maxTied+1) + min(maxTied, len(o.e.tied)-missing)
		if rank > top {
			best, top = o, rank
		}
	}
	return best, top >= 0
}

// trust grades an option by the credential of the request.
type trust int

const (
	refused  trust = iota // a recorded refusal, but the credential is one that succeeded
	other                 // a recorded success, which another credential had in this run
	rejected              // a recorded refusal
	good                  // a recorded success
)

// trust compares the credential of a request with those that recorded successes were served
// to in this run. A recorded refusal answers only another one: so as long as none has
// succeeded, the first to come is taken for the good one.
func (p *Player) trust(o option) trust {
	for _, b := range o.delta {
		if b.v.secret != profile.Token {
			continue
		}
		if o.e.denied && p.trusted[b.value] {
			return refused
		}
		holder, held := p.holders[credential{o.e.cassette, b.v.text}]
		if !o.e.denied && held && holder != b.value {
			return other
		}
	}
	if o.e.denied {
		return rejected
	}
	return good
}

// credential is a credential as it stands on a tape.
type credential struct{ cassette, text string }

// believe notes the credentials to which a recorded success was served.
func (p *Player) believe(o option) {
	for _, b := range o.delta {
		c := credential{o.e.cassette, b.v.text}
		if _, held := p.holders[c]; b.v.secret != profile.Token || o.e.denied || held {
			continue
		}
		p.holders[c] = b.value
		p.trusted[b.value] = true
	}
}

// resemblance compares what may differ between a live request and the recorded one: cards, after
// them what the client made up, and dates.
func resemblance(e *exchange, q *query) int {
	const most = 9
	return 100*likeness(e, q.r) + 10*(most-min(news(e, q.r), most)) + punctuality(e, q)
}

// news counts the values of a client's own that are others in a live request than in the
// recorded one: who sends the reference of one payment means that payment.
func news(e *exchange, r *Request) int {
	n := 0
	for i := range e.request {
		w := &e.request[i]
		h := w.whole()
		if h == nil || len(h.vars) == 0 || h.vars[0].origin != unique {
			continue
		}
		if p := r.param(w.path); p == nil || p.text != w.text {
			n++
		}
	}
	return n
}

// likeness compares the cards of a live request with the recorded ones: two points for the
// same first six and last four digits, one for the same issuer. What is too short or too long
// for a card number is a mistake, and like other mistakes alone.
func likeness(e *exchange, r *Request) int {
	points := 0
	for i := range e.request {
		w := &e.request[i]
		if w.field.Secret != profile.PAN {
			continue
		}
		for j := range r.params {
			if p := &r.params[j]; p.path == w.path {
				points += alike(canonical(w.field, w.text), canonical(p.field, p.text))
			}
		}
	}
	return points
}

// likeness compares the cards that the thread of an exchange has had so far with the recorded
// ones.
func (o option) likeness() int {
	points := 0
	for b := range o.cand.cards(o.e.threads[0]) {
		points += alike(b.v.text, b.value)
	}
	return points
}

// crossed reports whether an exchange is tied to a thread that had the same card on tape and has
// another one here, or the other way round: what one card brought is not shown for another.
func (o option) crossed() bool {
	for own := range o.cand.cards(o.e.threads[0]) {
		for _, t := range o.e.tied {
			for other := range o.cand.cards(t) {
				if (own.v.text == other.v.text) != (own.value == other.value) {
					return true
				}
			}
		}
	}
	return false
}

// cards yields the cards that clients gave to a thread.
func (c *candidate) cards(t *thread) iter.Seq[binding] {
	return func(yield func(binding) bool) {
		for _, b := range c.vars.list {
			if b.v.secret == profile.PAN && b.v.origin == shared && b.v.birth.threads[0] == t &&
				!yield(b) {
				return
			}
		}
	}
}

func alike(a, b string) int {
	switch {
	case !numberLike(a) && !numberLike(b):
		return 1
	case !numberLike(a) || !numberLike(b):
		return -1
	case a[:pan.KeptFirst] != b[:pan.KeptFirst]:
		return 0
	}
	if a[len(a)-pan.KeptLast:] != b[len(b)-pan.KeptLast:] {
		return 1
	}
	return 2
}

// numberLike reports whether text has the length of a card number and nothing but digits.
func numberLike(text string) bool {
	return len(text) >= pan.MinLength && len(text) <= pan.MaxLength &&
		strings.Trim(text, "0123456789") == ""
}

// guessed reports whether what was taken out of the recorded requests decided what the answer
// is, between the chosen exchange and another that fits as well: the one-time token of a card
// that pays, and of one that does not. Nothing but the order of their use is left to go by.
func (d decision) guessed(q *query) bool {
	e := d.o.e
	if !e.unknown || e.denied {
		return false
	}
	rival := func(o *exchange) bool {
		return o != e && !o.denied && e.hides(o) && !e.congruent(o) &&
			resemblance(o, q) == resemblance(e, q)
	}
	return slices.ContainsFunc(d.options, func(o option) bool { return rival(o.e) }) ||
		e.threads[0].silent && slices.ContainsFunc(e.threads[0].recorded(e.key), rival)
}

// hides reports whether two recorded requests have different secrets in one place.
func (e *exchange) hides(o *exchange) bool {
	for i := range e.request {
		w := &e.request[i]
		if !isMark(w.text) {
			continue
		}
		for j := range o.request {
			if v := &o.request[j]; v.path == w.path && isMark(v.text) && v.text != w.text {
				return true
			}
		}
	}
	return false
}
