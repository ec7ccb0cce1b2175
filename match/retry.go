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

// served is an answer to a write, kept for the client that could not read it to the end, or
// that asks again with the same idempotency key: it must get the same answer, not the next.
type served struct {
	request uint64
	answer  *Answer
}

// fingerprint hashes all that a client must repeat when it retries.
func fingerprint(r *Request) uint64 {
	var h maphash.Hash
	h.SetSeed(keySeed)
	h.WriteString(r.op)
	h.WriteString("\x00" + r.Host + "\x00" + r.Address + "\x00" + r.idempotent)
	for _, p := range r.params {
		if p.field.From != profile.Ignored {
			h.WriteString("\x00" + p.path + "\x01" + p.text)
		}
	}
	return h.Sum64()
}

// retry returns the answer that was given to the same write before, if this is a retry.
func (p *Player) retry(q *query, rel related) *Answer {
	if s := p.keyed[keyOf(q.r)]; s != nil && s.request == q.fingerprint {
		return s.answer
	}
	for _, f := range slices.Concat(rel.minted, rel.unique) {
		for _, s := range f.undelivered {
			if s.request == q.fingerprint {
				return s.answer
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
	s := &served{request: q.fingerprint, answer: a}
	f.pend(s)
	if k := keyOf(q.r); k != "" {
		if len(p.keyed) >= maxKeyed {
			clear(p.keyed)
		}
		p.keyed[k] = s
	}
	a.delivered = func(whole bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if whole {
			f.current().settle(s)
		} else {
			f.current().pend(s)
		}
	}
}

// pend keeps an answer of which the client may not have the whole.
func (f *flow) pend(s *served) {
	f.settle(s)
	if len(f.undelivered) >= maxUndelivered {
		f.undelivered = f.undelivered[1:]
	}
	f.undelivered = append(f.undelivered, s)
}

// settle lets go of an answer that was delivered.
func (f *flow) settle(s *served) {
	f.undelivered = slices.DeleteFunc(f.undelivered, func(o *served) bool { return o == s })
}
