package match

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// scope returns a scope, which is there as soon as somebody speaks of it.
func (p *Player) scope(of *profile.Profile, noun, text string) *entity {
	key := configured{noun, text}
	e := p.config[key]
	if e == nil {
		kind := tape.KindOf(of, noun)
		e = p.newEntity(kind, of.Entity(noun))
		e.Scope, e.Own = true, machine.Unborn(kind, "")
		e.values = []bound{in(tape.Slot{Name: noun}, strings.Clone(text))}
		p.config[configured{noun, e.values[0].text}] = e
		p.used.touch(e)
	}
	return e
}

// configuredEntity returns an entity that was there from the start, with the name that a parameter has.
func (p *Player) configuredEntity(kind string, t *profile.Entity, literal string, a *tape.Asked) *entity {
	e := p.literalEntity(kind, t, literal)
	slot := tape.Slot{Name: a.Field.Of}
	if _, ok := e.value(slot); !ok {
		p.bind(e, in(slot, strings.Clone(request.Canonical(a.Field, a.Text))), a.Field.Of, true)
	}
	return e
}

// literalEntity returns an entity that was there from the start under a text.
func (p *Player) literalEntity(kind string, t *profile.Entity, literal string) *entity {
	e := p.config[configured{kind, literal}]
	if e == nil {
		e, literal = p.newEntity(kind, t), strings.Clone(literal)
		e.relate().literal = literal
		e.Own, e.Idle = machine.Unborn(kind, literal), true
		p.joinRelatives(e)
		p.config[configured{kind, literal}] = e
	}
	return e
}

func (p *Player) newEntity(kind string, t *profile.Entity) *entity {
	return p.initial(&entity{}, kind, t)
}

// initial makes an entity of its memory.
func (p *Player) initial(e *entity, kind string, t *profile.Entity) *entity {
	p.count++
	e.number, e.kind, e.typ, e.relations = p.count, kind, t, &unrelated
	return e
}

// lone is an entity with room for what nearly every one has that is born: one piece of memory, where
// there are many of them and they live for long.
type lone struct {
	entity
	values [moreValues]bound
	times  [1]instant
}

// related is a lone entity with room for its relations to others.
type related struct {
	lone
	relations relations
	up        [4]*entity // of which it is a member or a part
}

// newborn makes an entity that becomes a member or a part of others. One that passes has the memory of
// one that is gone.
func (p *Player) newborn(kind string, t *profile.Entity, up []machine.Up, passes bool) *entity {
	var x *related
	switch n := len(p.spare); {
	case passes && n > 0:
		x, p.spare = p.spare[n-1], p.spare[:n-1]
	case passes || len(up) > 0:
		x = &related{}
	default:
		return p.living(&lone{}, kind, t)
	}
	e := p.living(&x.lone, kind, t)
	if passes {
		e.passing, p.passing = true, append(p.passing, x)
	}
	if len(up) == 0 {
		return e
	}
	e.relations = &x.relations
	if len(up) <= len(x.up) {
		scopes := 0
		for i := range up {
			if up[i].Scope {
				scopes++
			}
		}
		e.scopes, e.wholes = x.up[:0:scopes], x.up[scopes:scopes:len(up)]
	}
	return e
}

// letGo takes back the memory of what an answer to a question has borne that passes: nothing leads to it.
func (p *Player) letGo(w *writer) {
	const most = 64 // for which memory is kept
	for _, x := range p.passing {
		if !w.q.reads || len(p.spare) == most {
			break
		}
		values := x.entity.values
		*x = related{}
		x.entity.values = emptied(values)
		p.spare = append(p.spare, x)
	}
	p.passing = emptied(p.passing)
}

func (p *Player) living(x *lone, kind string, t *profile.Entity) *entity {
	e := p.initial(&x.entity, kind, t)
	e.times = x.times[:0]
	if cap(e.values) <= len(x.values) {
		e.values = x.values[:0]
	}
	return e
}

// bind gives an entity a value. By a name requests find it, and by those that stood there before.
func (p *Player) bind(e *entity, b bound, noun string, isName bool) {
	at := slices.IndexFunc(e.values, func(o bound) bool { return o.name == b.name && o.n == b.n })
	b.isName, b.isNoun = isName, noun == b.name
	e.secrets = e.secrets || b.secret
	if at >= 0 && !isName && !e.values[at].isName {
		e.values[at] = b
		return
	}
	e.addValue(b)
	if isName && !e.passing {
		p.names.add(nameRef{e, len(e.values) - 1})
		p.minted.name(b.text)
	}
}

// joinRelatives adds an entity to its family, its scopes and the session.
func (p *Player) joinRelatives(e *entity) {
	if e.Family != nil || e.Scope {
		return
	}
	for _, w := range e.wholes { // wholes that may be born together with the entity
		p.joinRelatives(w)
	}
	e.Join(p.relatives(e))
	p.kinds[e.kind] = append(p.kinds[e.kind], e)
	for _, w := range e.wholes {
		w.relate().parts = append(w.parts, e)
	}
	for _, s := range e.scopes {
		s.admit(e)
	}
}

// relatives returns what counts an entity beside its family. It is good until relatives is called again.
func (p *Player) relatives(e *entity) machine.Relatives {
	p.wholes, p.scopes = appendStandings(p.wholes[:0], e.wholes), appendStandings(p.scopes[:0], e.scopes)
	return machine.Relatives{
		Wholes: p.wholes, Scopes: p.scopes, All: &p.api(machine.APIOf(e.kind, e.typ)).All,
		Alone: &e.alone,
	}
}

// appendStandings appends where entities stand.
func appendStandings(to []*machine.Standing, es []*entity) []*machine.Standing {
	for _, e := range es {
		to = append(to, &e.Standing)
	}
	return to
}

// move gives an entity another own state and card.
func (p *Player) move(e *entity, to machine.Own, card uint64) {
	if to != e.Own {
		e.reads = nil
	}
	e.Move(to, card, p.relatives(e))
}

// learn gives an entity a value that a client has sent. Of those of one name it has as many as answers
// are filled from, and the latest.
func (p *Player) learn(e *entity, name, text string) {
	n := 0
	for i := len(e.values) - 1; i >= 0; i-- {
		b := &e.values[i]
		if b.name != name {
			continue
		}
		if n = int(b.n) + 1; n > p.tape.machine.Tape.Slots(name) {
			b.text = text
			return
		}
		break
	}
	e.addValue(in(tape.Slot{Name: name, N: n}, text))
}

// happened notes when something was done to an entity, as far as answers tell it.
func (p *Player) happened(e *entity, at time.Time) {
	if len(e.times) < max(1, p.tape.machine.Tape.Events()) {
		e.times = append(e.times, instantOf(at))
	}
	e.latest = instantOf(at)
}

// assume marks an entity: what is answered about it was assumed, and what is listed of its scopes.
func (e *entity) assume(cause string) {
	if e.mark == "" {
		e.mark = cause
	}
	for _, s := range e.scopes {
		s.mark = either(s.mark, cause)
	}
	if e.Family != nil {
		f := e.Family.Current()
		f.Mark = cmp.Or(f.Mark, cause)
	}
}
