package match

import (
	"math"
	"slices"
	"strconv"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/redact/surrogate"
)

// Names in a request find the entities that it is about.

// resolve finds the entities that a request names.
func (p *Player) resolve(q *query) {
	for i := range q.Asked {
		q.starts = append(q.starts, len(q.named))
		p.param(q, i)
	}
	q.order = tape.LabelOrder(q.order[:0], q.Asked)
	for _, i := range q.order {
		for n, e := range q.named[q.starts[i]:][:len(q.Asked[i].Names)] {
			q.Asked[i].Names[n].Role = q.role(e)
		}
	}
	for i := range q.Asked {
		q.tie(i)
	}
	q.Config = slices.Grow(q.Config[:0], len(q.ents))
	for _, e := range q.ents {
		q.Config = append(q.Config, e.literal)
	}
}

// tie looks whether a parameter is what an answer told, or the client chose, of the entity beside it.
func (q *query) tie(i int) {
	a, place := &q.Asked[i], q.places[i]
	if place == nil || len(place.Ties) == 0 {
		return
	}
	for j := range q.Asked {
		if n := &q.Asked[j]; n.Binds(a) {
			a.Tied = a.Tied || q.ents[n.Names[0].Role].isToldBy(place.Ties, a.Text)
		}
	}
}

// isToldBy reports whether a text is what is on record of an entity: of values that the client has chosen, that of
// the nearest thing which has one counts, as on tape.
func (e *entity) isToldBy(ties []tape.Tie, text string) bool {
	nearest, onRecord := math.MaxInt, ""
	for i := range ties {
		t := &ties[i]
		told := e.told(t)
		switch {
		case told == "":
		case t.What != tape.Value || t.Ref == nil:
			if told == text {
				return true
			}
		case len(t.Steps()) < nearest:
			nearest, onRecord = len(t.Steps()), told
		}
	}
	return nearest < math.MaxInt && onRecord == text
}

// told returns the value of an entity that requests send back; "" where it has none.
func (e *entity) told(t *tape.Tie) string {
	if t.What == tape.Value {
		if e = e.walk(t.Steps()); e == nil {
			return ""
		}
		text, _ := e.value(t.Slot)
		return text
	}
	if t.K >= len(e.times) {
		return ""
	}
	return t.Of(e.times[t.K].time())
}

// role numbers an entity among those that the request names.
func (q *query) role(e *entity) int {
	for i, o := range q.ents {
		if o == e {
			return i
		}
	}
	q.ents = append(q.ents, e)
	return len(q.ents) - 1
}

// param finds what one parameter names, and notes the entity of each of its names.
func (p *Player) param(q *query, i int) {
	a, place := &q.Asked[i], q.places[i]
	if a.Class.Nothing() || a.Class == request.Long || place != nil && place.Free {
		return
	}
	switch a.Field.From {
	case profile.Ignored, profile.Date:
		return
	case profile.Exact:
		if a.Known {
			return
		}
		p.unknownParam(q, i)
		return
	}
	if a.Field.Of == "" {
		if surrogate.IsToken(a.Text) || place != nil && place.Named {
			p.unknownParam(q, i)
		}
		return
	}
	p.named(q, i)
}

// named finds the entity that a parameter with a noun names.
func (p *Player) named(q *query, i int) {
	a := &q.Asked[i]
	from := tape.Credentials(a.Place, a.Field, a.Text)
	text := request.Canonical(a.Field, a.Text[from:])
	kind, kindName := q.layout.params[i].kind, q.layout.params[i].kindName
	if kind != nil && kind.Scope {
		if !p.knowsScope(q, a, kindName, text) {
			if p.stranger(q, i) {
				return
			}
			a.Field.From = profile.Exact
			q.unknown = append(q.unknown, i)
			return
		}
		scope := p.scope(q.Call.Profile, a.Field.Of, text)
		p.name(q, i, nameRef{entity: scope}, tape.Rendering{})
		a.Names[0].From = from
		return
	}
	if a.Field.From == profile.Rendering {
		if ref, r, ok := p.rendered(q, a, kindName); ok {
			p.name(q, i, ref, r)
		}
		return
	}
	if ref, r, ok := p.find(a.Field.Of, text, q.places[i], q); ok {
		p.name(q, i, ref, r)
		a.Names[0].From = from
		return
	}
	if a.Field.From == profile.Minted && p.stranger(q, i) {
		return
	}
	if kind == nil {
		if a.Field.From == profile.Minted && a.Field.Secret != profile.PAN {
			a.Field.From = profile.Exact // it was there before the tape, or is of no run
			q.unknown = append(q.unknown, i)
		}
		a.Unborn = a.Field.From == profile.Unique && q.Call.InfersNoun(a.Field.Of)
		return
	}
	literal := a.Text
	if a.Deciding != "" {
		literal = a.Deciding
	}
	switch {
	case p.tape.machine.Tape.Configured(kindName, literal):
		e := p.configuredEntity(kindName, kind, literal, a)
		slot := tape.Slot{Name: a.Field.Of}
		at := slices.IndexFunc(e.values, func(b bound) bool { return b.is(slot) })
		p.name(q, i, nameRef{entity: e, at: at}, tape.Rendering{})
	case a.Field.From == profile.Unique:
		a.Unborn = true
	default:
		a.Field.From = profile.Exact
		q.unknown = append(q.unknown, i)
	}
}

