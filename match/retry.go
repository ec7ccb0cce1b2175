package match

import (
	"hash/maphash"

	"github.com/paytape/paytape/internal/profile"
)

// Bounds of the answers kept for clients that ask again.
const (
	maxPending = 1_000  // of which nobody knows whether they were read
	maxKeyed   = 10_000 // with an idempotency key
)

// retrySeed is that of all fingerprints of the process.
var retrySeed = maphash.MakeSeed()

// retry is kept with the answer to a write, for the client that could not read it to the end, or
// that asks again with the same idempotency key: it must get the same answer, not the next.
type retry struct {
	request uint64 // fingerprint of the write; 0 for the answer to a read
	player  *Player
	age     int  // how often the player was reset before
	found   bool // a choice has found the answer
}

// Delivered tells the player whether the client has the whole answer. If the client has it, the
// same request sent again is a new request. Until then, and if the client does not have it, the
// same request is a retry and gets the same answer. It may be called from any goroutine, and again
// when a client that seemed to have the answer turns out to have gone.
func (a *Answer) Delivered(whole bool) {
	if a.player == nil {
		return
	}
	p := a.player
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case a.age != p.age: // the player was reset
	case !whole:
		p.pending[a.request] = a
	case p.pending[a.request] == a:
		delete(p.pending, a.request)
	}
}

// fingerprint hashes all that a client must repeat when it retries.
func fingerprint(r *Request) uint64 {
	var h maphash.Hash
	h.SetSeed(retrySeed)
	h.WriteString(r.Method)
	for _, s := range []string{r.Host, r.Address, r.Idempotency, pathOf(r)} {
		h.WriteByte(0)
		h.WriteString(s)
	}
	for i := range r.Params {
		if p := &r.Params[i]; p.Field.From != profile.Ignored {
			h.WriteByte(0)
			h.WriteString(p.Path)
			h.WriteByte(1)
			h.WriteString(p.Text)
		}
	}
	return h.Sum64() | 1
}

// retry returns the answer that was given to the same write before, if this is a retry. Only a
// request that names something of its own can be told from that of another client. A choice has
// found what it found then.
func (p *Player) retry(q *query) *Answer {
	a := p.sentBefore(q)
	if a != nil && q.r.Choice != nil {
		q.r.Choice.Found = a.found
	}
	return a
}

func (p *Player) sentBefore(q *query) *Answer {
	if q.print == 0 {
		return nil
	}
	if q.r.Idempotency != "" {
		if a := p.keyed[q.r.Idempotency]; a != nil && a.request == q.print {
			return a
		}
	}
	if !q.namesItself() {
		return nil
	}
	return p.pending[q.print]
}

// namesItself reports whether a request carries a name that no other client has.
func (q *query) namesItself() bool {
	for i := range q.Asked {
		if a := &q.Asked[i]; a.Unborn {
			return true
		}
	}
	for _, e := range q.ents {
		if !e.Scope && e.literal == "" {
			return true
		}
	}
	return false
}

// remember keeps the answer to a write until it is delivered; with an idempotency key until there
// are too many.
func (p *Player) remember(q *query, a *Answer) {
	a.request, a.player, a.age = q.print, p, p.age
	a.found = q.r.Choice != nil && q.r.Choice.Found
	if len(p.pending) >= maxPending {
		clear(p.pending)
	}
	p.pending[q.print] = a
	if q.r.Idempotency != "" {
		if len(p.keyed) >= maxKeyed {
			clear(p.keyed)
		}
		p.keyed[q.r.Idempotency] = a
	}
}
