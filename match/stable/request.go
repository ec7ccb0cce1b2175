package stable

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// request writes a request: names of entities, dates, and what the client has chosen by chance.
func (w *writer) request() {
	rec := w.x.rec
	w.params = rec.Request.Append(nil)
	w.asked = make([]string, len(w.params))
	changed := false
	for i := range w.params {
		a := &w.params[i]
		w.asked[i] = w.parameter(a)
		changed = changed || w.asked[i] != a.Text
	}
	if !changed {
		return
	}
	m := leaf.Read(w.x.Asked())
	call := w.opts.Profiles.Find(w.x.Method, request.PathOf(w.x.Target()))
	var edits []leaf.Edit
	for i := range m.Leaves {
		l := &m.Leaves[i]
		p, ok := request.Parameter(w.opts.Profiles, call, l)
		if !ok {
			continue
		}
		for j := range w.params {
			a := &w.params[j]
			if w.asked[j] != a.Text && a.Text == l.Value && unnumbered(a.Path) == p.Path {
				if now := w.clock.sentBack(l.Value, w.x); l.Packed() != nil && now != l.Value {
					w.asked[j] = now // what is packed comes from an answer
					w.shown[shownDate{w.x, a.Field.Form, a.Text}] = now
				}
				edits = append(edits, leaf.Whole(l, w.asked[j]))
				break
			}
		}
	}
	spliced(w.y, m.Splice(edits))
}

// spliced puts a spliced request into an exchange.
func spliced(y *leaf.Exchange, m leaf.Message) {
	y.URL, y.Request.Headers, y.Request.Body = m.Target, m.Header, m.Body
}

// unnumbered returns the path of a parameter without the number that a repeated path has.
func unnumbered(path string) string {
	at := strings.LastIndexByte(path, '#')
	if at < 0 || at+1 == len(path) || strings.Trim(path[at+1:], "0123456789") != "" {
		return path
	}
	return path[:at]
}

// parameter returns what a parameter of the request is now.
func (w *writer) parameter(a *tape.Asked) string {
	switch {
	case a.Text == "" || secret(a) || w.x.settled:
		return a.Text
	case isDate(a.Field, a.Text):
		return w.dateSent(a)
	case len(a.Names) > 0:
		return w.named(a)
	}
	switch a.Field.From {
	case profile.Unique, profile.Shared, profile.Ignored:
		w.names.chosen(a.Path, a.Text, w.x.flow, w.x.Meta.At)
		return w.names.of(a.Path, a.Text)
	}
	return a.Text
}

// dateSent returns what a date in the request is now: one that the tape ties to an entity follows it.
func (w *writer) dateSent(a *tape.Asked) string {
	text, form := a.Text, a.Field.Form
	switch tie := a.TiedTo(); {
	case tie == nil:
		text = w.clock.made(form, a.Text, w.x)
	case tie.What != tape.Value:
		text = w.told(tie)
	default:
		for _, e := range w.x.rec.Roles {
			if e.Born != nil {
				text = w.sentBy(w.all[e.Born.Surveyed()-1], form, text)
			}
		}
	}
	w.shown[shownDate{w.x, form, a.Text}] = text
	return text
}

// named returns a parameter that holds the names of entities.
func (w *writer) named(a *tape.Asked) string {
	var b strings.Builder
	last := 0
	for i := range a.Names {
		n := &a.Names[i]
		b.WriteString(a.Text[last:n.From])
		b.WriteString(w.name(n, a.Text[n.From:n.To]))
		last = n.To
	}
	return b.String() + a.Text[last:]
}

// name returns what stands in the place of a name, in the rendering in which it stands there.
func (w *writer) name(n *tape.Named, text string) string {
	for v := range w.x.rec.Roles[n.Role].Names() {
		if v.Noun != n.Noun || !n.Writes(v.Text, text) {
			continue
		}
		if made := w.names.of(v.Noun, v.Text); made != v.Text {
			return n.Apply(made)
		}
		return text
	}
	return text
}
