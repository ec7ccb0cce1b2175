package match

import (
	"hash/maphash"
	"slices"

	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/machine"
)

// A write whose idempotency key has come before is no write like others. What an API does then the tape tells,
// where somebody has tried: see infer.KeyUse. Where nobody has, the same write gets the answer that it got
// before, which is what such keys are for; and another write under the key is a miss: APIs refuse it, or answer
// it as the first one, or know no keys.

// keyPrint hashes the idempotency key of a request and the call that it is for; 0 if it has none.
func keyPrint(r *Request) uint64 {
	if r.Idempotency == "" {
		return 0
	}
	x := uint64(0)
	for _, s := range [...]string{r.Method, r.Host, r.Address, pathOf(r), r.Idempotency} {
		x = x*fingerprintFactor ^ maphash.String(retrySeed, s)
	}
	return x | 1
}

// underKey answers a write whose idempotency key has come before. Both results are nil for a write like any
// other.
func (p *Player) underKey(q *query) (*Answer, *Miss) {
	first := p.keyed[q.key]
	if first == nil {
		return nil, nil
	}
	habit := p.tape.machine.Tape.KeyHabit(q.hosts[0])
	same, failed := first.request == q.print, first.from.Failed
	refusal := p.refusedAgain(q, same)
	switch {
	case habit.Ignores, failed && (habit.Retries || !same):
		return nil, nil
	case !failed && refusal != nil:
		q.key = 0 // what counts under the key is the first
		return p.serve(q, found{key: refusal.Key, recording: refusal, underKey: true})
	case same, habit.ByKey:
		return p.repeat(q, first), nil
	case q.Call.Operation != nil: // the documents know no keys
		return nil, nil
	}
	return nil, p.missed(q, found{underKey: true})
}

// refusedAgain returns a recorded refusal of a write because its idempotency key has come before, with the same
// write or another: of the same request, else of the operation. It is nil if there is none.
func (p *Player) refusedAgain(q *query, same bool) *machine.Recording {
	use := infer.RefusedKey
	if same {
		use = infer.RefusedRepeat
	}
	all := p.tape.machine.RefusedAgain(use, q.Op)
	if len(all) == 0 {
		return nil
	}
	key := p.tape.machine.KeyAt(&q.Question, &q.layout.places)
	alike := slices.IndexFunc(all, func(r *machine.Recording) bool { return r.Key == key })
	return all[max(alike, 0)]
}
