package match

import (
	"cmp"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// binding gives a variable its live value.
type binding struct {
	v     *variable
	value string
}

// Diff is one parameter in which a request differs from a recorded one.
type Diff struct {
	Place   leaf.Place
	Path    string // "amount", "cardIdentification.cardNumber"
	Field   profile.Field
	Problem Problem
	Want    string // as on tape; empty where the tape has none
	Got     Live   // as sent; empty where nothing was sent

	minted bool      // the tape has an id here that the sandbox made
	birth  *exchange // whose answer brought that id; nil where it is unknown or another value
}

// Problem says how a parameter differs.
type Problem string

// The problems.
const (
	Differs   Problem = "differs"
	Missing   Problem = "missing"
	Extra     Problem = "not on tape"
	UnknownID Problem = "not issued in this run"
	Elsewhere Problem = "issued in another session"
	Dropped   Problem = "of a thread that is no longer kept"
	Expired   Problem = "expired on one side only"
)

// Live is a value that a client sent. It may be a secret: it prints as a marker, and only
// what cleans it asks for its text.
type Live string

// String hides the value.
func (l Live) String() string { return "[live value]" }

// GoString hides the value from %#v.
func (l Live) GoString() string { return l.String() }

// MarshalText hides the value from JSON and logs.
func (l Live) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Reveal returns the value, to be cleaned.
func (l Live) Reveal() string { return string(l) }

// unifier compares one live request with one recorded one, under what a candidate has bound.
type unifier struct {
	vars  *values // may be nil
	delta []binding
	diffs []Diff
	later []pair // texts and renderings of values that the request itself may bind
	all   bool   // collect every difference, for a miss; otherwise stop at the first
	now   time.Time
	e     *exchange
}

// pair is a recorded parameter and the live one of the same name.
type pair struct {
	w *want
	p *param
}

// unify returns the bindings under which a request is the recorded one.
func unify(vars *values, e *exchange, r *Request, now time.Time) ([]binding, bool) {
	u := unifier{vars: vars, e: e, now: now}
	u.run(r)
	return u.delta, len(u.diffs) == 0
}

// differences returns every parameter in which a request differs from a recorded one.
func differences(vars *values, e *exchange, r *Request, now time.Time) []Diff {
	u := unifier{vars: vars, e: e, now: now, all: true}
	u.run(r)
	return u.diffs
}

// run walks two sorted lists of parameters.
func (u *unifier) run(r *Request) {
	u.host(r)
	i, j := 0, 0
	for (i < len(u.e.request) || j < len(r.params)) && (u.all || len(u.diffs) == 0) {
		switch {
		case j < len(r.params) && r.params[j].field.From == profile.Ignored:
			j++
		case j == len(r.params) || i < len(u.e.request) && u.e.request[i].path < r.params[j].path:
			u.missing(&u.e.request[i])
			i++
		case i == len(u.e.request) || r.params[j].path < u.e.request[i].path:
			p := &r.params[j]
			u.diff(p, Extra, "", p.text)
			j++
		default:
			u.compare(&u.e.request[i], &r.params[j])
			i, j = i+1, j+1
		}
	}
	for _, l := range u.later {
		if h := l.w.whole(); h != nil {
			u.rendered(l.w, l.p, h)
			continue
		}
		u.embedded(l.w, l.p)
	}
}

func (u *unifier) missing(w *want) {
	p := w.param()
	u.diff(&p, Missing, w.text, "")
}

// host compares where a request goes.
func (u *unifier) host(r *Request) {
	if !r.meets(u.e) {
		p := param{place: leaf.Header, path: "host"}
		u.diff(&p, Differs, cmp.Or(u.e.host, u.e.address), cmp.Or(r.Host, r.Address))
	}
}

func (u *unifier) diff(p *param, problem Problem, want, got string) {
	u.diffs = append(u.diffs, Diff{
		Place: p.place, Path: p.path, Field: p.field, Problem: problem, Want: want, Got: Live(got),
	})
}

func (u *unifier) compare(w *want, p *param) {
	h := w.whole()
	switch {
	case len(w.value) == 1:
		if p.text != w.text {
			u.diff(p, Differs, w.text, p.text)
		}
	case h == nil:
		u.later = append(u.later, pair{w, p})
	default:
		for _, v := range h.vars {
			u.variable(w, p, h, v)
		}
	}
}

func (u *unifier) variable(w *want, p *param, h *hole, v *variable) {
	bound, ok := u.value(v)
	switch {
	case v.origin == givenDate:
		u.givenDate(w, p, v)
	case v.origin == configured && !h.matches(v.text, p.text):
		u.diff(p, UnknownID, w.text, p.text)
	case v.rebinds():
		u.bind(v, p.text)
	case ok && !h.matches(bound, p.text):
		u.diff(p, Differs, w.text, p.text)
		u.ofMinted(v)
	case ok:
	case v.origin == minted:
		u.diff(p, UnknownID, w.text, p.text)
		u.ofMinted(v)
	default:
		if value, ok := h.invert(p.text); ok {
			u.bind(v, liveValue(v, value))
			return
		}
		u.later = append(u.later, pair{w, p})
	}
}

// rendered compares a rendering from which its value cannot be told, now that the rest of the
// request is read. One of a value that nobody sent is taken as it is.
func (u *unifier) rendered(w *want, p *param, h *hole) {
	for _, v := range h.vars {
		if bound, ok := u.value(v); ok && !h.matches(bound, p.text) {
			u.diff(p, Differs, w.text, p.text)
			return
		}
	}
}

// ofMinted notes with the last difference which id of the sandbox's the tape has there.
func (u *unifier) ofMinted(v *variable) {
	if v.origin == minted {
		d := &u.diffs[len(u.diffs)-1]
		d.minted, d.birth = true, v.birth
	}
}

// givenDate binds a date that the client makes. Of an expiry counts whether it is past, unless
// the client has the recorded one in its code.
func (u *unifier) givenDate(w *want, p *param, v *variable) {
	if dates.Expiry(v.form) && p.text != w.text &&
		dates.Expired(v.form, w.text, u.e.answered) != dates.Expired(v.form, p.text, u.now) {
		u.diff(p, Expired, w.text, p.text)
		return
	}
	u.bind(v, p.text)
}

// embedded compares text in which values turn up.
func (u *unifier) embedded(w *want, p *param) {
	unknown := false
	text := w.value.write(func(h *hole) string {
		value, ok := u.value(h.vars[0])
		unknown = unknown || !ok
		return h.apply(value)
	})
	switch {
	case unknown:
		u.diff(p, UnknownID, w.text, p.text)
	case text != p.text:
		u.diff(p, Differs, w.text, p.text)
	}
}

func (u *unifier) bind(v *variable, value string) {
	u.delta = append(u.delta, binding{v, value})
}

func (u *unifier) value(v *variable) (string, bool) {
	for _, b := range u.delta {
		if b.v == v {
			return b.value, true
		}
	}
	value, ok := u.vars.get(v)
	return value, ok
}

// matches reports whether text is a bound value as this hole writes it. The grouping of a
// card number is the client's own affair.
func (h *hole) matches(bound, text string) bool {
	if h.vars[0].secret == profile.PAN && h.how <= grouped {
		return pan.Digits(text) == bound
	}
	return h.apply(bound) == text
}

// liveValue is the text under which a live value is kept.
func liveValue(v *variable, text string) string {
	return canonical(profile.Field{Secret: v.secret}, text)
}
