package drift

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
)

// What is a variable, a tape tells by what it has of it. Where one tape is too short for that, or no
// profile knows the API, two values that differ are looked at together.

// alike reports whether two values that are folded otherwise are no difference: a tape may be too short
// to tell that a value is a variable.
func (p *pair) alike(a, b *value) bool {
	switch {
	case a.form != profile.NoForm && a.form == b.form,
		a.date(p.was.at, b) && b.date(p.is.at, a):
		return writing(a.raw) == writing(b.raw)
	case sameTerm(a.raw, b.raw, p.was.at, p.is.at):
		return a.open || a.form != profile.NoForm || b.form != profile.NoForm
	}
	w, o := a.whole(), b
	if w == nil {
		w, o = b.whole(), a
	}
	if w != nil && w.minted && o.literal() && a.open {
		if p.displaced(a, b) {
			return false
		}
		was, is := &sample{[]string{a.raw}}, &sample{[]string{b.raw}}
		return reshaped(a.raw, b.raw, a.kind == leaf.Number, was, is) == ""
	}
	return a.open && b.open && a.literal() && b.literal() && (p.volatile(a, b) || p.sentBack(a, b))
}

// sentBack reports whether two literals were made anew in an answer of the same flow, and are repeated. A
// short text stands anywhere by chance.
func (p *pair) sentBack(a, b *value) bool {
	if len(a.raw) < shortText || len(b.raw) < shortText {
		return false
	}
	p.mapping.settle()
	is, known := p.mapping.newOf[variable{text: a.raw}]
	return known && is.text == b.raw
}

// date reports whether a value is a date, as the other value at its place is.
func (v *value) date(at time.Time, other *value) bool {
	if v.form != profile.NoForm {
		return true
	}
	f, _, ok := dateIn(v.raw, at)
	return ok && f == other.form
}

// shortText is the length below which two texts have the same form by chance.
const shortText = 4

// volatile reports whether two literals of which no profile knows anything say no more than that each
// answer, or each flow, is of one thing. Either they look generated, or the tapes show that they are made
// anew each time: a constant would be on both tapes, but they share none. An approval code is such a
// value: 829442 and 131003 in spring, 971472 and 237617 in autumn. So is a count (spread.go).
func (p *pair) volatile(a, b *value) bool {
	if p.side == SideRequest {
		return false
	}
	key := spreadKey(p.was.Op, a)
	old, new := p.old.spreads[key], p.new.spreads[key]
	known := old != nil && new != nil
	switch {
	case known && counted(old, new):
		return true
	case len(a.raw) != len(b.raw) || marksOf(a.raw) != marksOf(b.raw):
		return false
	case a.looksVolatile(p.was.at) && b.looksVolatile(p.is.at):
		return true
	case writing(a.raw) != writing(b.raw):
		return false
	case numbered(a.raw) && numbered(b.raw) && !p.is.isCode(b):
		return true
	}
	return known && anew(old, new) && !old.shares(new) && len(a.raw) >= shortText &&
		strings.ContainsAny(a.raw, "0123456789")
}

// looksVolatile reports whether a value of an answer given at a time looks made for that answer.
func (v *value) looksVolatile(at time.Time) bool {
	return infer.Volatile(&leaf.Leaf{
		Place: v.place, Kind: v.kind, Key: v.key, Path: v.path, Value: v.raw,
	}, at)
}

// letters are those of ASCII.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// numbered reports whether a text is one word of letters and a number behind them, as receipts are:
// "R123456789". One of them alone does not tell whether the next is the same.
func numbered(text string) bool {
	const least = 4 // digits
	digits := strings.TrimLeft(text, letters)
	return len(digits) >= least && len(digits) < len(text) && isNumber(digits)
}

// reshaped says how the variables of two values that are folded alike differ in shape; empty if they
// do not.
func (p *pair) reshaped(a, b *value) string {
	if len(a.parts) != len(b.parts) {
		return ""
	}
	for i := range a.parts {
		was, is := &a.parts[i], &b.parts[i]
		if was.noun == "" {
			continue
		}
		if why := p.reshapedPart(a, b, was, is); why != "" {
			return why
		}
	}
	return ""
}

func (p *pair) reshapedPart(a, b *value, was, is *part) string {
	key := shapeKey(p.was.Op, p.side, a, was)
	switch {
	case was.noun == nounDate || a.form != profile.NoForm:
		if writing(a.raw) != writing(b.raw) && a.whole() != nil && b.whole() != nil {
			return "written otherwise"
		}
	case manners[was.how] != "":
		if writing(a.raw) != writing(b.raw) && a.whole() != nil && b.whole() != nil {
			return "written otherwise"
		}
	case was.minted && is.minted && p.side != SideRequest:
		texts := [2]string{was.text, is.text}
		if a.whole() != nil && b.whole() != nil {
			texts = [2]string{a.raw, b.raw}
		}
		old, new := p.old.sample(key), p.new.sample(key)
		return reshaped(texts[0], texts[1], a.kind == leaf.Number, old, new)
	}
	return ""
}
