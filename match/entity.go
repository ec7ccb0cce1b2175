package match

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// entity is a live thing: where it stands in the machine, and its values. Its Player's lock guards
// it.
type entity struct {
	number int // for people, from 1
	kind   string
	typ    *profile.Entity // nil for an inferred kind
	machine.Standing
	// follows is the recorded entity whose recordings are taken where the tape has several.
	follows *tape.Entity
	// mark is why answers about the entity say assumed; "" for an entity that went as on tape.
	mark string
	*relations

	values []bound
	times  []instant   // of what was done to it, its birth first, as far as answers tell them
	latest instant     // when the last thing was done
	since  instant     // when it came to its own state
	reads  []readCount // of the state that it is in

	alone machine.Family // of an entity that has no wholes

	older, newer *entity // by their last use; see recency
	kept         bool    // it is in that list
	gone         bool    // it was dropped
	passing      bool    // it lives no longer than the answer that bears it
	secrets      bool    // some of its values are tokens, which nothing may show
	// upstream says that it lives at the sandbox: see Spy.
	upstream bool
}

// instant is a moment in the life of an entity, in nanoseconds since 1970. Whoever writes it knows the
// zone.
type instant int64

func instantOf(t time.Time) instant { return instant(t.UnixNano()) }

func (i instant) time() time.Time { return time.Unix(0, int64(i)) }

// relations are what many entities have none of: an order of no client stands alone. Those who have
// none share one value, which nobody changes: see relate.
type relations struct {
	// literal is the text under which a configured entity was there from the start; "" for others.
	literal string
	scopes  []*entity
	facts   map[string]string // by which entities of its kind are told apart
	wholes  []*entity
	parts   []*entity // in the order of their births, as the next two
	links   []*entity
	members map[string][]*entity // of a scope, by kind
}

var unrelated relations

// relate returns the relations of an entity, to be changed.
func (e *entity) relate() *relations {
	if e.relations == &unrelated {
		e.relations = &relations{}
	}
	return e.relations
}

// admit makes an entity a member of a scope.
func (e *entity) admit(o *entity) {
	r := e.relate()
	if r.members == nil {
		r.members = map[string][]*entity{}
	}
	r.members[o.kind] = append(r.members[o.kind], o)
}

// all yields the members of a scope, kind by kind.
func (r *relations) all() iter.Seq[*entity] {
	return func(yield func(*entity) bool) {
		for _, kind := range slices.Sorted(maps.Keys(r.members)) {
			for _, o := range r.members[kind] {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// bound is a live value of an entity.
type bound struct {
	name   string // of its slot; see tape.Slot
	text   string
	n      int32 // of its slot
	byRead bool  // a read brought it
	isName bool  // requests find the entity by it
	isNoun bool  // its name is a noun of the profile
	secret bool  // it is a token, which nothing may show
}

// in makes a value of the text in a slot.
func in(s tape.Slot, text string) bound { return bound{name: s.Name, text: text, n: int32(s.N)} }

// slot returns where a value is kept.
func (b *bound) slot() tape.Slot { return tape.Slot{Name: b.name, N: int(b.n)} }

// is reports whether a value is in a slot.
func (b *bound) is(s tape.Slot) bool { return int(b.n) == s.N && b.name == s.Name }

// noun returns the noun of the profile under which requests have a name; "" where there is none.
func (b *bound) noun() string {
	if !b.isNoun {
		return ""
	}
	return b.name
}

// moreValues is for how many values an entity gets room at once. There are many entities, they live for
// long, and most have few values.
const moreValues = 3

// addValue adds a value behind the others.
func (e *entity) addValue(b bound) {
	if n := len(e.values); n == cap(e.values) {
		room := make([]bound, n, n+max(moreValues, n/4))
		copy(room, e.values)
		e.values = room
	}
	e.values = append(e.values, b)
}

// readCount counts the reads of one question in one state.
type readCount struct {
	machine.Reads
	n int
}

// value returns the latest value in a slot, and whether there is one.
func (e *entity) value(s tape.Slot) (string, bool) {
	for i := len(e.values) - 1; i >= 0; i-- {
		if e.values[i].is(s) {
			return e.values[i].text, true
		}
	}
	return "", false
}

// last returns the latest value of a name, and how many there are.
func (e *entity) last(name string) (text string, n int) {
	for i := range e.values {
		if e.values[i].name == name {
			text = e.values[i].text
			n = max(n, int(e.values[i].n)+1)
		}
	}
	return text, n
}

// behind counts the values of a slot's name that writes have brought since.
func (e *entity) behind(s tape.Slot) int {
	n := 0
	for i := range e.values {
		if b := &e.values[i]; b.name == s.Name && int(b.n) > s.N && !b.byRead {
			n++
		}
	}
	return n
}

// whole and scope relations, in the words of the tape.
func (e *entity) related(to tape.Relation) []*entity {
	switch to {
	case tape.ToWhole:
		return e.wholes
	case tape.ToScope:
		return e.scopes
	case tape.ToPart:
		return e.parts
	}
	return e.links
}

// step returns the entity to which a step leads, or nil.
func (e *entity) step(s tape.Step) *entity {
	n := s.N
	for _, o := range e.related(s.To) {
		if o.kind != s.Kind {
			continue
		}
		if n == 0 {
			return o
		}
		n--
	}
	return nil
}

// walk follows steps from an entity; nil if some step leads nowhere.
func (e *entity) walk(steps []tape.Step) *entity {
	for _, s := range steps {
		if e == nil {
			return nil
		}
		e = e.step(s)
	}
	return e
}

// reading counts a read of a question, and returns how many there were before.
func (e *entity) reading(at machine.Reads) int {
	for i := range e.reads {
		if e.reads[i].Reads == at {
			e.reads[i].n++
			return e.reads[i].n - 1
		}
	}
	e.reads = append(e.reads, readCount{at, 1})
	return 0
}

// asked returns how many reads of a question there were.
func (e *entity) asked(at machine.Reads) int {
	for i := range e.reads {
		if e.reads[i].Reads == at {
			return e.reads[i].n
		}
	}
	return 0
}

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
	key := configured{kind, literal}
	e := p.config[key]
	if e == nil {
		e = p.newEntity(kind, t)
		e.relate().literal = literal
		e.Own, e.Idle = machine.Unborn(kind, literal), true
		p.joinRelatives(e)
		p.config[key] = e
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
