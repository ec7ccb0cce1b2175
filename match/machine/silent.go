package machine

import (
	"net/http"
	"slices"
	"time"
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
	b.move(e, to)
	b.state.came(s, r.Answered(), s.by)
	r.View = b.view(r)
	b.state.answered(s).add(seen{question: Reads{r.Key, s.Own, b.viewAsked(r)}, class: r.Class, n: 1, last: r})
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
