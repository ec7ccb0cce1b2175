package match

import "slices"

// An answer may show as recorded what may be the number or the id of one thing, and the tape does not tell:
// see tape.Rest.Makes. That is right where the call that made it was served once, and for whoever it was
// served to.

// making is how often such a value was made, and about which entities, by their numbers, that was last.
type making struct {
	times int
	about []int
}

// once returns the mark of an answer that shows such values, and notes what it makes. Of a list that is put
// together, what the recordings show that lend an item may be in it.
func (p *Player) once(w *writer, list *composition) string {
	mark := p.makes(w)
	for _, value := range w.r.Repeats {
		mark = either(mark, p.repeats(w, value))
	}
	if list == nil {
		return mark
	}
	for _, item := range list.items {
		for _, value := range item.from.Repeats {
			mark = either(mark, p.repeats(w, value))
		}
	}
	return mark
}

// makes notes what an answer makes, and returns its mark.
func (p *Player) makes(w *writer) string {
	mark := ""
	for _, value := range w.r.Makes {
		m := making{times: p.lone[value].times + 1}
		for _, es := range [2][]*entity{w.q.ents, w.births} {
			for _, e := range es {
				m.about = append(m.about, e.number)
			}
		}
		if p.lone[value] = m; m.times > 1 {
			mark = assumedOne
		}
	}
	return mark
}

// repeats returns the mark of an answer that shows what was made before: it may be another's unless that was made
// once, about something that the request names or the answer lists, if they name or list anything.
func (p *Player) repeats(w *writer, value uint64) string {
	m := p.lone[value]
	thing := func(e *entity) bool { return e != nil && !e.Scope }
	about := slices.Concat(w.q.ents, w.members)
	its := slices.ContainsFunc(about, func(e *entity) bool { return thing(e) && slices.Contains(m.about, e.number) })
	if m.times == 1 && (its || !slices.ContainsFunc(about, thing)) {
		return ""
	}
	return assumedOne
}
