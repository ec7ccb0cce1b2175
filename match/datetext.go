package match

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// redating writes a date in another form than its variable has.
type redating struct {
	from, to profile.Form
	zone     *time.Location // of forms that tell none
}

// write writes the date that value tells the way like is written.
func (r *redating) write(value, like string) string {
	t, ok := parseDate(r.from, value, r.zone)
	if !ok {
		return like
	}
	zone := r.zone
	if shown, ok := parseDate(r.to, like, r.zone); ok {
		zone = shown.Location()
	}
	return formatDate(r.to, t.In(zone), like)
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

// dateSpan is where a text tells a date.
type dateSpan struct {
	from, to int
	form     profile.Form
}

// dateSpans finds what may be dates inside a text: those of ISO 8601, of HTTP and of Java,
// and numbers as long as a compact date or a time since 1970.
func dateSpans(s string) []dateSpan {
	var spans []dateSpan
	for i := 0; i < len(s); i++ {
		if i > 0 && wordByte(s[i-1]) {
			continue
		}
		if sp, ok := dateSpanAt(s, i); ok {
			spans = append(spans, sp)
			i = sp.to - 1
		}
	}
	return spans
}

func wordByte(c byte) bool { return idByte(c) && c != '-' && c != '_' }

// numberForms are the forms that are digits alone, by their length.
var numberForms = map[int]profile.Form{
	8: profile.Compact, 10: profile.EpochS, 13: profile.EpochMS, 14: profile.Stamp,
}

func dateSpanAt(s string, at int) (dateSpan, bool) {
	digits := at
	for digits < len(s) && isDigit(s[digits]) {
		digits++
	}
	if f, ok := numberForms[digits-at]; ok && (digits == len(s) || !wordByte(s[digits])) {
		return dateSpan{at, digits, f}, true
	}
	if digits-at == len("2006") {
		return isoSpan(s, at)
	}
	if digits == at {
		return namedSpan(s, at)
	}
	return dateSpan{}, false
}

// isoSpan reads a day, and a time of day behind it.
func isoSpan(s string, at int) (dateSpan, bool) {
	const seconds = len("2006-01-02T15:04:05")
	day := at + len(time.DateOnly)
	if day > len(s) || !isDate(profile.Day, s[at:day]) {
		return dateSpan{}, false
	}
	if at+seconds > len(s) || !isDate(profile.ISO, s[at:at+seconds]) {
		return dateSpan{at, day, profile.Day}, day == len(s) || !wordByte(s[day])
	}
	for end := min(len(s), at+seconds+len(".000000000+03:00")); end > at+seconds; end-- {
		if isDate(profile.ISO, s[at:end]) {
			return dateSpan{at, end, profile.ISO}, true
		}
	}
	return dateSpan{at, at + seconds, profile.ISO}, true
}

// namedSpan reads a date that begins with the name of a day, as HTTP and Java write it. The
// name of a zone has three to five letters.
func namedSpan(s string, at int) (dateSpan, bool) {
	const weekday = 3
	if at+weekday >= len(s) || s[at] < 'A' || s[at] > 'Z' {
		return dateSpan{}, false
	}
	f, shortest := profile.Java, len("Mon Jan 02 15:04:05 MST 2006")
	if s[at+weekday] == ',' {
		f, shortest = profile.HTTPDate, len(time.RFC1123)
	}
	for end := at + shortest; end <= min(len(s), at+shortest+2); end++ {
		if isDate(f, s[at:end]) {
			return dateSpan{at, end, f}, true
		}
	}
	return dateSpan{}, false
}

func isDate(f profile.Form, s string) bool {
	_, ok := parseDate(f, s, time.UTC)
	return ok
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
	for _, sp := range dateSpans(a.passages.Outside(l)) {
		if h := a.sameDate(near, sp.form, l.Value[sp.from:sp.to]); h != nil {
			a.add(l, sp.from, sp.to, h)
		}
	}
}

// sameDate returns the hole of a date that one of the threads knows, the latest first.
func (a *answerCompiler) sameDate(near []*thread, f profile.Form, text string) *hole {
	at, ok := parseDate(f, text, a.e.answered.Location())
	if !ok {
		return nil
	}
	for _, t := range near {
		ms := a.scopes[t].dates
		if os := ms[identity{string(f), text}]; len(os) > 0 {
			return &hole{vars: []*variable{os[len(os)-1].v}}
		}
		if !fine(f) {
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
