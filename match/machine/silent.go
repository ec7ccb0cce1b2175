package machine

import (
	"net/http"
	"slices"
	"time"

	"github.com/paytape/paytape/match/tape"
)

// ask looks whether a read tells of a change that no write explains. If it does, the machine gets a
// silent edge, and the entity is behind the edge from now on.
func (b *builder) ask(r *Recording) {
	i := r.FirstRole()
	if i < 0 {
		return
	}
	e, s := b.of(r.Roles[i])
	at := Reads{r.Key, s.Own, b.viewAsked(r)}
	was := s.reads.find(at)
	if was != nil && was.class == r.Class {
		if w := b.movedByScope(e, was.last); w != nil {
			b.movesMember(w, s.Own, s.Own)
		}
		was.n, was.last = was.n+1, r
		return
	}
	to := Silently(s.Own, r.anywhere, r.Class)
	if was == nil {
		if was = b.contradicting(s.reads, at, r); was == nil {
			b.state.answered(s).add(seen{question: at, class: r.Class, n: 1, last: r})
			return
		}
		if !slices.Contains(b.m.beyond[s.Own], to) {
			b.m.beyond[s.Own] = append(b.m.beyond[s.Own], to)
		}
	}
	if w := b.movedByScope(e, was.last); w != nil {
		b.movesMember(w, s.Own, to)
		b.note(to, s.Own, w.Did(), r)
		b.lead(r, e, to)
		return
	}
	var before, term time.Duration
	if !s.moved.IsZero() && !r.Answered().IsZero() {
		before, term = was.last.Answered().Sub(s.moved), r.Answered().Sub(s.moved)
	}
	// A client that asks another question sees the change after as many reads of its question.
	for asked := range s.reads.of(s.Own) {
		asked.left = true
		b.edge(asked.question, Edge{
			After: asked.n, Before: before, Term: term, To: to, From: asked.last, At: r,
		})
	}
	if s.by != nil {
		b.changes[s.by] = append(b.changes[s.by], change{
			entity: e, from: s.Own, to: to, began: s.moved, last: was.last.Surveyed(),
		})
	}
	b.note(to, s.Own, "(a change by itself)", r)
	if !slices.Contains(b.m.behind[s.Own], to) {
		b.m.behind[s.Own] = append(b.m.behind[s.Own], to)
	}
	b.lead(r, e, to)
}

// lead moves an entity to the own state of which a question tells.
func (b *builder) lead(r *Recording, e *tape.Entity, to Own) {
	b.move(e, to)
	_, s := b.of(e)
	b.state.came(s, r.Answered(), s.by)
	r.View = b.view(r)
	b.state.answered(s).add(seen{question: Reads{r.Key, s.Own, b.viewAsked(r)}, class: r.Class, n: 1, last: r})
}

// movesMember notes what a write about a scope alone has done to a member of the scope: to is from if that is nothing.
func (b *builder) movesMember(w *Recording, from, to Own) {
	moves := w.rarely(&b.slabs).MemberMoves
	at := slices.IndexFunc(moves, func(m MemberMove) bool { return m.From == from })
	if at < 0 {
		w.MemberMoves = append(moves, MemberMove{From: from, To: to})
		return
	}
	moves[at].Ambiguous = moves[at].Ambiguous || moves[at].To != to
}

// movedByScope returns a write about a scope of an entity alone that came behind a question; nil if there is none.
// What the next question tells is what the write has done to the members of the scope.
func (b *builder) movedByScope(e *tape.Entity, last *Recording) *Recording {
	for _, scope := range e.Scopes() {
		if _, s := b.of(scope); last != nil && s.alone != nil && s.alone.Place > last.Place {
			return s.alone
		}
	}
	return nil
}

// held makes a silent edge ambiguous if some entity was asked about as often, and did not take the
// edge.
func (b *builder) held() {
	for s := range b.state.all() {
		for asked := range s.reads.all {
			if e := b.m.silent[asked.question]; e != nil && !asked.left && asked.n > e.After {
				e.Ambiguous = true
			}
		}
	}
}

// edge adds a silent edge that leads on from a question.
func (b *builder) edge(at Reads, e Edge) {
	known := b.m.silent[at]
	switch {
	case known == nil:
		b.m.silent[at] = &e
	case known.To != e.To:
		known.Ambiguous = true
	default:
		known.Before, known.Term = max(known.Before, e.Before), min(known.Term, e.Term)
	}
}

// disturbance reports whether an answer tells of a passing trouble of the sandbox.
func disturbance(r *Recording) bool {
	switch r.Code {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return r.Code >= 500
}
