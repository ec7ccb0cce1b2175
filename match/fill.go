package match

import (
	"slices"
	"strconv"

	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// entity returns whose value a source is; nil if there is nobody.
func (w *writer) entity(r *tape.Ref) *entity {
	var e *entity
	switch r.Base {
	case tape.Role:
		if r.N < len(w.q.ents) {
			e = w.q.ents[r.N]
		}
	case tape.Birth:
		if r.N < len(w.births) {
			e = w.births[r.N]
		}
	case tape.Member:
		if r.N < len(w.members) {
			e = w.members[r.N]
		}
	case tape.Follower:
		if r.N >= 0 && r.N < len(w.p.tape.machine.Tape.Entities) {
			e = w.p.followers[w.p.tape.machine.Tape.Entities[r.N]]
		}
	}
	return e.walk(r.Steps)
}

// fill returns the text of a hole.
func (w *writer) fill(h *tape.Hole) string {
	s := h.Source
	switch s.What {
	case tape.Leads:
		return w.q.r.Leads(h.Like, *h.To)
	case tape.Count:
		return strconv.Itoa(w.count)
	case tape.Header:
		sent := w.q.r.Header.Get(s.Param)
		if sent != "" || request.IsIdempotencyKey(s.Param) {
			return sent
		}
		if s.Mint {
			return w.p.mint(s, w.q.now)
		}
		return s.Text
	case tape.Sent:
		return h.Apply(w.sent(s))
	case tape.PerOne:
		return h.Apply(w.ownNumber(s))
	case tape.Now:
		if s.K < 0 {
			return h.Apply(w.unseen(s, w.entity(s.Ref)))
		}
		return h.Apply(s.Moved(w.q.now))
	case tape.Event:
		return h.Apply(w.event(s))
	case tape.Value:
		return h.Apply(w.value(s))
	}
	return s.Text
}

// sent returns the text of a parameter of the request.
func (w *writer) sent(s *tape.Source) string {
	a, rival := w.q.param(s.Param), (*tape.Asked)(nil)
	if s.Rival.Name != "" {
		rival = w.q.param(s.Rival.Name)
	}
	switch {
	case a == nil && rival == nil:
		return s.OnWire()
	case a == nil:
		a = rival
	case rival != nil && rival.Text != a.Text:
		w.mark = either(w.mark, assumedWay)
	}
	return request.Canonical(a.Field, a.Text)
}

// ownNumber returns a value that this answer alone has. What stands twice in the answer on tape does here.
func (w *writer) ownNumber(s *tape.Source) string {
	for _, n := range w.numbers {
		if n.recorded == s.Text {
			return n.live
		}
	}
	n := numbered{s.Text, w.p.mint(s, w.q.now)}
	w.numbers = append(w.numbers, n)
	if s.Token() {
		w.secrets = append(w.secrets, n.live)
	}
	return n.live
}

// event returns the text of a date that tells an event.
func (w *writer) event(s *tape.Source) string {
	at := w.q.now
	if s.Cause && w.caused {
		return s.Moved(at) // whatever was done to the entity before
	}
	if e := w.entity(s.Ref); e != nil && s.K < len(e.times) {
		at = e.times[s.K].time()
	}
	return s.Moved(at)
}

// unseen returns the text of a date of an event that no exchange tells: as long before the answer as on
// tape, but not before what was done to the entity last.
func (w *writer) unseen(s *tape.Source, e *entity) string {
	if e != nil {
		born := s.At()
		at, ok := dates.Parse(s.Form, s.Text, born.Location())
		if ok && w.q.now.Add(at.Sub(born)).Before(e.latest.time()) {
			return dates.Move(s.Form, s.Text, at, e.latest.time())
		}
	}
	return dates.Move(s.Form, s.Text, s.At(), w.q.now)
}

// namings returns the names that the request gives to what it bears. At a callback there is no request:
// names are given by then.
func (w *writer) namings() []tape.Naming {
	if w.r == nil {
		return nil
	}
	return w.r.Namings
}

// value returns the text of an entity's value, which is made here if nobody has seen it yet.
func (w *writer) value(s *tape.Source) string {
	e := w.entity(s.Ref)
	if e == nil {
		w.mark = either(w.mark, assumedWay)
		if s.Mint {
			return w.p.mint(s, w.q.now)
		}
		return s.OnWire()
	}
	here := madeHere{e, s.Slot}
	if text, ok := e.value(s.Slot); ok && (!s.Renewed || slices.Contains(w.made, here)) {
		if s.Rival.Name != "" {
			w.rival(e, s, text)
		}
		return text
	}
	if s.Renewed {
		w.made = append(w.made, here)
	}
	if !s.Mint {
		for i := range w.namings() { // a name that this request gives
			n := &w.namings()[i]
			if a := w.q.param(n.Path); a != nil && n.Noun == s.Slot.Name && n.Birth < len(w.births) &&
				w.births[n.Birth] == e {
				return a.Text
			}
		}
		if text, n := e.last(s.Slot.Name); n > 0 {
			return text
		}
		if text, ok := e.value(s.Rival); ok {
			return text
		}
		return s.OnWire() // the client has not sent one
	}
	text := ""
	if s.Form != 0 && !s.Name {
		text = w.unseen(s, e)
	} else {
		text = w.p.mint(s, w.q.now)
	}
	if w.p.tape.opts.RecordedIDs && s.Name && w.p.bears(text) {
		w.mark, e.mark = either(w.mark, assumedName), either(e.mark, assumedName) // the latest is meant
	}
	b := in(s.Slot, text)
	b.byRead, b.secret = w.q.reads, s.Token()
	w.p.bind(e, b, s.Noun, s.Name)
	return text
}

// rival marks the answer if another value of the entity, which was equal on tape, is not that which is shown.
func (w *writer) rival(e *entity, s *tape.Source, shown string) {
	if other, ok := e.value(s.Rival); ok && other != shown {
		w.mark = either(w.mark, assumedWay)
	}
}
