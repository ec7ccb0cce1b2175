package machine

import (
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/tape"
)

// KeyPolicy is what a tape shows of what a call does with idempotency keys that come again. The zero policy is that
// of a call of which the tape shows nothing.
type KeyPolicy struct {
	repeats, ignores bool
	// Varies says that the same write was answered otherwise the second time, and the tape does not tell when.
	Varies bool
	// Retries says that a write which has failed is tried again under its key, ByKey that another write under a key
	// gets the answer of the first.
	Retries, ByKey bool
	// repeat and other are refusals, of the same write and of another.
	repeat, other []*Recording
}

// keyedCall is an operation at a host, of which the tape may show a KeyPolicy.
type keyedCall struct{ op, host string }

// KeyPolicy returns what the tape shows of an operation at a host. It must not be changed.
func (m *Machine) KeyPolicy(op, host string) *KeyPolicy {
	if p := m.keyPolicies[keyedCall{op, host}]; p != nil {
		return p
	}
	return &KeyPolicy{}
}

// Ignores reports whether the call takes no notice of keys. Where it has been seen to repeat an answer, it does.
func (p *KeyPolicy) Ignores() bool { return p.ignores && !p.repeats }

// Refusals returns recorded refusals because the key of a write had come before, with the same write or another. A
// call that has been seen to repeat its answer refuses the same write for other reasons, such as haste.
func (p *KeyPolicy) Refusals(same bool) []*Recording {
	switch {
	case !same:
		return p.other
	case p.repeats:
		return nil
	}
	return p.repeat
}

// note adds what a recorded write shows whose key had come before.
func (p *KeyPolicy) note(use infer.KeyUse, r *Recording) {
	switch use {
	case infer.RepeatedWrite:
		p.repeats = p.repeats || !r.Lost
	case infer.RepeatedOtherwise:
		p.repeats, p.Varies = true, true
	case infer.UnclearKey:
		p.Varies = true
	case infer.AnsweredByKey:
		p.ByKey = true
	case infer.RefusedRepeat:
		p.repeat = append(p.repeat, r)
	case infer.RefusedKey:
		p.other = append(p.other, r)
	case infer.TriedAgain:
		p.Retries = true
	case infer.IgnoredKey:
		p.ignores = true
	}
}

// reusesKey notes what a recording shows whose idempotency key had come before, and reports whether it is excluded
// from the walk: it tells of no state.
func (b *builder) reusesKey(r *Recording) bool {
	if len(b.reuses) == 0 || b.reuses[0].Recording != r.Recording {
		return false
	}
	reuse := b.reuses[0]
	b.reuses = b.reuses[1:]
	at := keyedCall{r.Op, r.Host}
	if b.m.keyPolicies[at] == nil {
		b.m.keyPolicies[at] = &KeyPolicy{}
	}
	b.m.keyPolicies[at].note(reuse.Use, r)
	if !reuse.Use.Excluded() {
		return false
	}
	r.use = mix(mix(uint64(r.Key), uint64(reuse.Use)), r.Class)
	if reuse.Use.Repeats() && reuse.First != nil && reuse.First.Place < r.Place {
		r.use = b.m.All[reuse.First.Place].use // whoever repeats gets that answer
	}
	return true
}

// firsts returns for recordings that are excluded because of their idempotency keys those that had the keys first.
func (m *Machine) firsts() map[*tape.Recording]*Recording {
	all := map[*tape.Recording]*Recording{}
	for i := range m.Tape.KeyReuses {
		if reuse := &m.Tape.KeyReuses[i]; reuse.First != nil && reuse.Use.Excluded() {
			all[reuse.Recording] = m.All[reuse.First.Place]
		}
	}
	return all
}
