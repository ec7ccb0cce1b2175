package match

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// An answer moves on what its request names, bears what it bears on tape, and leaves its mark on both.

// advance moves the entities that the request names along the recorded edges, and bears what the
// recording bears.
func (p *Player) advance(w *writer) {
	r, q := w.r, w.q
	card := machine.CardOf(q.Asked)
	if !r.Recording.Reads && r.Writes() {
		for i, e := range q.ents {
			if i >= len(r.Moves) {
				continue
			}
			p.happened(e, q.now)
			if r.Moves[i] == r.Owns[i] {
				continue // a use is an event, too, but it changes nothing
			}
			p.move(e, r.Moves[i], q.paidBy(e, card))
			e.since = instantOf(q.now)
		}
		if r.Session != 0 {
			p.apiOf(q).Own = r.Session
		}
		p.moveMembers(q, r)
	}
	p.follow(q.ents, r)
	w.births = slices.Grow(w.births, len(r.Births))
	for i := range r.Births {
		w.births = append(w.births, p.newBirth(w, &r.Births[i], card))
	}
	for i := range r.Births {
		w.births[i] = p.bear(w, &r.Births[i], w.births[i])
	}
	if r.Writes() {
		p.link(w)
		p.again(w, card)
	}
}

// moveMembers does to members of the scopes that a request names what the recording did to such members.
func (p *Player) moveMembers(q *query, r *machine.Recording) {
	if len(r.MemberMoves) == 0 {
		return
	}
	for _, scope := range q.ents {
		for e := range scope.all() {
			p.moveMember(q, r, e)
		}
	}
}

// moveMember does to a member what the recording did to one in its state. Where members in that state came to
// different ones, nobody knows to which this one comes.
func (p *Player) moveMember(q *query, r *machine.Recording, e *entity) {
	at := slices.IndexFunc(r.MemberMoves, func(m machine.MemberMove) bool { return m.From == e.Own })
	if at < 0 {
		return
	}
	m := r.MemberMoves[at]
	if m.Ambiguous {
		e.assume(assumedEdge)
	}
	if m.To != m.From {
		p.move(e, m.To, e.Card)
		e.since = instantOf(q.now)
		p.tell(p.tape.machine.BySelf(e.Own), e, q.r, q.now)
	}
}

// follow lets entities follow those of the recording that serves them.
func (p *Player) follow(es []*entity, r *machine.Recording) {
	for i, e := range es {
		if i < len(r.Roles) && e.follows != r.Roles[i] {
			e.follows = r.Roles[i]
			p.followedBy(r.Roles[i], e)
		}
	}
}

// followedBy notes that an entity follows a recorded one, if answers are filled with values of whoever
// does.
func (p *Player) followedBy(recorded *tape.Entity, e *entity) {
	if recorded != nil && recorded.Followed {
		p.followers[recorded] = e
	}
}

// maxLinks bounds the links of an entity.
const maxLinks = 64

// link notes which entities took part in one write.
//
// An entity that many writes name, such as the binding of a suite, has its first ones.
func (p *Player) link(w *writer) {
	all := append(append(p.linked, w.q.ents...), w.births...)
	defer func() { p.linked = emptied(all) }()
	for i, x := range all {
		if x.Scope {
			continue
		}
		for j, y := range all {
			if i != j && !y.Scope && x != y && len(x.links) < maxLinks && !slices.Contains(x.links, y) {
				x.relate().links = append(x.links, y)
			}
		}
	}
}

// finds notes that something that the answer brings is there already, which only callbacks tell.
func (w *writer) finds(e *entity) {
	if !w.p.tape.machine.CallsBack() {
		return
	}
	w.old = w.p.tape.machine.Found(w.old, e.kind, e.Own)
	w.found = append(w.found, e)
}

// again looks whether what the write may have borne anew is there and as on tape. Where it is not,
// nobody knows what there is now.
func (p *Player) again(w *writer, card uint64) {
	for _, a := range w.r.Again {
		for _, e := range w.q.ents {
			for _, s := range e.scopes {
				all := s.members[a.Kind]
				at := slices.IndexFunc(all, func(o *entity) bool {
					return o.Own == a.Own && o.Card == cmp.Or(card, e.Card)
				})
				if at < 0 {
					s.mark = either(s.mark, assumedWay)
					continue
				}
				w.finds(all[at])
			}
		}
	}
}

// keep binds the values of a request that stay with the entities which it has moved and borne.
func (p *Player) keep(w *writer) {
	r, q := w.r, w.q
	for _, n := range r.Namings {
		if n.Birth >= len(w.births) {
			continue
		}
		if a := q.param(n.Path); a != nil {
			e := w.births[n.Birth]
			_, count := e.last(n.Noun)
			noun := a.Field.Of
			p.bind(e, in(tape.Slot{Name: n.Noun, N: count}, strings.Clone(a.Text)), noun, true)
		}
	}
	if r.Recording.Reads || !r.Writes() {
		return
	}
	for _, attribute := range r.Attributes {
		a := q.param(attribute.Path)
		if a == nil || !p.tape.machine.Tape.Wanted(attribute.Name) {
			continue
		}
		text := strings.Clone(request.Canonical(a.Field, a.Text)) // and not all of the request
		for _, es := range [][]*entity{q.ents, w.births} {
			for _, e := range es {
				p.learn(e, attribute.Name, text)
			}
		}
	}
}

// stick lets marks of writes stay with the entities, and those of lists with what they show.
func (p *Player) stick(w *writer, mark string) {
	if w.q.reads && strength(mark) == strength(assumedKin) {
		for _, e := range w.members {
			if e != nil {
				e.assume(mark)
			}
		}
	}
	if mark == "" || mark == composed || w.q.reads {
		return
	}
	for _, e := range w.q.ents {
		if !e.Scope {
			e.assume(sticking(mark))
		}
	}
	for _, e := range w.births {
		if !e.Scope || mark == assumedCard { // a token of a card: see doubt
			e.assume(sticking(mark))
		}
	}
	if len(w.q.ents) == 0 && len(w.births) == 0 {
		p.apiOf(w.q).mark = sticking(mark)
	}
}

// sticking is the mark of what follows an answer with a mark.
func sticking(mark string) string {
	if mark == ambiguous {
		return "assumed=order"
	}
	return mark
}

// paidBy digests the card that an entity is paid with behind a request that brings a card, or 0 for
// none: then its own, or that of what else the request names.
func (q *query) paidBy(e *entity, brought uint64) uint64 {
	if brought != 0 || e.Card != 0 {
		return cmp.Or(brought, e.Card)
	}
	for _, o := range q.ents {
		if o.Card != 0 {
			return o.Card
		}
	}
	return 0
}
