package match

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// idPlace is where in an answer a value of a thread was found.
type idPlace struct {
	path   string
	thread *thread
}

// near returns the threads that a leaf of an answer may be about, the likeliest first: that
// of the id which stands in the same object, of a list of orders say; those of the request;
// those tied in; and the others that are connected with them, the latest first. A payment
// with a stored card shows a mask and an expiry that an earlier payment brought.
func (a *answerCompiler) near(l *leaf.Leaf) []*thread {
	var ts []*thread
	if t := a.beside(l.Path); t != nil {
		ts = append(ts, t)
	}
	ts = append(append(ts, a.e.threads...), a.e.tied...)
	kin := a.e.threads[0].flow().members
	for _, t := range slices.Backward(kin[max(0, len(kin)-maxKin):]) {
		ts = append(ts, t)
	}
	return ts
}

// maxKin bounds the threads of a flow that are looked through.
const maxKin = 64

// beside returns the thread of the id whose path has most in common with a path; of several
// the first. Without an id there is none.
func (a *answerCompiler) beside(path string) *thread {
	var best *thread
	most := -1
	for _, p := range a.places {
		if n := inCommon(p.path, path); n > most {
			best, most = p.thread, n
		}
	}
	return best
}

// inCommon returns the length of the names and indexes with which both paths begin.
func inCommon(a, b string) int {
	n := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '.' || a[i] == ']' || a[i] == '>' {
			n = i + 1
		}
	}
	return n
}

// date returns the hole of a date; nil for text that is no date of the field's form, or one
// that stands for none, such as the beginning of the epoch.
func (a *answerCompiler) date(l *leaf.Leaf, f profile.Field) *hole {
	k := identity{string(f.Form), l.Value}
	for _, t := range a.near(l) {
		if v := a.scopes[t].dates[k]; v != nil {
			return &hole{vars: []*variable{v}}
		}
	}
	if f.Form == profile.Month && a.halves(l) {
		return nil
	}
	t, ok := parseDate(f.Form, l.Value, time.UTC)
	if !ok || a.e.answered.IsZero() || !plausible(t, a.e.answered) {
		return nil
	}
	v := &variable{origin: date, text: l.Value, form: f.Form, birth: a.e}
	a.scopes[a.e.threads[0]].dates[k] = v
	return &hole{vars: []*variable{v}}
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
		year := dates[identity{string(profile.Year), l.Value[:yearLength]}]
		month := dates[identity{string(profile.MonthOfYear), l.Value[yearLength:]}]
		if month == nil { // a number has no zero in front
			month = dates[identity{string(profile.MonthOfYear), strings.TrimLeft(l.Value[yearLength:], "0")}]
		}
		if year == nil || month == nil {
			continue
		}
		a.add(l, 0, yearLength, &hole{vars: []*variable{year}})
		a.add(l, yearLength, len(l.Value), &hole{
			vars: []*variable{month}, rendering: rendering{how: padded, like: "00"},
		})
		return true
	}
	return false
}
