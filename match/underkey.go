package match

import (
	"hash/maphash"
	"net/http"
	"slices"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
)

// A write whose idempotency key has come before is no write like others. What a call does then the tape tells,
// where somebody has tried: see infer.KeyUse. Where nobody has, the same write gets the answer that it got before,
// which is what such keys are for; and another write under the key is a miss, because APIs differ: they refuse it,
// answer it as the first one, or know no keys.

// underKey is a write with an idempotency key.
type underKey struct {
	call     uint64 // digest of the key and the call that it is for; 0: the request has no key
	sameness uint64 // see request.Sameness
}

// underKey returns what tells the writes with one idempotency key apart. Of a call that a profile describes nobody
// says that it knows such keys: then writes that differ are of different keys.
func (q *query) underKey() underKey {
	r := q.r
	if r.Idempotency == "" {
		return underKey{}
	}
	k := underKey{sameness: request.Sameness(r.Params)}
	for _, s := range [...]string{r.Method, r.Host, r.Address, pathOf(r), q.Op, r.Idempotency} {
		k.call = k.call*fingerprintFactor ^ maphash.String(retrySeed, s)
	}
	if r.Call.Operation != nil {
		k.call = k.call*fingerprintFactor ^ k.sameness
	}
	k.call |= 1
	return k
}

// answerUnderKey answers a write whose idempotency key has come before. Both results are nil for a write like any other.
func (p *Player) answerUnderKey(q *query) (*Answer, *Miss) {
	first := p.firstUnderKey(q.key.call)
	if first == nil {
		return nil, nil
	}
	same, failed := first.sameness == q.key.sameness, first.keyFailed()
	policy := p.tape.machine.KeyPolicy(q.Op, first.from.Host)
	refusals := p.keyRefusals(q, first, policy.Refusals(same))
	switch {
	case policy.Ignores(), failed && (policy.Retries || !same):
		return nil, nil
	case !failed && len(refusals) > 0:
		return p.refuseKey(q, first, refusals)
	case !same && !policy.ByKey:
		return nil, p.missed(q, found{reusedKey: true})
	case !policy.Varies:
		return p.repeat(q, first), nil
	case p.tape.refused(assumedRetry):
		return nil, p.missed(q, found{marked: assumedRetry, recording: first.from})
	}
	again := *first
	again.Mark = either(first.Mark, assumedRetry)
	return p.repeat(q, &again), nil
}

// firstUnderKey returns the answer to the first write under a key; nil if there is none.
func (p *Player) firstUnderKey(call uint64) *Answer {
	if first := p.underKeys[call]; first != nil {
		return first
	}
	return p.olderKeys[call]
}

// keyFailed reports whether the answer to the first write under a key tells of a failure. A payment that was declined
// has failed as far as its key is concerned.
func (a *Answer) keyFailed() bool { return a.from.Failed || a.Code >= http.StatusBadRequest }

// keyRefusals returns the refusals that are of the host and the address of the first write under a key.
func (p *Player) keyRefusals(q *query, first *Answer, refusals []*machine.Recording) []*machine.Recording {
	q.Host = first.from.Host
	if q.address == "" {
		return refusals
	}
	elsewhere := func(r *machine.Recording) bool { return r.Address != q.address }
	return slices.DeleteFunc(slices.Clone(refusals), elsewhere)
}

// refuseKey serves a refusal, that of the same request if there is one. It may show what the first write has borne.
func (p *Player) refuseKey(q *query, first *Answer, refusals []*machine.Recording) (*Answer, *Miss) {
	f := found{key: p.tape.machine.KeyAt(&q.Question, &q.layout.places), reusedKey: true, recording: refusals[0]}
	alike := slices.IndexFunc(refusals, func(r *machine.Recording) bool { return r.Key == f.key })
	unlike := func(r *machine.Recording) bool { return r.Class != refusals[0].Class }
	switch {
	case alike >= 0:
		f.recording = refusals[alike]
	case slices.ContainsFunc(refusals, unlike):
		f.alone = ambiguous // a refusal changes nothing
	}
	if p.tape.refused(f.says()) {
		return nil, p.missed(q, found{key: f.key, marked: f.says(), recording: f.recording})
	}
	for i, b := range first.from.Births {
		if i < len(first.births) {
			p.followedBy(b.Entity, first.births[i])
		}
	}
	q.key.call = 0 // what counts under the key is the first
	return p.serve(q, f)
}

// rememberKey keeps the answer to a write that is the first under its key, or the first that did not fail.
func (p *Player) rememberKey(q *query, a *Answer) {
	if q.key.call == 0 || request.Transient(a.Code) {
		return
	}
	if first := p.firstUnderKey(q.key.call); first != nil && !first.keyFailed() {
		return
	}
	if len(p.underKeys) >= maxUnderKeys {
		p.underKeys, p.olderKeys = map[uint64]*Answer{}, p.underKeys
	}
	a.sameness = q.key.sameness
	p.underKeys[q.key.call] = a
}
