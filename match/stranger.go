package match

import (
	"slices"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// stranger takes a token that this run has not issued for one that no answer on tape has brought, and
// reports whether the tape has such a token at the place. If the sandbox has refused all of them the
// answer is the refusal. One that it has taken may be what the client means; nobody knows.
func (p *Player) stranger(q *query, i int) bool {
	place, a := q.places[i], &q.Asked[i]
	if place == nil || len(place.Strangers) == 0 {
		return false
	}
	at := max(0, slices.IndexFunc(place.Strangers, func(s tape.Stranger) bool { return !s.Refused }))
	s := &place.Strangers[at]
	switch {
	case len(place.Strangers) > 1:
		q.strange = ambiguous
	case !s.Refused:
		q.strange = assumedValue
	}
	var typ *profile.Entity
	if of := &q.layout.params[i]; of.kindName == s.Kind {
		typ = of.kind
	}
	e := p.literalEntity(s.Kind, typ, s.Text)
	slot := tape.Slot{Name: a.Field.Of}
	if _, bound := e.value(slot); !bound {
		p.bind(e, in(slot, s.Text), a.Field.Of, true)
	}
	p.name(q, i, nameRef{entity: e}, tape.Rendering{})
	a.Names[0].From = tape.Credentials(a.Place, a.Field, a.Text)
	q.foreign = append(q.foreign, a.Text[a.Names[0].From:])
	return true
}

// appendSecrets appends the live tokens of entities, each once. Some of the entities may be nil.
func appendSecrets(secrets []string, es []*entity) []string {
	for _, e := range es {
		if e == nil || !e.secrets {
			continue
		}
		for i := range e.values {
			if b := &e.values[i]; b.secret && !slices.Contains(secrets, b.text) {
				secrets = append(secrets, b.text)
			}
		}
	}
	return secrets
}

// Secrets returns the tokens that replay has made for what the request names or the answer brings, and
// those that the request has where the tape has a token. They are as live as those of a sandbox: whoever shows anything of the exchange has a redactor learn them
// before. Nil for no trace.
func (t *Trace) Secrets() []string {
	if t == nil {
		return nil
	}
	return t.secrets
}
