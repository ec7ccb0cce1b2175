package match

import (
	"hash/maphash"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// Bounds of the answers kept for clients that ask again.
const (
	maxUndelivered = 8      // of one flow
	maxKeyed       = 10_000 // with an idempotency key
)

// written is kept with the answer to a write, for the client that could not read it to the end,
// or that asks again with the same idempotency key: it must get the same answer, not the next.
type written struct {
	request uint64 // fingerprint of the write
	player  *Player
	flow    *flow
}

// fingerprint hashes all that a client must repeat when it retries.
func fingerprint(r *Request) uint64 {
	var h maphash.Hash
	h.SetSeed(keySeed)
	h.WriteString(r.op)
	for _, s := range []string{r.Host, r.Address, r.idempotent} {
		h.WriteByte(0)
		h.WriteString(s)
	}
	for i := range r.params {
		if p := &r.params[i]; p.field.From != profile.Ignored {
			h.WriteByte(0)
			h.WriteString(p.path)
			h.WriteByte(1)
			h.WriteString(p.text)
		}
	}
	return h.Sum64()
}

// retry returns the answer that was given to the same write before, if this is a retry.
func (p *Player) retry(q *query, rel related) *Answer {
	if a := p.keyed[keyOf(q.r)]; a != nil && a.request == q.fingerprint {
		return a
	}
	for _, fs := range [...][]*flow{rel.minted, rel.unique} {
		for _, f := range fs {
			if a := f.answered(q.fingerprint); a != nil {
				return a
			}
		}
	}
	return nil
}

// keyOf returns the key under which a write with an idempotency key is kept.
func keyOf(r *Request) string {
	if r.idempotent == "" {
		return ""
	}
	return r.op + "\x00" + r.idempotent
}

// remember keeps the answer to a write until it is delivered; with an idempotency key for
// good.
func (p *Player) remember(f *flow, q *query, a *Answer) {
	a.written = written{q.fingerprint, p, f}
	f.pend(a)
	if k := keyOf(q.r); k != "" {
		if len(p.keyed) >= maxKeyed {
			clear(p.keyed)
		}
		p.keyed[k] = a
	}
}

// delivered notes whether the client has the whole answer to a write.
func (p *Player) delivered(a *Answer, whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := a.flow.current(); whole {
		f.settle(a)
	} else {
		f.pend(a)
	}
}

// answered returns the answer to a write that the client may not have; nil if there is none.
func (f *flow) answered(request uint64) *Answer {
	for _, a := range f.undelivered {
		if a.request == request {
			return a
		}
	}
	return nil
}

// pend keeps an answer of which the client may not have the whole.
func (f *flow) pend(a *Answer) {
	f.settle(a)
	if len(f.undelivered) >= maxUndelivered {
		f.undelivered = f.undelivered[1:]
	}
	f.undelivered = append(f.undelivered, a)
}

// settle lets go of an answer that was delivered.
func (f *flow) settle(a *Answer) {
	f.undelivered = slices.DeleteFunc(f.undelivered, func(o *Answer) bool { return o == a })
}