// knowsScope reports whether a scope is there that a parameter names: it is there as soon as somebody
// speaks of it, unless the sandbox makes the names of such scopes. Then one is there that was made in this
// run, and one that no answer on tape has brought either.
func (p *Player) knowsScope(q *query, a *tape.Asked, kind, text string) bool {
	t := p.tape.machine.Tape
	if a.Field.From != profile.Minted || !t.Issues(kind) || t.Configured(kind, text) ||
		p.config[configured{a.Field.Of, text}] != nil {
		return true
	}
	_, _, found := p.find(a.Field.Of, text, nil, q)
	return found
}

// unknownParam finds the names in a parameter of which no profile knows anything.
func (p *Player) unknownParam(q *query, i int) {
	a, place := &q.Asked[i], q.places[i]
	open := a.Place == leaf.Path && q.isOpen(a.Path)
	if place == nil || !place.Named && !place.Chosen && !open {
		return
	}
	if ref, r, ok := p.find("", a.Text, place, q); ok {
		p.name(q, i, ref, r)
		return
	}
	if p.stranger(q, i) {
		return
	}
	if place.Chosen {
		a.Unborn = true
		a.Field = profile.Field{From: profile.Unique}
		return
	}
	behind := 0
	for _, tok := range (&request.Param{Text: a.Text, Path: a.Path, Place: a.Place}).Tokens() {
		ref, r, ok := p.find("", tok.Text, place, q)
		if !ok || tok.At < behind {
			continue
		}
		behind = tok.At + len(tok.Text)
		a.Names = append(a.Names, tape.Named{
			From: tok.At, To: behind, Noun: ref.bound().name, Behind: p.behind(ref), Rendering: r,
		})
		q.named = append(q.named, ref.entity)
	}
	if len(a.Names) == 0 && place.Named {
		q.unknown = append(q.unknown, i)
	}
}

// isOpen reports whether a segment of the path is open in the pattern of the operation.
func (q *query) isOpen(path string) bool {
	n, err := strconv.Atoi(path[1:])
	return err == nil && n < len(q.open) && q.open[n]
}

// name makes a name of all of a parameter.
func (p *Player) name(q *query, i int, ref nameRef, r tape.Rendering) {
	a, n := &q.Asked[i], len(q.names)
	q.names = append(q.names, tape.Named{
		To: len(a.Text), Noun: ref.bound().name, Behind: p.behind(ref), Rendering: r,
	})
	a.Names = q.names[n : n+1 : n+1]
	q.named = append(q.named, ref.entity)
}

// behind counts the names of the noun that writes have given the entity since.
func (p *Player) behind(ref nameRef) int {
	if ref.entity.Scope || ref.bound().byRead {
		return 0
	}
	return ref.entity.behind(ref.bound().slot())
}

// find looks a name up, in the ways of writing that the tape has at a place. Of several entities
// the one that the request has named already is meant, else the latest.
func (p *Player) find(noun, text string, place *tape.Place, q *query) (nameRef, tape.Rendering, bool) {
	var best nameRef
	var how tape.Rendering
	found := false
	for ref := range p.names.of(text) {
		if noun != "" && ref.bound().noun() != noun {
			continue
		}
		r, ok := written(ref, text, place)
		if !ok {
			continue
		}
		if !found || slices.Contains(q.ents, ref.entity) {
			best, how, found = ref, r, true
		}
	}
	return best, how, found
}

// written returns how a text writes a name, if the tape has such a way of writing at the place.
func written(ref nameRef, text string, place *tape.Place) (tape.Rendering, bool) {
	if ref.bound().text == text {
		return tape.Rendering{}, true
	}
	if place == nil {
		return tape.Rendering{}, false
	}
	for _, r := range place.Renderings {
		if r.Apply(ref.bound().text) == text {
			return r, true
		}
	}
	return tape.Rendering{}, false
}

// rendered finds the entity of which a parameter has a mask or the last digits: of several the one
// of which the request says more, else the latest.
func (p *Player) rendered(q *query, a *tape.Asked, kind string) (nameRef, tape.Rendering, bool) {
	const most = 512
	r := tape.Rendering{How: tape.MannerOf(a.Field.Form), Like: a.Text}
	all := p.kinds[kind]
	var best nameRef
	points := -1
	for i := len(all) - 1; i >= max(0, len(all)-most); i-- {
		for at, b := range all[i].values {
			if b.name != a.Field.Of || !r.Writes(b.text, a.Text) {
				continue
			}
			n := 0
			for j := range q.Asked {
				if all[i].knows(q.Asked[j].Text) {
					n++
				}
			}
			if n > points {
				best, points = nameRef{entity: all[i], at: at}, n
			}
		}
	}
	return best, r, points >= 0
}

// knows reports whether some value of the entity, or of what it is a part of, is a text.
func (e *entity) knows(text string) bool {
	return slices.ContainsFunc(e.values, func(b bound) bool { return b.text == text }) ||
		slices.ContainsFunc(e.wholes, func(w *entity) bool { return w.knows(text) })
}
