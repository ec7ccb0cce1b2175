package match

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
)

// Bounds of the answers kept for clients that ask again.
const (
	maxPending   = 1_000  // of which nobody knows whether they were read
	maxUnderKeys = 10_000 // the first under each idempotency key, and as many older ones
)

// retrySeed is that of all fingerprints of the process.
var retrySeed = maphash.MakeSeed()

// A client that has not got the answer to a write sends the write again: a deposit whose answer was
// lost, say. With an idempotency key it gets the same answer. Without a key a sandbox takes the
// write for a new one, and so does replay: if the tape has a second deposit of such an order, its
// answer is served ("already deposited"). What a sandbox would say if the tape has none is not
// known: the client gets the answer that it has missed, marked assumed=retry.

// retry is what is kept with the answer to a write, for the client that could not read it to the end, or
// that asks again with the same idempotency key.
type retry struct {
	request uint64 // fingerprint of the write
	player  *Player
	age     int  // how often the player was reset before
	found   bool // a choice has found the answer
	from    *machine.Recording
	births  []*entity // that the answer has borne
	// sameness is that of the first write under an idempotency key; 0 for any other.
	sameness uint64
	kept     *Answer // the answer itself, which this answer is or repeats
}

// again returns a kept answer for a client that asks again: what it has brought beside is out already.
func (a *Answer) again() *Answer {
	same := *a
	same.Callbacks, same.Due = nil, time.Time{}
	return &same
}

// Delivered tells the player whether the client has the whole answer. If the client has it, the
// same request sent again is a new request and nothing else. Until then, and if the client does not
// have it, the same request may be a retry. It may be called from any goroutine, and again when a
// client that seemed to have the answer turns out to have gone.
func (a *Answer) Delivered(whole bool) {
	if a.retry == nil {
		return // it answers a question
	}
	a = a.kept
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

// fingerprintFactor makes the order count in which texts are hashed. It is odd, so that nothing is lost.
const fingerprintFactor = 0x9e3779b97f4a7c15

// fingerprint hashes all that a client must repeat when it retries.
func fingerprint(r *Request) uint64 {
	x := uint64(0)
	add := func(s string) { x = x*fingerprintFactor ^ maphash.String(retrySeed, s) }
	for _, s := range [...]string{r.Method, r.Host, r.Address, r.Idempotency, pathOf(r)} {
		add(s)
	}
	for i := range r.Params {
		if p := &r.Params[i]; p.Field.From != profile.Ignored {
			add(p.Path)
			add(p.Text)
		}
	}
	if r.Broken {
		add("broken")
	}
	return x | 1
}

// repeat serves a kept answer again.
func (p *Player) repeat(q *query, kept *Answer) *Answer {
	a := kept.again()
	a.Trace = p.trace(q, found{recording: kept.from, mark: kept.Mark})
	a.Trace.repeats = true
	return q.found(a)
}

// missing returns the answer to the same write before, which its client may not have; nil if there
// is none. Only a request that names something of its own can be told from that of another client.
func (p *Player) missing(q *query) *Answer {
	if q.print == 0 || !q.namesItself() {
		return nil
	}
	return p.pending[q.print]
}

// onceMore serves the answer that a client may have missed, for want of one to the second request.
func (p *Player) onceMore(q *query, missing *Answer) (*Answer, *Miss) {
	if p.tape.refused(assumedRetry) {
		return nil, p.missed(q, found{marked: assumedRetry})
	}
	a := *missing
	a.Callbacks, a.Due = nil, time.Time{} // they are out already
	a.Mark = either(a.Mark, assumedRetry)
	again := *missing.retry
	again.kept, a.retry = &a, &again
	// The second request may have changed what it names, or borne another.
	p.stick(&writer{p: p, q: q, births: a.births}, a.Mark)
	p.pending[q.print] = &a
	return p.repeat(q, &a), nil
}

// found tells a choice what it found when the answer was given first.
func (q *query) found(a *Answer) *Answer {
	if q.r.Choice != nil {
		q.r.Choice.Found = a.found
	}
	return a
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
// are too many. What is kept has no trace: each request has a trace of its own.
func (p *Player) remember(w *writer, a *Answer) {
	q := w.q
	a.retry = &retry{
		request: q.print, player: p, age: p.age, found: q.r.Choice != nil && q.r.Choice.Found,
		from: w.r, births: slices.Clone(w.births),
	}
	if len(p.pending) >= maxPending {
		clear(p.pending)
	}
	kept := *a
	a.kept = &kept
	p.pending[q.print] = &kept
	p.rememberKey(q, &kept)
}
